import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { bodyOf, clockBefore, eventOf } from "../../support/data/senders.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { runCommand } from "../../support/start/process.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { startServer } from "../../support/start/server.ts";

/** Data directories of a server that was stopped, and of one that was killed. */
const template = temporaryDirectory();
const clock = clockBefore(Date.now());

beforeAll(async () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await using server = await startServer({ data: join(template.path, signal) });
    const events = Array.from({ length: 300 }, (_, n) => {
      const properties = { $set: { email: `${n}@example.com` } };
      return eventOf({ distinct_id: `person-${n}`, timestamp: clock(), properties });
    });
    await server.capture(bodyOf(events));
    await server.stored(300);
    server.signal(signal);
    await server.exited;
  }
});

afterAll(() => template[Symbol.dispose]());

/** What a start on a damaged copy says; it must end. */
async function refusal(signal: "SIGTERM" | "SIGKILL", damage: (data: string) => void) {
  using root = temporaryDirectory();
  const data = join(root.path, "data");
  const filter = (path: string) => !path.endsWith(".sock");
  cpSync(join(template.path, signal), data, { recursive: true, filter });
  damage(data);
  const { code, out, err } = await runCommand(["serve", "--port", "0", "--data", data]);
  return { code, out, err: err.replaceAll(data, "DATA") };
}

function change(path: string, at: number, length: number, byte: (n: number) => number): void {
  const bytes = readFileSync(path);
  for (let n = 0; n < length; n += 1) bytes[at + n] = byte(n);
  writeFileSync(path, bytes);
}

const zero = () => 0;
const garbage = (n: number) => (n * 37 + 11) % 251;

const DAMAGES: [string, "SIGTERM" | "SIGKILL", (sqlite: string) => void][] = [
  ["is empty", "SIGTERM", (path) => truncateSync(path, 0)],
  ["is empty beside its log", "SIGKILL", (path) => truncateSync(path, 0)],
  ["is gone", "SIGTERM", (path) => rmSync(path)],
  ["ends within its header", "SIGTERM", (path) => truncateSync(path, 50)],
  ["ends within a page", "SIGTERM", (path) => truncateSync(path, 600)],
  ["has lost its end", "SIGTERM", (path) => truncateSync(path, statSync(path).size - 4096)],
  ["begins with garbage", "SIGTERM", (path) => change(path, 0, 100, garbage)],
  ["begins with zeros", "SIGTERM", (path) => change(path, 0, 100, zero)],
  ["is of a strange format", "SIGTERM", (path) => change(path, 18, 2, () => 9)],
  ["has forgotten its version", "SIGTERM", (path) => change(path, 60, 4, zero)],
  ["has a garbled schema", "SIGTERM", (path) => change(path, 100, 3996, garbage)],
  ["has zeros in its middle", "SIGTERM", (path) => change(path, 40_960, 40_960, zero)],
  ["has garbage in its middle", "SIGTERM", (path) => change(path, 40_960, 40_960, garbage)],
  ["is all zeros", "SIGTERM", (path) => change(path, 0, statSync(path).size, zero)],
  ["is a text", "SIGTERM", (path) => writeFileSync(path, "hello\n")],
  ["has a log of garbage", "SIGKILL", (path) => change(`${path}-wal`, 0, 50_000, garbage)],
  ["has a log of zeros", "SIGKILL", (path) => change(`${path}-wal`, 0, 50_000, zero)],
  ["has a log with garbage", "SIGKILL", (path) => change(`${path}-wal`, 50_000, 9000, garbage)],
  ["has a log that was cut", "SIGKILL", (path) => truncateSync(`${path}-wal`, 50_000)],
  ["has a strange log", "SIGTERM", (path) => writeFileSync(`${path}-wal`, "hello\n".repeat(100))],
];

const EVERY_SECOND = DAMAGES.filter((_, index) => index % 2 === 0);

test.each(casesOf(EVERY_SECOND, DAMAGES))(
  "a hoglet.sqlite that %s stops the start with a sentence that says how to recover it",
  async (what, signal, damage) => {
    const { code, out, err } = await refusal(signal, (data) => damage(join(data, "hoglet.sqlite")));

    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^DATA\/hoglet\.sqlite cannot be opened: [^\n]+\n$/);
    const isThere = !/is empty|is gone/.test(what);
    expect(err).toContain(
      isThere
        ? "sqlite3 DATA/hoglet.sqlite .recover | sqlite3 recovered.sqlite"
        : "Restore it from a backup: there is nothing in its place to be recovered.",
    );
    expect(err.includes(".recover")).toBe(isThere);
  },
);

/** The first segment of a journal. */
const segmentIn = (data: string) => `journal/${readdirSync(join(data, "journal"))[0]}`;

const FILES: [string, (data: string) => string][] = [
  ["lock.db", () => "lock.db"],
  ["hoglet.sqlite", () => "hoglet.sqlite"],
  ["its log", () => "hoglet.sqlite-wal"],
  ["archive.json", () => "archive/archive.json"],
  ["a segment of the journal", segmentIn],
  ["the event store's file", () => "events/1.duckdb"],
  ["the dead letters", () => "dead-letters.ndjson"],
  ["the losses of the journal", () => "journal.lost"],
];

const INSTEAD: Record<string, (path: string) => void> = {
  directory: (path) => mkdirSync(path),
  pipe: (path) => expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0),
  "link to nowhere": (path) => symlinkSync("/nonexistent/place", path),
};

const REPLACEMENTS = FILES.flatMap(([what, name]) =>
  Object.entries(INSTEAD).map(([kind, make]) => ({ what, name, kind, make })),
);

/** Each file once, and each kind. */
const ONE_OF_EACH = REPLACEMENTS.filter((_, n) => n % 3 === Math.floor(n / 3) % 3);

test.each(casesOf(ONE_OF_EACH, REPLACEMENTS))(
  "a $kind in the place of $what causes a refusal with a sentence at once",
  async (one) => {
    let name = "";
    const { code, out, err } = await refusal("SIGTERM", (data) => {
      name = one.name(data);
      rmSync(join(data, name), { force: true });
      one.make(join(data, name));
    });

    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(`DATA/${name} is not a file. Move it away, and put the original file back.\n`);
  },
);

test.each(["archive", "engine", "events", "journal", "loads", "seen", "temp"])(
  "a file in the place of the directory %s is refused with a sentence",
  async (name) => {
    const { code, out, err } = await refusal("SIGTERM", (data) => {
      rmSync(join(data, name), { recursive: true, force: true });
      writeFileSync(join(data, name), "");
    });

    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(
      `DATA/${name} is not a directory. Move it away, and put the original directory back.\n`,
    );
  },
);
