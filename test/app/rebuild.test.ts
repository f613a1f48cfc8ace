import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { EXIT_INTERNAL } from "../../src/app/threads/start.ts";
import { fileOfPath } from "../../src/stores/archive/names.ts";
import { metricValue, scrape } from "../support/answers/prometheus.ts";
import { logsBody, type StoredLog, storedLogs } from "../support/data/logs.ts";
import { clockBefore, eventOf, type Sent, sendStored } from "../support/data/senders.ts";
import { flipBit, overwrite } from "../support/disk/damage.ts";
import { type Everything, everything, expectProjected } from "../support/disk/project-contents.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { executable } from "../support/start/executable.ts";
import { preparedData } from "../support/start/prepared-data.ts";
import { environment, runCommand, start } from "../support/start/process.ts";
import { casesOf } from "../support/start/rounds.ts";
import {
  filesBelow,
  PERSONAL_KEY,
  PROJECT_KEY,
  type Server,
  startServer,
} from "../support/start/server.ts";

/** All that a server holds, and what it answers to questions about it. */
type Held = Everything & { logs: StoredLog[]; answers: unknown[] };

/** A journal so small that it is archived at once. */
const SMALL = ["--journal", "1"];

/** Text that makes an event so large that a few hundred fill such a journal. */
const PADDING = "padding ".repeat(512);

let root = temporaryDirectory();
let data = "";

beforeEach(() => {
  root = temporaryDirectory();
  data = join(root.path, "data");
});

afterEach(() => root[Symbol.dispose]());

/** Copies the directory of a server that has archived most of its events; returns what it held. */
const sent = () => withArchive(data);
const withArchive = preparedData((into) => made(into, SMALL));

const OFF = ["--archive", "off", "--journal", "1"];
const withoutArchive = preparedData((into) => made(into, OFF));

const clock = clockBefore(Date.now());

/** Events of a few persons, some of them without one. */
function events(count: number, n = 0): Sent[] {
  return Array.from({ length: count }, (_, at) => {
    const properties =
      at % 10 === 0
        ? { $process_person_profile: false, padding: PADDING }
        : { padding: PADDING, $browser: "Firefox", $set: { n: n + at } };
    const distinct_id = `person-${at % 7}`;
    return eventOf({ event: `step ${at % 3}`, distinct_id, timestamp: clock(), properties });
  });
}

