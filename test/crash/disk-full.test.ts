import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { EXIT_INTERNAL } from "../../src/app/threads/start.ts";
import { FLOOR_BYTES_MIN } from "../../src/core/ingest/backpressure.ts";
import { metricValue, scrape } from "../support/answers/prometheus.ts";
import { bodyOf, clockBefore, eventOf, type Sent, startSenders } from "../support/data/senders.ts";
import { expectKept, markerAt, settled } from "../support/disk/project-contents.ts";
import { type SmallDisk, smallDisk } from "../support/disk/small-disk.ts";
import { executable } from "../support/start/executable.ts";
import { longTest } from "../support/start/long-test.ts";
import { runCommand, type Started, start } from "../support/start/process.ts";
import { casesOf, rounds } from "../support/start/rounds.ts";
import { PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

const MB = 1_000_000;

/** Requests that are acknowledged before the disk is full. */
const SENT = rounds(30, 100);

const deleteEvents = (id: number) => `/api/environments/1/persons/${id}/delete_events/`;

/** Why a server is not ready whose journal does not fit on the disk. */
const NO_JOURNAL = "journal_refused";

/** How the last bytes go: those of the floor, or, where there is none, all. */
const FULL = [
  ["below its floor", "5", 50 * MB],
  ["to its last byte, floor or no floor", "5", 0],
  ["to its last byte without a floor", "0", 0],
] as const;

test.each(casesOf(FULL.slice(0, 1), FULL))(
  "a disk that others fill %s refuses events and loses none, and takes them when it has room again",
  async (_how, floor, leave) => {
    await using disk = await smallDisk(400 * MB);
    await using server = await serverOn(disk, ["--disk-floor", floor]);
    using senders = startSenders({ count: 6, seed: 4 });
    const some = senders.acknowledged(SENT);
    senders.open(server.url);
    await some;
    await settled(server);

    disk.fill(leave);
    const refused = await refusal(server);

    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ code: "unavailable", attr: null });
    await unready(server, floor === "0" ? NO_JOURNAL : "disk_full");
    expect((await fetch(`${server.url}/_liveness`)).status).toBe(200);
    expect((await server.get<{ count: number }>("/events/?limit=1")).count).toBeGreaterThanOrEqual(
      SENT,
    );
    expect((await server.get<{ count: number }>("/persons/?limit=1")).count).toBeGreaterThan(0);
    const metrics = await scrape(server);
    expect(metricValue(metrics, "hoglet_disk_free_min_bytes")).toBe(floor === "0" ? 0 : 2 ** 27);
    expect(metricValue(metrics, "hoglet_ready")).toBe(0);

    disk.empty();
    await senders.acknowledged(SENT);
    await senders.finish();
    await expectKept(server, senders.sent());
    expect(senders.surprises()).toEqual([]);
    while (!(await fetch(`${server.url}/_readiness`)).ok) await refusedLess(server);
    if (floor === "0") await untilLogged(server, journalLines(join(disk.path, "data/journal")));
    expect(await server.stop()).toBe(0);
  },
);

/** One line when the disk is full, however many requests are refused, and one when it has room again. */
const journalLines = (path: string) => [
  {
    ...{ level: "error", message: "the journal cannot be written: events get 503", path },
    error: expect.stringContaining("ENOSPC: no space left on device"),
  },
  { level: "info", message: "the journal is written again", path },
];

