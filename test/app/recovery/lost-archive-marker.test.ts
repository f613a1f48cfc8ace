import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileOfPath } from "../../../src/stores/archive/names.ts";
import { metricValue, scrape } from "../../support/answers/prometheus.ts";
import { clockBefore, eventOf, type Sent, sendStored } from "../../support/data/senders.ts";
import { type Everything, everything } from "../../support/disk/project-contents.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { preparedData } from "../../support/start/prepared-data.ts";
import { runCommand } from "../../support/start/process.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { PERSONAL_KEY, startServer } from "../../support/start/server.ts";

const FLAGS = ["--journal", "4"];

/** Events of each round, which ends once they are archived; a segment of the journal has about 800. */
const ROUNDS = [600, 600, 100, 100];
const EVENTS = ROUNDS.reduce((sum, count) => sum + count, 0);

let root = temporaryDirectory();
let data = "";

beforeEach(() => {
  root = temporaryDirectory();
  data = join(root.path, "data");
});

afterEach(() => root[Symbol.dispose]());

const marker = (of = data): { last: number; rows: number | null } =>
  JSON.parse(readFileSync(join(of, "archive", "archive.json"), "utf8"));

/** The files of the archive, by their first number. */
const files = () =>
  readdirSync(join(data, "archive", "events"), { recursive: true, encoding: "utf8" })
    .flatMap((path) => fileOfPath(`events/${path}`) ?? [])
    .toSorted((a, b) => a.first - b.first);

/** A server whose journal had some of the archived events. */
const archived = preparedData(async (data) => {
  await using server = await startServer({ data, flags: FLAGS });
  const clock = clockBefore(Date.now());
  const sent: Sent[] = [];
  for (const count of ROUNDS) {
    const events = Array.from({ length: count }, (_, n) => {
      const properties = { n, text: "x".repeat(1000), $set: { n } };
      return eventOf({ distinct_id: `person-${n % 7}`, timestamp: clock(), properties });
    });
    const last = sent.length + count;
    const again = last < EVENTS ? [] : sent.slice(-50);
    // Sent again: the journal has both, the stores one.
    await sendStored(server, [...again, ...events]);
    sent.push(...events);
    while (marker(data).last < last + again.length) await Bun.sleep(50);
  }
  const held = await everything(server);
  expect(held.events.length).toBe(EVENTS);
  expect(await server.stop()).toBe(0);
  return held;
});

const removeEvents = () => rmSync(join(data, "events"), { recursive: true });

/** Removes the marker, and the files in which the journal begins; returns the numbers that only these had. */
function withoutMarker(): { first: number; last: number } {
  const segments = readdirSync(join(data, "journal")).filter((name) => /^\d+\.journal$/.test(name));
  const journal = Number.parseInt(segments.toSorted()[0] ?? "", 10);
  const all = files();
  const [one, two, ...others] = all.slice(all.findLastIndex(({ first }) => first < journal));
  if (one === undefined || two === undefined) throw new Error("too few files");
  // The remaining files go further than the removed ones.
  expect([others.length > 0, two.last >= journal]).toEqual([true, true]);
  for (const { path } of [one, two]) rmSync(join(data, "archive", path));
  rmSync(join(data, "archive", "archive.json"));
  return { first: one.first, last: Math.min(two.last, journal - 1) };
}

/** Starts a server; returns its rows, the counts of lost ones, and whether the log calls the loss unknown. */
async function start() {
  await using server = await startServer({ data, flags: FLAGS });
  const found = await everything(server);
  while (marker().rows === null) await Bun.sleep(50);
  const metrics = await scrape(server);
  const lost = ["hoglet_journal_events_lost_total", "hoglet_archive_rows_lost"].map((name) =>
    metricValue(metrics, name),
  );
  expect(await server.stop()).toBe(0);
  return { found, lost, isUnknown: server.output().err.includes("is unknown") };
}

test("rows of files that are gone with the marker come from the journal, and the log says that the rest is unknown", async () => {
  const held = await archived(data);
  removeEvents();
  const { first, last } = withoutMarker();
  const events = held.events.filter((_, at) => EVENTS - at < first || EVENTS - at > last);
  const kept = { ...held, events };

  expect(await start()).toEqual({ found: kept, lost: [0, 0], isUnknown: true });
  // The rows from the journal are archived now.
  removeEvents();
  rmSync(join(data, "journal"), { recursive: true });
  expect(await start()).toEqual({ found: kept, lost: [0, 0], isUnknown: false });
});

test("a rebuild says that the loss is unknown", async () => {
  await archived(data);
  removeEvents();
  const { first, last } = withoutMarker();

  const { code, out, err } = await runCommand(["rebuild", "--data", data, ...FLAGS]);

  const left = EVENTS - (last - first + 1);
  expect([code, out]).toEqual([0, expect.stringContaining(`${left} events, 0 log records`)]);
  expect(err).toContain("is unknown");
});

test("deleted events do not come back from the journal", async () => {
  const held = await archived(data);
  {
    await using server = await startServer({ data, flags: FLAGS });
    const { results } = await server.get<{ results: { id: number }[] }>(
      "/persons/?distinct_id=person-3",
    );
    const person = `${server.url}/api/environments/1/persons/${results[0]?.id}/`;
    const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
    const answer = await fetch(`${person}?delete_events=true`, { method: "DELETE", headers });
    expect(answer.status).toBe(204);
    expect(await server.stop()).toBe(0);
  }
  const deleted = await runCommand(["deletions", "run", "--data", data, ...FLAGS]);
  removeEvents();
  rmSync(join(data, "archive", "archive.json"));

  const { found } = await start();

  expect(deleted.code).toBe(0);
  expect(found.events).toEqual(held.events.filter(({ distinct_id }) => distinct_id !== "person-3"));
});

/** Puts the marker of another directory in the place of ours. */
function putForeign(last: number): void {
  const foreign = { version: 1, last, rows: 77, rows_lost: 0 };
  writeFileSync(join(data, "archive", "archive.json"), JSON.stringify(foreign));
}

const FOREIGN: [isGone: boolean, last: number][] = [
  [true, EVENTS * 2],
  [false, 77],
  [false, EVENTS * 2],
  [true, 77],
];

test.each(casesOf(FOREIGN.slice(0, 2), FOREIGN))(
  "with the event store gone %p, the marker of another directory that says %d is not used",
  async (isGone, last) => {
    const held = await archived(data);
    if (isGone) removeEvents();
    const before = files();
    putForeign(last);

    expect(await start()).toEqual({ found: held, lost: [0, 0], isUnknown: isGone });
    expect(files()).toEqual(before);
  },
);

test.each([true, false])(
  "with the event store gone %p, nothing is lost by a marker that is above a journal with all events",
  async (isGone) => {
    const clock = clockBefore(Date.now());
    let before: Everything;
    {
      await using server = await startServer({ data });
      const events = Array.from({ length: 100 }, () =>
        eventOf({ distinct_id: "person", timestamp: clock(), properties: {} }),
      );
      await sendStored(server, events);
      before = await everything(server);
      expect(await server.stop()).toBe(0);
    }
    if (isGone) removeEvents();
    putForeign(3000);

    expect(await start()).toEqual({ found: before, lost: [0, 0], isUnknown: false });
  },
);