async function change(server: Server, method: string, path: string, body: unknown) {
  const { status } = await fetch(`${server.url}/api/environments/1${path}`, {
    method,
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(status).toBeLessThan(300);
}

/** Last number and files of the archive, once it has events up to a number. */
async function archived(last: number, of = data) {
  const marker = join(of, "archive", "archive.json");
  while (!(JSON.parse(readFileSync(marker, "utf8")).last >= last)) await Bun.sleep(50);
  const paths = filesBelow(join(of, "archive")).map((path) => path.split("/archive/")[1] ?? "");
  const files = paths
    .flatMap((path) => fileOfPath(path) ?? [])
    .toSorted((a, b) => a.first - b.first);
  return { last: JSON.parse(readFileSync(marker, "utf8")).last as number, files };
}

/** Counts the rows of the archive in a DuckDB without Hoglet, by the layout of src/docs/archive.md. */
async function stockCounts() {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const files = (kind: string) => `'${join(data, "archive", kind)}/1/*/*.parquet'`;
  const found = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER AS rows, max(seq)::INTEGER AS last FROM (
       SELECT seq, uuid, ingested_at FROM ${files("events")}
       WHERE project_id = 1 AND person_id IS NOT NULL AND (properties ->> '$.padding') IS NOT NULL
         OR event = '$create_alias'
       UNION ALL SELECT seq, uuid, ingested_at FROM ${files("logs")})`,
  );
  connection.closeSync();
  instance.closeSync();
  return found.getRowObjects()[0];
}

const segments = () => readdirSync(join(data, "journal")).filter((name) => /journal$/.test(name));

const FIRST_SEGMENT = `${"1".padStart(16, "0")}.journal`;

const eventFile = () => join(data, "events", "1.duckdb");

/** Has a server take events, log records and changes of persons; what it held when it was stopped. */
async function made(into: string, flags: string[]): Promise<Held> {
  await using server = await startServer({ data: into, flags });
  await sendLogs(server);
  await sendStored(server, events(600));
  await sendStored(server, [alias("person-1", "person-2"), alias("person-4", "person-5")]);
  if (flags === SMALL) await archived(600, into);
  // These contradict the archived events, as earlier merges do.
  const stays = { main_distinct_id: "person-5" };
  await change(server, "POST", `/persons/${await personOf(server, "person-4")}/split/`, stays);
  const deleted = { distinct_ids: ["person-1", "person-3"] };
  await change(server, "POST", "/persons/bulk_delete/", deleted);
  await sendLogs(server);
  // Events after the log records: once they are stored, the log records are.
  await sendStored(server, [alias("person-6", "person-0"), ...events(20, 1000)]);
  const held = { ...(await everything(server)), answers: await answers(server) };
  expect(await server.stop()).toBe(0);
  return { ...held, logs: await storedLogs(into) };
}

/** Answers to questions about events, persons and log records. */
async function answers(server: Server): Promise<unknown[]> {
  const ask = async (path: string, query: object) => {
    const answer = await fetch(`${server.url}/api/environments/1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${PERSONAL_KEY}`,
        "content-type": "application/json",
        prefer: "return=representation",
      },
      body: JSON.stringify({ query }),
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { results: unknown }).results;
  };
  const series = [{ event: "step 1" }, { event: "step 1", math: "dau" }];
  const trends = { kind: "TrendsQuery", series, dateRange: { date_from: "2000-01-01" } };
  const breakdownFilter = { breakdown: "$browser", breakdown_type: "event" };
  const filter = encodeURIComponent('[{"key":"n","value":100,"operator":"gt","type":"person"}]');
  return [
    await ask("max_tools/create_and_query_insight/", { ...trends, interval: "month" }),
    await ask("max_tools/create_and_query_insight/", {
      ...{ ...trends, interval: "month", breakdownFilter },
    }),
    await ask("logs/query/", { dateRange: { date_from: "-7d" } }),
    await server.get(`/persons/?properties=${filter}`),
    await server.get("/property_definitions/"),
  ].map((answer) => JSON.parse(JSON.stringify(answer).replaceAll(server.url, "")));
}

function alias(distinct_id: string, other: string): Sent {
  const properties = { distinct_id, alias: other };
  return eventOf({ event: "$create_alias", distinct_id, timestamp: clock(), properties });
}

async function personOf(server: Server, distinct_id: string): Promise<number> {
  const path = `/persons/?distinct_id=${distinct_id}`;
  const { results } = await server.get<{ results: { id: number }[] }>(path);
  return results[0]?.id ?? 0;
}

async function sendLogs(server: Server): Promise<void> {
  const { status } = await server.capture(
    logsBody([{ body: { stringValue: "one" } }, { body: { stringValue: "two" } }]),
    `/i/v1/logs?token=${PROJECT_KEY}`,
  );
  expect(status).toBe(200);
}

/** Checks that a server started now holds what one held before. */
async function expectSame(before: Held): Promise<void> {
  await using server = await startServer({ data, flags: SMALL });
  const { events: found, persons } = await everything(server);
  expect(found.length).toBe(before.events.length);
  expect(Bun.deepEquals(found, before.events)).toBe(true);
  expect(persons).toEqual(before.persons);
  expect(await answers(server)).toEqual(before.answers);
  expect(await server.stop()).toBe(0);
  await expectProjected(data, before);
  expect(await storedLogs(data)).toEqual(before.logs);
}

describe("the archive", () => {
  test("has each event that leaves the journal once", async () => {
    const before = await sent();

    const { files } = await archived(1);
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    expect(await stockCounts()).toEqual({ rows, last: (await archived(1)).last });
    expect(segments().length).toBeLessThan(6);
    expect(segments()).not.toContain(FIRST_SEGMENT);
    rmSync(join(data, "events"), { recursive: true });
    await expectSame(before);
  });

  test("that is gone is logged, and written again from the event store", async () => {
    const before = await sent();
    rmSync(join(data, "archive"), { recursive: true });
    {
      await using server = await startServer({ data, flags: SMALL });
      expect(server.output().err).toContain("the archive is empty");
      await sendStored(server, events(300, 5000));
      await archived(900);
      expect(await server.stop()).toBe(0);
    }
    const { files } = await archived(900);
    const first = Math.min(...files.map((file) => file.first));
    expect(first).toBe(1);
    const held = files.reduce((sum, { rows }) => sum + rows, 0);
    expect(held).toBeGreaterThanOrEqual(before.events.length);
    await using again = await startServer({ data, flags: SMALL });
    expect(again.output().err).not.toContain("the archive is empty");
  });

  test("is there when it is asked for later, whole", async () => {
    await withoutArchive(data);
    expect(existsSync(join(data, "archive", "archive.json"))).toBe(false);
    let held: Everything & Pick<Held, "answers">;
    {
      await using server = await startServer({ data, flags: SMALL });
      // Rows of the event store alone are archived once the journal is large enough.
      await sendStored(server, events(300, 5000));
      await archived(900);
      held = { ...(await everything(server)), answers: await answers(server) };
      expect(await server.stop()).toBe(0);
    }
    const logs = await storedLogs(data);
    rmSync(join(data, "events"), { recursive: true });
    await expectSame({ ...held, logs });
  });
});

describe("an event store that is damaged", () => {
  const damages: [string, () => void][] = [
    ["is no file of DuckDB", () => writeFileSync(eventFile(), "nonsense")],
    ["is empty", () => writeFileSync(eventFile(), "")],
    ["has lost its end", () => truncateSync(eventFile(), statSync(eventFile()).size >> 1)],
    ["has lost its beginning", () => overwrite(eventFile(), 0, Buffer.alloc(12_288))],
  ];

  test.each(casesOf(damages.slice(0, 2), damages))(
    "is replaced by a rebuilt one: it %s",
    async (_what, damage) => {
      const before = await sent();
      damage();
      const bad = readFileSync(eventFile());

      // Damage that shows only in use ends the process; a supervisor starts another.
      await using server = start(data);
      await Promise.race([server.exited, readyOrEnded(server)]);
      server.signal("SIGKILL");
      await server.exited;

      await expectSame(before);
      const moved = readdirSync(join(data, "events")).filter((name) =>
        /damaged-\d{8}T\d{6}Z$/.test(name),
      );
      expect(moved.length).toBe(1);
      expect(readFileSync(join(data, "events", moved[0] ?? "")).equals(bad)).toBe(true);
    },
  );

  test("stays as it is, and the start is refused, where nothing else has its events", async () => {
    await withoutArchive(data);
    {
      await using server = await startServer({ data, flags: OFF });
      while (segments().includes(FIRST_SEGMENT)) await Bun.sleep(50);
      expect(await server.stop()).toBe(0);
    }
    writeFileSync(eventFile(), "nonsense");

    const refused = await runCommand(["serve", "--port", "0", "--data", data]);
    const rebuilt = await runCommand(["rebuild", "--data", data]);

    for (const { code, err } of [refused, rebuilt]) {
      expect([code, err]).toEqual([
        1,
        expect.stringContaining("lacks events, and the journal does not have them"),
      ]);
    }
    expect(readFileSync(eventFile(), "utf8")).toBe("nonsense");
  });
});

test("a start with persons older than the archive is refused, and the way on that it names loses no file", async () => {
  {
    await using server = await startServer({ data, flags: SMALL });
    await sendStored(server, events(20));
    expect(await server.stop()).toBe(0);
  }
  const older = join(root.path, "older.sqlite");
  cpSync(join(data, "hoglet.sqlite"), older);
  {
    await using server = await startServer({ data, flags: SMALL });
    await sendStored(server, events(600));
    await archived(600);
    expect(await server.stop()).toBe(0);
  }
  for (const end of ["-wal", "-shm"]) rmSync(join(data, `hoglet.sqlite${end}`), { force: true });
  cpSync(older, join(data, "hoglet.sqlite"));

  for (const command of [["serve", "--port", "0"], ["rebuild"]]) {
    const { code, err } = await runCommand([...command, "--data", data]);
    expect(code).toBe(1);
    expect(err).toMatch(/older than the event store .* Or start with another --data and the same/);
  }

  await using other = await startServer({ data: join(root.path, "other") });
  await sendStored(other, events(3));
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`ATTACH '${eventFile()}' AS store (READ_ONLY)`);
  const stock = await connection.runAndReadAll(
    `SELECT (SELECT count(*) FROM store.events WHERE project_id > 0)::INTEGER,
       (SELECT count(*) FROM '${join(data, "archive", "events")}/1/*/*.parquet') >= 600`,
  );
  expect(stock.getRows()).toEqual([[620, true]]);
  connection.closeSync();
  instance.closeSync();
});

const REPAIRED = "repaired a file of the archive from the event store";

describe("an archive of which a file is damaged", () => {
  /** A file of events, and what it is a part of. */
  const damagedFile = async () => {
    const { files } = await archived(1);
    const file = files.find(({ path }) => path.startsWith("events/"));
    if (file === undefined) throw new Error("Nothing is archived");
    return { ...file, whole: join(data, "archive", file.path) };
  };

  test.each(["is gone", "has a wrong bit"])(
    "loses only rows that no other store has, and logs it: it %s",
    async (what) => {
      const before = await sent();
      const { path, rows, whole } = await damagedFile();
      if (what === "is gone") rmSync(whole);
      else flipBit(whole);
      rmSync(join(data, "events"), { recursive: true });

      for (const isFirst of [true, false]) {
        await using server = await startServer({ data, flags: SMALL });
        const { events: found, persons } = await everything(server);
        const lost = before.events.length - found.length;
        expect(lost).toBeGreaterThan(0);
        expect(lost).toBeLessThanOrEqual(rows);
        expect(found).toEqual(before.events.slice(0, -lost));
        expect(persons).toEqual(before.persons);
        const metric = "hoglet_archive_rows_lost";
        while (metricValue(await scrape(server), metric) !== lost) await Bun.sleep(20);
        const report = what === "is gone" ? "files of the archive are missing" : path;
        expect(server.output().err.includes(report)).toBe(isFirst);
        expect(await server.stop()).toBe(0);
      }
      expect(existsSync(`${whole}.damaged`)).toBe(what !== "is gone");
      expect(await storedLogs(data)).toEqual(before.logs);
    },
  );

  test("is whole again after a start with the event store if a file is gone", async () => {
    const before = await sent();
    rmSync((await damagedFile()).whole);
    {
      await using server = await startServer({ data, flags: SMALL });
      while (!server.output().err.includes(REPAIRED)) await Bun.sleep(20);
      expect(await server.stop()).toBe(0);
    }
    rmSync(join(data, "events"), { recursive: true });

    await using server = await startServer({ data, flags: SMALL });

    expect((await everything(server)).events).toEqual(before.events);
    expect(metricValue(await scrape(server), "hoglet_archive_rows_lost")).toBe(0);
  });

  test("is repaired later if only its checksum shows the damage", async () => {
    const before = await sent();
    const { files } = await archived(1);
    // Whichever has its turn.
    for (const { path } of files) flipBit(join(data, "archive", path));
    await using server = await startServer({ data, flags: SMALL });
    const mended = async () =>
      metricValue(await scrape(server), "hoglet_archive_repaired_files_total");

    while ((await mended()) === 0) await Bun.sleep(50);

    expect(await mended()).toBe(1);
    expect(server.output().err).toContain(REPAIRED);
    expect((await everything(server)).events).toEqual(before.events);
  });

  test.each(["has a wrong bit", "is gone"])(
    "is what a rebuild refuses, with a way on that leads there: it %s",
    async (what) => {
      const before = await sent();
      const { path, rows, whole } = await damagedFile();
      if (what === "is gone") rmSync(whole);
      else flipBit(whole);

      const refused = await runCommand(["rebuild", "--data", data]);

      const way = "Start hoglet serve: it repairs the archive from the event store";
      const sentences: Record<string, string> = {
        "has a wrong bit":
          `The event store could not be rebuilt: ${path} of the archive is damaged. ${way}; then ` +
          `rebuild. Or move ${join(data, "events")} away and rebuild without the ${rows} rows.\n`,
        "is gone":
          `Files of the archive, or its marker archive.json, are missing. ${way}, which is whole; then ` +
          `rebuild. Or move ${eventFile()} away and rebuild from the archive as it is.\n`,
      };
      expect([refused.code, refused.err]).toEqual([1, sentences[what] ?? ""]);
      expect(readdirSync(join(data, "events"))).toEqual(["1.duckdb"]);
      {
        await using server = await startServer({ data, flags: SMALL });
        while (!server.output().err.includes(REPAIRED)) await Bun.sleep(20);
        expect(await server.stop()).toBe(0);
      }
      const done = await runCommand(["rebuild", "--data", data]);
      expect([done.code, done.err]).toEqual([0, ""]);
      await expectSame(before);
    },
  );

  test("is rebuilt from without it only where there is no event store to go back to", async () => {
    await sent();
    const { rows, whole } = await damagedFile();
    truncateSync(whole, 1000);

    const refused = await runCommand(["rebuild", "--data", data]);
    rmSync(join(data, "events"), { recursive: true });
    const done = await runCommand(["rebuild", "--data", data]);

    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/could not be rebuilt: .* of the archive is damaged/),
    ]);
    expect([done.code, done.err]).toEqual([0, expect.stringContaining(`rows=${rows}`)]);
  });
});

test("without an archive a rebuild takes events that have left the journal from the file that it replaces", async () => {
  const before = await withoutArchive(data);
  {
    await using server = await startServer({ data, flags: OFF });
    const person = await personOf(server, "person-6");
    await change(server, "POST", `/persons/${person}/delete_events/`, {});
    // A deletion empties the journal.
    expect(await runCommand(["deletions", "run", "--data", data])).toMatchObject({ code: 0 });
    expect(await server.stop()).toBe(0);
  }

  const { code, out, err } = await runCommand(["rebuild", "--data", data, ...OFF]);

  const gone = before.persons.find(({ distinct_ids }) => distinct_ids.includes("person-6"));
  const kept = before.events.filter(({ distinct_id }) => !gone?.distinct_ids.includes(distinct_id));
  expect([code, out, err]).toEqual([
    0,
    expect.stringContaining(`${kept.length} events, 4 log records.`),
    "",
  ]);
  await using server = await startServer({ data, flags: OFF });
  const after = await everything(server);
  expect(after).toEqual({ events: kept, persons: before.persons });
});

test("damage that shows in use is noted for the file that deletions have written", async () => {
  const before = await sent();
  {
    await using server = await startServer({ data, flags: SMALL });
    const person = await personOf(server, "person-6");
    await change(server, "POST", `/persons/${person}/delete_events/`, {});
    expect(await runCommand(["deletions", "run", "--data", data])).toMatchObject({ code: 0 });
    const file = join(data, "events", "2.duckdb");
    overwrite(file, 12_288, Buffer.alloc(statSync(file).size - 12_288, 7));
    const series = [{ event: "step 1", math: "dau" }];
    const body = { query: { kind: "TrendsQuery", series } };
    await change(server, "POST", "/max_tools/create_and_query_insight/", body).catch(() => {});
    expect(await server.exited).toBe(EXIT_INTERNAL);
    expect(readdirSync(join(data, "events"))).toContain("2.duckdb.damaged");
  }
  await using server = await startServer({ data, flags: SMALL });
  const gone = before.persons.find(({ distinct_ids }) => distinct_ids.includes("person-6"));
  const kept = before.events.filter(({ distinct_id }) => !gone?.distinct_ids.includes(distinct_id));
  expect((await everything(server)).events).toEqual(kept);
});

describe("hoglet rebuild", () => {
  test("rebuilds the event store with equal counts and lists, and shows its progress", async () => {
    const before = await sent();

    const { code, out, err } = await runCommand(["rebuild", "--data", data]);

    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("100 % archive: ");
    expect(out).toEndWith(
      `The event store is rebuilt: ${before.events.length} events, 4 log records.\n`,
    );
    expect(readdirSync(join(data, "events"))).toEqual(["1.duckdb"]);
    await expectSame(before);
  });

  test("moves one bar on a terminal, from nothing to all", async () => {
    await sent();
    let shown = "";
    const child = Bun.spawn([executable(), "rebuild", "--data", data], {
      env: environment(),
      terminal: {
        cols: 100,
        rows: 30,
        data(_, bytes) {
          shown += new TextDecoder().decode(bytes);
        },
      },
    });
    expect(await child.exited).toBe(0);
    while (!shown.includes("log records.")) await Bun.sleep(10);
    child.terminal?.close();

    const [moved = "", ...lines] = shown.trimEnd().split("\r\n");
    expect(lines).toEqual([expect.stringMatching(/^The event store is rebuilt: \d+ events, /)]);
    // Each is drawn over the one before.
    const drawn = moved.split("\r\x1b[K").slice(1);
    const bars = drawn.map((text) =>
      /^\[(#*)(\.*)\] (\d+) % (archive|journal): (\d+) of (\d+)$/.exec(text)?.slice(1),
    );
    for (const [done = "", rest = "", percent] of bars.map((bar) => bar ?? [])) {
      expect(done.length + rest.length).toBe(30);
      expect(done.length).toBe(Math.round((Number(percent) * 30) / 100));
    }
    const last = (from: string) => bars.findLast((bar) => bar?.[3] === from);
    for (const from of ["archive", "journal"]) {
      expect(last(from)?.slice(0, 3)).toEqual(["#".repeat(30), "", "100"]);
    }
    expect(bars.filter((bar) => bar?.[3] === "archive").length).toBeGreaterThan(1);
  });

  test("is refused while a server runs", async () => {
    await using server = await startServer({ data });

    const { code, err } = await runCommand(["rebuild", "--data", server.data]);

    expect([code, err]).toEqual([4, expect.stringContaining("Another hoglet is using")]);
  });

  test("that is killed at any instant is started again by the next start", async () => {
    const before = await sent();
    for (const ms of casesOf([450], [250, 350, 450, 600])) {
      const child = Bun.spawn([executable(), "rebuild", "--data", data], {
        env: environment(),
        stdout: "ignore",
        stderr: "ignore",
      });
      await Bun.sleep(ms);
      child.kill("SIGKILL");
      await child.exited;
    }

    await expectSame(before);
    await using server = await startServer({ data });
    expect(
      readdirSync(join(server.data, "events")).filter((name) => !/duckdb(.wal)?$/.test(name)),
    ).toEqual([]);
  });
});

test("a server killed at random instants while it archives keeps each event, once", async () => {
  const all: Sent[] = [];
  for (const ms of [100, 400, 700]) {
    await using server = await startServer({ data, flags: SMALL });
    const more = events(300, ms);
    all.push(...more);
    await sendStored(server, more);
    // A journal over its bound is archived half a second after the start.
    await Bun.sleep(ms);
    if (ms === 700) await archived(500);
    server.signal("SIGKILL");
    await server.exited;
  }
  rmSync(join(data, "events"), { recursive: true });

  await using server = await startServer({ data, flags: SMALL });

  const { events: found } = await everything(server);
  expect(found.map(({ uuid }) => uuid)).toEqual(all.map(({ uuid }) => uuid).reverse());
});

test("a corrupt hoglet.sqlite stops the start with a sentence that says how to recover it", async () => {
  await sent();
  const path = join(data, "hoglet.sqlite");
  overwrite(path, 4096, Buffer.alloc(40_960, 7));

  const { code, out, err } = await runCommand(["serve", "--port", "0", "--data", data]);

  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(path);
  expect(err).toContain(`sqlite3 ${path} .recover`);
});

/** Waits until a server that was started is ready. */
async function readyOrEnded(server: ReturnType<typeof start>): Promise<void> {
  const url = await server.listening;
  while (url !== undefined && !(await fetch(`${url}/_readiness`).catch(() => undefined))?.ok) {
    if ((await Promise.race([server.exited, Bun.sleep(20)])) !== undefined) return;
  }
}

test("a damaged lock.db stops the start with a sentence that says what to do", async () => {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, "lock.db"), Buffer.alloc(5000, 7));

  const { code, err } = await runCommand(["serve", "--port", "0", "--data", directory.path]);

  expect([code, err]).toEqual([1, expect.stringMatching(/lock\.db cannot be opened: .*Remove it/)]);
});