/** Waits until the log has as many lines about the journal, and expects these. */
async function untilLogged(server: Server, expected: readonly object[]) {
  const logged = () =>
    (server.output().err.match(/^.*"the journal (cannot|is).*$/gm) ?? []).map(
      (line) => JSON.parse(line) as object,
    );
  while (logged().length < expected.length) await Bun.sleep(20);
  expect(logged()).toEqual(expected.map((line) => expect.objectContaining(line)));
}

test("changes by users have 503 and Retry-After on a full disk, and count when there is room", async () => {
  await using disk = await smallDisk(400 * MB);
  await using server = await serverWithPersons(disk);
  const environment = "/api/environments/1";
  const pad = "x".repeat(3000);

  disk.fill(0);
  const refused = [
    await change(server, "PATCH", `${environment}/persons/1/`, { properties: { pad } }),
    await change(server, "DELETE", `${environment}/persons/2/?delete_events=true`),
    await change(server, "POST", `${environment}/persons/3/delete_events/`),
    await change(server, "POST", `${environment}/session_recording_playlists/`, {
      description: pad,
    }),
    await change(server, "POST", "/api/projects/", { name: "x" }),
  ];

  for (const answer of refused) {
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toMatchObject({ code: "unavailable", attr: null });
  }
  disk.empty();
  expect((await change(server, "DELETE", `${environment}/persons/2/`)).status).toBe(204);
  expect(await server.stop()).toBe(0);
});

longTest(
  "a change that the person store has room for, and the event store not, has an answer, too",
  async () => {
    await using disk = await smallDisk(400 * MB);
    await using server = await serverWithPersons(disk);
    const patch = (properties: object) =>
      change(server, "PATCH", "/api/environments/1/persons/1/", { properties });
    /** Why the first change is refused that does not fit into so many bytes. */
    const refusalWith = async (leave: number): Promise<string> => {
      disk.fill(leave);
      for (let n = 0; ; n += 1) {
        const answer = await patch({ pad: `${n}`.padEnd(3000, "x") });
        if (answer.status === 200) continue;
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
        disk.empty();
        return ((await answer.json()) as { detail: string }).detail;
      }
    };

    let leave = 110_000;
    while (!(await refusalWith(leave)).startsWith("Saved.")) leave += 4096;

    while ((await patch({ pad: "short" })).status !== 200) await Bun.sleep(50);
    const filter = encodeURIComponent('[{"key":"pad","value":"short","type":"person"}]');
    expect((await server.get<{ count: number }>(`/persons/?properties=${filter}`)).count).toBe(1);
    expect(await server.stop()).toBe(0);
  },
);

test("a server that is stopped on a full disk ends with 0, and the next one has everything", async () => {
  await using disk = await smallDisk(400 * MB);
  await using server = await serverOn(disk, []);
  using senders = startSenders({ count: 4, seed: 5 });
  const some = senders.acknowledged(SENT);
  senders.open(server.url);
  await some;

  disk.fill(0);
  expect(await server.stop()).toBe(0);
  await senders.close();
  disk.empty();
  await using again = await serverOn(disk, []);
  senders.open(again.url);
  await senders.finish();
  await expectKept(again, senders.sent());
  expect(senders.surprises()).toEqual([]);
});

test("an event store that stays broken ends the server, and the next start repairs it", async () => {
  await using disk = await smallDisk(400 * MB);
  const clock = clockBefore(Date.now());
  const sent: Sent[] = [];
  await using server = await serverOn(disk, ["--disk-floor", "0"]);
  for (const _ of [1, 2, 3]) sent.push(...(await sendLarge(server, clock)));
  // A query beside such loads finds no memory now and then.
  while (metricValue(await scrape(server), "hoglet_ingest_lag_events") !== 0) await Bun.sleep(20);
  await settled(server);

  // What is in the write-ahead log does not fit into the file any more.
  disk.fill(75 * MB);
  sent.push(...(await sendLarge(server, clock)));
  await untilGone(server);

  expect(await server.exited).toBe(EXIT_INTERNAL);
  expect(server.output().err).toContain("the event store failed; ending");
  disk.fill(0);
  {
    await using full = startOn(disk);
    const url = await full.listening;
    const { count } = await readable<{ count: number }>(url, "/events/?limit=1");
    expect(count).toBeGreaterThan(0);
    expect(await full.stop()).toBe(0);
  }
  disk.empty();
  await using again = await serverOn(disk, ["--disk-floor", "0"]);
  await expectKept(again, sent);
});

test.each(casesOf(["SIGKILL"] as const, ["SIGTERM", "SIGKILL"] as const))(
  "a start on a full disk, after a %s, serves stored events, and continues when there is space",
  async (signal) => {
    await using disk = await smallDisk(400 * MB);
    const clock = clockBefore(Date.now());
    const sent: Sent[] = [];
    const send = async (server: Server, count: number) => {
      const properties = { $set: { plan: "pro" } };
      const some = Array.from({ length: count }, () => {
        return eventOf({ distinct_id: "ann", timestamp: clock(), properties });
      });
      sent.push(...some.map((event) => ({ ...event, acknowledged: true })));
      expect((await server.capture(bodyOf(some))).status).toBe(200);
    };
    {
      await using server = await serverOn(disk, []);
      await send(server, 100);
      await server.stored(100);
      // Killed now, the stores lack what the journal has.
      await send(server, 2000);
      server.signal(signal);
      await server.exited;
    }
    disk.fill(0);

    await using full = startOn(disk);
    const url = await full.listening;

    const filter = encodeURIComponent('[{"key":"plan","value":"pro","type":"person"}]');
    const { count } = await readable<{ count: number }>(url, "/events/?limit=1");
    expect(count).toBeGreaterThan(99);
    expect(await readable(url, "/persons/")).toMatchObject({ count: 1 });
    expect(await readable(url, `/persons/?properties=${filter}`)).toMatchObject({ count: 1 });
    const refused = await fetch(`${url}/batch/`, { method: "POST", body: bodyOfOne(clock()) });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    const unready = await fetch(`${url}/_readiness`);
    expect(unready.status).toBe(503);
    const { reasons } = (await unready.json()) as { reasons: string[] };
    expect(reasons).toContain("disk_full");

    disk.empty();
    while (!(await fetch(`${url}/_readiness`)).ok) await Bun.sleep(50);
    const taken = await fetch(`${url}/batch/`, { method: "POST", body: bodyOfOne(clock()) });
    expect(taken.status).toBe(200);
    expect(await full.stop()).toBe(0);
    await using again = await serverOn(disk, []);
    await again.stored(sent.length + 1);
    await expectKept(again, sent);
  },
);

const WAITS: readonly [string, boolean][] = [
  ["for the first files there are", false],
  ["for a store that cannot be opened without it", true],
];

test.each(casesOf(WAITS.slice(0, 1), WAITS))(
  "a start waits for room %s, says so, and is one when there is some",
  async (_what, isUsed) => {
    await using disk = await smallDisk(400 * MB);
    const data = join(disk.path, "data");
    if (isUsed) {
      await using server = await serverOn(disk, []);
      expect(await server.stop()).toBe(0);
      // As from a backup.
      for (const name of ["hoglet.sqlite-shm", "hoglet.sqlite-wal"]) {
        rmSync(join(disk.outside, "data", name));
      }
    }
    disk.fill(0);

    await using server = startOn(disk);
    while (!server.output().err.includes("the start waits for space")) await Bun.sleep(20);
    const [told = "{}"] = server.output().err.split("\n");
    const { url, why } = JSON.parse(told) as { url: string; why: string };

    expect(why).toMatch(/ cannot be .*[Ff]ree space on its disk\.$/);
    for (const path of ["/batch/", "/_readiness"]) {
      const refused = await fetch(url + path);
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
      const { detail } = (await refused.json()) as { detail: string };
      expect(detail).toBe("The disk is full: the server starts when there is space.");
    }
    expect((await fetch(`${url}/_liveness`)).status).toBe(200);
    const key = await runCommand(["project", "create", "x", "--data", data], {
      command: disk.command([executable()]),
    });
    expect(key.code).not.toBe(0);
    expect(key.err).not.toContain(" at ");
    disk.empty();
    expect(await server.listening).toBe(url);
    while (!(await fetch(`${url}/_readiness`)).ok) await Bun.sleep(50);
    expect(server.output().err.match(/the start waits for space/g)).toHaveLength(1);
  },
);

test("a deletion waits for disk space with the reason, and frees the space of its events", async () => {
  await using disk = await smallDisk(400 * MB);
  const clock = clockBefore(Date.now());
  {
    await using server = await serverOn(disk, ["--archive", "off", "--journal", "1"]);
    for (const _ of [1, 2, 3]) await sendLarge(server, clock, {});
    await settled(server);
    expect(await server.stop()).toBe(0);
  }
  const flags = ["--archive", "off", "--journal", "1", "--disk-floor", "0"];
  await using server = await serverOn(disk, flags);
  const [person] = (await server.get<{ results: { id: number }[] }>("/persons/")).results;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  const path = `/api/environments/1/persons/${person?.id}/?delete_events=true`;
  expect((await fetch(server.url + path, { method: "DELETE", headers })).status).toBe(204);
  const status = async () => {
    const { results } = await server.get<{ results: object[] }>("/persons/deletion_status/");
    return results[0];
  };
  const data = join(disk.path, "data");
  const run = () =>
    runCommand(["deletions", "run", "--now", "--data", data], {
      command: disk.command([executable()]),
    });

  // What leaves the journal would give room back that was filled.
  while ((metricValue(await scrape(server), "hoglet_journal_bytes") ?? 0) > MB) await Bun.sleep(50);
  const took = statSync(join(disk.outside, "data", "events", "1.duckdb")).size;
  disk.fill(Math.floor(took / 2));
  const waiting = await run();

  expect([waiting.code, waiting.err]).toEqual([1, expect.stringContaining("disk_space")]);
  expect(await status()).toMatchObject({
    ...{ status: "pending", attempts: 0, error: expect.stringMatching(/^disk_space: /) },
  });
  const sent = [eventOf({ distinct_id: "small", timestamp: clock(), properties: {} })];
  expect((await server.capture(bodyOf(sent))).status).toBe(200);
  disk.empty();
  const before = disk.free();
  expect(await run()).toMatchObject({ code: 0, out: "1 done\n" });
  expect(await status()).toMatchObject({ status: "completed", attempts: 1, error: null });
  expect(disk.free() - before).toBeGreaterThan(took * 0.9);
  await server.stored(1, `&uuid=${sent[0]?.uuid}`);
});

longTest(
  "a deletion waits for room to write the person store anew, and says that the rest is done",
  async () => {
    await using disk = await smallDisk(400 * MB);
    await using server = await serverOn(disk, ["--disk-floor", "0"]);
    const clock = clockBefore(Date.now());
    for (let from = 0; from < 400; from += 100) {
      // Of such texts little is left where they are compressed.
      const $set = { pad: "x".repeat(100_000) };
      const some = Array.from({ length: 100 }, (_, at) =>
        eventOf({ distinct_id: `user-${from + at}`, timestamp: clock(), properties: { $set } }),
      );
      expect((await server.capture(bodyOf(some))).status).toBe(200);
    }
    await server.stored(400);
    const data = join(disk.path, "data");
    const run = () =>
      runCommand(["deletions", "run", "--data", data], { command: disk.command([executable()]) });
    const status = async () => {
      const { results } = await server.get<{ results: object[] }>("/persons/deletion_status/");
      return results[0];
    };

    // The journal goes with the first run: it would give room back that was filled.
    expect((await change(server, "POST", deleteEvents(1))).status).toBe(200);
    expect(await run()).toMatchObject({ code: 0, out: "1 done\n" });
    expect((await change(server, "POST", deleteEvents(2))).status).toBe(200);

    disk.fill(60 * MB);
    const waiting = await run();

    const error = "disk_space: too little space to rewrite the person store.";
    expect(waiting).toEqual({ code: 1, out: "", err: `${error}\n` });
    expect(await status()).toMatchObject({ status: "pending", attempts: 0, error });
    expect((await server.get<{ count: number }>("/events/?limit=1")).count).toBe(398);
    disk.empty();
    expect(await run()).toMatchObject({ code: 0, out: "1 done\n" });
    expect(await status()).toMatchObject({ counts: { events: 1 }, attempts: 1, error: null });
  },
);

test("a query may use half of the free disk above the floor, and the server runs on", async () => {
  await using disk = await smallDisk(500 * MB);
  await using server = await serverOn(disk, ["--memory", "128", "--query-seconds", "100"]);
  const clock = clockBefore(Date.now());
  const sent = Array.from({ length: 2200 }, () =>
    eventOf({ distinct_id: "a", timestamp: clock() }),
  );
  for (let at = 0; at < sent.length; at += 500) {
    expect((await server.capture(bodyOf(sent.slice(at, at + 500)))).status).toBe(200);
  }
  await server.stored(sent.length);
  // Others take space after the start.
  disk.fill(FLOOR_BYTES_MIN + 60 * MB);
  let free = disk.free();
  const watch = setInterval(() => {
    free = Math.min(free, disk.free());
  }, 5);
  const before = free;

  // As many rows as the square of the events.
  const refused = await fetch(`${server.url}/api/environments/1/query/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      query: {
        kind: "HogQLQuery",
        query: `SELECT count(*) FROM
          (SELECT DISTINCT concat(a.uuid, b.uuid) FROM events AS a, events AS b) AS pairs`,
      },
    }),
  });
  clearInterval(watch);

  expect(refused.status).toBe(400);
  const { detail } = (await refused.json()) as { detail: string };
  expect(detail).toBe(
    "The query takes too much memory. Select less, group by less, or start the server with more --memory or fewer --threads.",
  );
  // The floor is 128 MiB, which a part of the space that was free may not touch.
  expect(free).toBeGreaterThan(FLOOR_BYTES_MIN);
  expect(before - free).toBeGreaterThan(10 * MB);
  const { count } = await server.get<{ count: number }>("/events/?limit=1");
  expect(count).toBe(sent.length);
  expect(await server.stop()).toBe(0);
});

test("a disk that can only be read is refused with a sentence, and costs nothing", async () => {
  await using disk = await smallDisk(400 * MB);
  const remount = (how: "ro" | "rw") => {
    const { exitCode } = Bun.spawnSync(disk.command(["mount", "-o", `remount,${how}`, disk.path]));
    expect(exitCode).toBe(0);
  };
  const sent = [eventOf({ distinct_id: "ann", timestamp: clockBefore(Date.now())() })];
  await using first = await serverOn(disk, []);
  expect((await first.capture(bodyOf(sent))).status).toBe(200);
  first.signal("SIGKILL");
  await first.exited;
  remount("ro");

  const refused = await runCommand(serveOn(disk), { command: disk.command([executable()]) });

  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toMatch(/cannot be used \(EROFS\)\. Make it a directory .* can write/);
  remount("rw");
  await using again = await serverOn(disk, []);
  await expectKept(
    again,
    sent.map((event) => ({ ...event, acknowledged: true })),
  );
});

/** A server that has three persons. */
async function serverWithPersons(disk: SmallDisk): Promise<Server> {
  const server = await serverOn(disk, []);
  const clock = clockBefore(Date.now());
  const sent = ["ann", "bob", "eve"].map((distinct_id) =>
    eventOf({ distinct_id, timestamp: clock(), properties: { $set: { plan: "pro" } } }),
  );
  await server.capture(bodyOf(sent));
  await server.stored(3);
  return server;
}

/** A management request that changes something. */
function change({ url }: Server, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function serverOn(disk: SmallDisk, flags: string[]): Promise<Server> {
  return startServer({
    data: join(disk.path, "data"),
    command: disk.command([executable()]),
    flags,
  });
}

/** Starts a server whatever the disk is like; it may not get ready. */
function startOn(disk: SmallDisk): Started {
  return start(join(disk.path, "data"), { command: disk.command([executable()]) });
}

/** What a server answers as soon as it does: what it reads first is in its stores soon. */
async function readable<T>(url: string | undefined, path: string): Promise<T> {
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  for (;;) {
    const answer = await fetch(`${url}/api/environments/1${path}`, { headers });
    if (answer.ok) return (await answer.json()) as T;
    expect(answer.status).toBe(503);
    await Bun.sleep(50);
  }
}

function bodyOfOne(timestamp: number): string {
  return JSON.stringify(bodyOf([markerAt(timestamp)]));
}

function serveOn(disk: SmallDisk): string[] {
  return ["serve", "--port", "0", "--data", join(disk.path, "data")];
}

/** Sends events until one is refused, and returns the answer. */
async function refusal(server: Server): Promise<Response> {
  for (;;) {
    const answer = await server.capture(bodyOf([markerAt(Date.now() - 3_600_000)]));
    if (answer.status !== 200) return answer;
    await Bun.sleep(20);
  }
}

/** Sends an event that has to be taken, a moment later: it shows that there is room again. */
async function refusedLess(server: Server): Promise<void> {
  await Bun.sleep(100);
  const answer = await server.capture(bodyOf([markerAt(Date.now() - 3_600_000)]));
  expect(answer.status).toBe(200);
}

/** Waits until a server says that it is not ready, for this reason. */
async function unready(server: Server, reason: string): Promise<void> {
  for (let told: string[] = []; !told.includes(reason); await Bun.sleep(20)) {
    const answer = await fetch(`${server.url}/_readiness`);
    told = ((await answer.json()) as { reasons: string[] }).reasons;
    if (told.length > 0) expect(answer.status).toBe(503);
  }
}

/** Sends events until nobody answers. */
async function untilGone(server: Server): Promise<void> {
  for (let answer: unknown = server; answer !== undefined; await Bun.sleep(20)) {
    const body = bodyOf([markerAt(Date.now() - 3_600_000)]);
    answer = await server.capture(body).catch(() => undefined);
  }
}

/** Sends 17 MB of events that nothing compresses. */
async function sendLarge(
  server: Server,
  clock: () => number,
  fields: object = { $process_person_profile: false },
): Promise<Sent[]> {
  const events = Array.from({ length: 18 }, () => {
    const pad = randomBytes(690_000).toString("base64");
    const properties = { pad, ...fields };
    return eventOf({ distinct_id: "large", timestamp: clock(), properties });
  });
  const { status } = await server.capture(bodyOf(events));
  expect(status).toBe(200);
  return events.map((event) => ({ ...event, acknowledged: true }));
}
