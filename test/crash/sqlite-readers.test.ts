import { expect, test } from "bun:test";
import { join } from "node:path";
import { batch, event } from "../support/data/build-records.ts";
import { findPlanted } from "../support/disk/bytes-on-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { runCommand } from "../support/start/process.ts";
import { PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

/** Opens a read of the person store, and keeps it open until its input ends. */
const READER = `
  const { Database } = require("bun:sqlite");
  const sqlite = new Database(process.argv[1], { readonly: true });
  sqlite.run("BEGIN");
  sqlite.query("SELECT count(*) FROM person").get();
  console.log("reads");
  await Bun.stdin.text();
  // Named once more, so that it is not collected before.
  sqlite.close();
`;

/** Another process that reads the person store. */
async function startReader(data: string) {
  const child = Bun.spawn([process.execPath, "-e", READER, join(data, "hoglet.sqlite")], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("reads\n");
  return child;
}

const change = (server: Server, method: string, path: string, body: object) =>
  fetch(`${server.url}/api/environments/1${path}`, {
    method,
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

type Deletion = { status: string; error: string | null; attempts: number };

const newest = async (server: Server) =>
  (await server.get<{ results: Deletion[] }>("/persons/deletion_status/")).results[0];

test.each(["leaves", "is killed", "stays while the server is killed"])(
  "a deletion waits for another process that reads hoglet.sqlite, and all else goes on: it %s",
  async (end) => {
    using directory = temporaryDirectory();
    const data = directory.path;
    await using first = await startServer({ data });
    const text = `planted-${crypto.randomUUID()}`;
    await first.capture(
      batch(event({ properties: { text, $set: { text } } }), event({ distinct_id: "bob" })),
    );
    await first.stored(2);
    const asked = { distinct_ids: ["ann"], delete_events: true };
    expect((await change(first, "POST", "/persons/bulk_delete/", asked)).status).toBe(202);
    const reader = await startReader(data);

    let ended = false;
    const running = runCommand(["deletions", "run", "--data", data]).finally(() => {
      ended = true;
    });
    while (!first.output().err.includes('"step":"scrub"')) await Bun.sleep(1);
    // Batches, changes of persons and reads are served while the deletion waits.
    let sent = 0;
    do {
      sent += 1;
      const distinct_id = `user-${sent}`;
      expect((await first.capture(batch(event({ distinct_id })))).status).toBe(200);
      await first.stored(1 + sent);
      const { results } = await first.get<{ results: { id: number }[] }>(
        `/persons/?distinct_id=${distinct_id}`,
      );
      const path = `/persons/${results[0]?.id}/`;
      expect((await change(first, "PATCH", path, { properties: { sent } })).status).toBe(200);
      expect((await fetch(`${first.url}/_readiness`)).status).toBe(200);
    } while (!ended);
    expect(await running).toMatchObject({ code: 1, err: expect.stringContaining("readers:") });
    expect(await newest(first)).toMatchObject({
      ...{ status: "pending", error: expect.stringContaining("readers:"), attempts: 0 },
    });

    if (end === "stays while the server is killed") {
      first.signal("SIGKILL");
      await first.exited;
    }
    const server = end.includes("server") ? await startServer({ data }) : first;
    await using _stopped = server;
    if (end === "is killed") reader.kill("SIGKILL");
    else reader.stdin.end();
    await reader.exited;
    while ((await newest(server))?.status !== "completed") await Bun.sleep(20);
    await server.stored(1 + sent);
    expect(await newest(server)).toMatchObject({ error: null, counts: { events: 1 } });
    expect(await findPlanted(data, [text])).toEqual({});
  },
);
