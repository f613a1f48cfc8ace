import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { rowsFor } from "../../src/stores/loads/event-lines.ts";
import { batch, event } from "../support/data/build-records.ts";
import { findPlanted } from "../support/disk/bytes-on-disk.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { TEST_MS_MAX } from "../support/start/patience.ts";
import { runCommand } from "../support/start/process.ts";
import { repeatable, rounds, seedOf } from "../support/start/rounds.ts";
import { PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

const SEED = seedOf();

/** How often a server is killed while it erases visitors. */
const KILLS = rounds(2, 60);

/** A kill comes so long after the deletions were started, in milliseconds, and less. */
const LATER_MS_MAX = 1500;

/** Events of others, so that writing the file anew takes a while. */
const OTHERS = rounds(5000, 20_000);

/** Characters of a large event, which has padding rows. */
const LARGE_CHARS = 200_000;

/** A visitor without a profile, and events of it: some are large. */
function visitor() {
  const [id, text] = [`visitor-${crypto.randomUUID()}`, `text-${crypto.randomUUID()}`];
  const properties = { text, $process_person_profile: false };
  const filling = "x".repeat(LARGE_CHARS);
  const events = [{}, { filling }, {}, { filling }].map((more) =>
    event({ distinct_id: id, properties: { ...properties, ...more } }),
  );
  return { id, planted: [id, text], events };
}

type Deletion = { status: string; counts: Record<string, number> };

const deletions = async (server: Server): Promise<Deletion[]> =>
  (await server.get<{ results: Deletion[] }>("/persons/deletion_status/?limit=1000")).results;

const isDone = async (server: Server) =>
  (await deletions(server)).every(({ status }) => status === "completed");

const countOf = async (server: Server, filter = "") =>
  (await server.get<{ count: number }>(`/events/?limit=1${filter}`)).count;

async function capture(server: Server, events: unknown[]): Promise<void> {
  expect((await server.capture(batch(...events))).status).toBe(200);
}

/** Asks for the deletion of the events of distinct ids that have no person. */
async function remove(server: Server, distinct_ids: string[]): Promise<void> {
  const url = `${server.url}/api/environments/1/persons/bulk_delete/`;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ distinct_ids, delete_events: true });
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(202);
}

/** The padding rows in the event store of a server that has stopped: all, and those whose event is gone. */
async function paddingIn(data: string): Promise<{ all: number; orphans: number }> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const [file = ""] = readdirSync(join(data, "events")).filter((name) => name.endsWith(".duckdb"));
  const instance = await DuckDBInstance.create(join(data, "events", file), {
    access_mode: "READ_ONLY",
  });
  const connection = await instance.connect();
  try {
    const found = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER AS "all", count(*) FILTER (seq NOT IN
         (SELECT seq FROM events WHERE project_id > 0))::INTEGER AS orphans
       FROM events WHERE project_id < 0`,
    );
    return found.getRowObjectsJson()[0] as { all: number; orphans: number };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test(
  "a server killed at random instants while it erases visitors without a profile keeps all others, once",
  async () => {
    const random = randomOf(SEED);
    using directory = temporaryDirectory();
    const data = directory.path;
    let server = await startServer({ data });
    await repeatable(SEED, async () => {
      let kept = 0;
      for (; kept < OTHERS; kept += 5000) {
        const others = Array.from({ length: 5000 }, (_, n) => event({ distinct_id: `user-${n}` }));
        await capture(server, others);
      }
      const staying: ReturnType<typeof visitor>[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const leaving = Array.from({ length: 1 + Math.floor(random() * 3) }, visitor);
        const stays = visitor();
        staying.push(stays);
        // In one batch, so that they are next to each other in the store.
        const events = [...leaving, stays].flatMap((one) => one.events);
        await capture(server, events);
        await server.stored(kept + events.length);
        kept += stays.events.length;
        await remove(
          server,
          leaving.map(({ id }) => id),
        );
        const running = runCommand(["deletions", "run", "--data", data]);
        await Bun.sleep(random() * LATER_MS_MAX);
        server.signal("SIGKILL");
        await Promise.all([server.exited, running]);

        server = await startServer({ data });
        // A kill before the run began leaves the deletion for a run.
        await runCommand(["deletions", "run", "--data", data]);
        while (!(await isDone(server))) await Bun.sleep(20);
        await server.stored(kept);
        const planted = leaving.flatMap((one) => one.planted);
        expect(await findPlanted(data, planted)).toEqual({});
        for (const { id } of leaving) expect(await countOf(server, `&distinct_id=${id}`)).toBe(0);
        for (const { id, events: its } of staying) {
          const uuids = (await server.events(`&distinct_id=${id}`)).map(({ uuid }) => uuid);
          expect(uuids.sort()).toEqual(its.map(({ uuid }) => uuid).sort());
        }
        expect(await countOf(server)).toBe(kept);
        expect((await deletions(server))[0]?.counts).toMatchObject({ events: 4 });
      }
      expect(await server.stop()).toBe(0);
      const { all, orphans } = await paddingIn(data);
      expect(orphans).toBe(0);
      expect(all).toBeGreaterThanOrEqual(2 * KILLS * (rowsFor(LARGE_CHARS) - 1));
    }).finally(() => server[Symbol.asyncDispose]());
  },
  TEST_MS_MAX + KILLS * 30_000,
);
