import { expect, test } from "bun:test";
import { join } from "node:path";
import { AI_EVENT_BYTES_MAX } from "../../src/core/events/event.ts";
import { findPlanted } from "../support/disk/bytes-on-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { runCommand } from "../support/start/process.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";

const PATH = "/i/v0/ai/batch/";
/** The least memory, in which such an event has no room beside another one, and so little journal that it is archived. */
const FLAGS = ["--memory", "128", "--journal", "16"];

const generation = (n: number, bytes: number, distinct_id = "ann") => ({
  ...{ event: "$ai_generation", distinct_id },
  uuid: `019aa6ec-4c00-7000-8000-00000000000${n}`,
  properties: { $ai_model: `model-${n}`, $ai_input: `marker-${n} ${`${n}é `.repeat(bytes / 4)}` },
});

async function send(server: Server, path: string, ...events: object[]): Promise<string | null> {
  const answer = await server.capture({ api_key: PROJECT_KEY, batch: events }, path);
  expect(answer.status).toBe(200);
  return answer.headers.get("hoglet-dropped");
}

const inputsIn = async (server: Server) =>
  (await server.events()).map(({ properties }) => properties["$ai_input"]).sort();

test("events of 8 MiB for AI are kept exactly, on 128 MB, until they are erased", async () => {
  using root = temporaryDirectory();
  const data = join(root.path, "data");
  const kept = [1, 2, 3, 4, 5].map((n) => generation(n, AI_EVENT_BYTES_MAX - 1_000_000));
  const bob = generation(6, AI_EVENT_BYTES_MAX - 1_000_000, "bob");
  const inputs = [...kept, bob].map(({ properties }) => properties.$ai_input).sort();
  {
    await using server = await startServer({ data, flags: FLAGS });
    for (const one of [...kept, bob]) expect(await send(server, PATH, one)).toBeNull();
    expect(await send(server, PATH, generation(7, AI_EVENT_BYTES_MAX))).toBe("1");
    expect(await send(server, "/batch/", generation(8, 1_500_000))).toBe("1");
    await server.stored(6);
    expect(await inputsIn(server)).toEqual(inputs);
    const warnings = await server.get<{ results: object[] }>("/ingestion_warnings/");
    expect(warnings.results).toMatchObject([{ type: "message_size_too_large", count: 2 }]);
  }

  const rebuilt = await runCommand(["rebuild", "--data", data, "--memory", "128"]);
  expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining("6 events") });

  await using server = await startServer({ data, flags: FLAGS });
  await server.stored(6);
  expect(await inputsIn(server)).toEqual(inputs);
  const asked = await fetch(`${server.url}/api/environments/1/persons/bulk_delete/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ distinct_ids: ["bob"], delete_events: true }),
  });
  expect(await asked.json()).toMatchObject({ events_queued_for_deletion: 1 });
  expect(await runCommand(["deletions", "run", "--data", data])).toMatchObject({ code: 0 });
  expect(await inputsIn(server)).toEqual(inputs.filter((one) => !one.startsWith("marker-6")));
  expect(await server.stop()).toBe(0);
  expect(await findPlanted(data, ["marker-6", "6é 6é 6é"])).toEqual({});
});
