/**
 * Measures a real server under the load of design 9 and prints a table and the machine. Each
 * figure stands beside its floor, measured in turns with it: a bare server that only parses.
 *
 *   npm run bench                          all of it, about 7 minutes
 *   npm run bench -- --quick               less of everything, about 1 minute
 *   npm run bench -- singles disk          some parts; see PARTS
 *   npm run bench -- persons               a million persons, about 4 minutes; only by name
 *   npm run bench -- insights              ten million events, about 6 minutes; only by name
 *   npm run bench -- console               a dashboard and watching consoles over them; only by name
 *   npm run bench -- --source              the sources also if there is an executable
 *   npm run bench -- --binary <path>       another executable than dist/hoglet
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../test/support/start/server.ts";
import { busySeconds, machine, ownSeconds, usage } from "./machine.ts";
import { temporaryDirectory } from "./process.ts";
import { PARTS, PARTS_BY_NAME, type Plan, prepare, type Row, stop } from "./rows.ts";

const FULL: Plan = {
  fillEvents: 500_000,
  rounds: 3,
  floorSeconds: 4,
  singleSeconds: 15,
  batchSeconds: 8,
  backfillEvents: 1_000_000,
  largeBatches: 5,
  freshSamples: 15,
  idleSeconds: 20,
  coldStarts: 5,
  decodeRounds: 300,
  persons: 1_000_000,
  personSeconds: 8,
  insightEvents: 10_000_000,
  insightRounds: 5,
};

const QUICK: Plan = {
  fillEvents: 100_000,
  rounds: 2,
  floorSeconds: 2,
  singleSeconds: 4,
  batchSeconds: 3,
  backfillEvents: 150_000,
  largeBatches: 2,
  freshSamples: 5,
  idleSeconds: 3,
  coldStarts: 2,
  decodeRounds: 100,
  persons: 100_000,
  personSeconds: 3,
  insightEvents: 1_000_000,
  insightRounds: 3,
};

const started = performance.now();
const busyBefore = busySeconds();
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    source: { type: "boolean", default: false },
    binary: { type: "string", default: join(ROOT, "dist/hoglet") },
  },
});
const named = [...positionals, ...values.only.flatMap((list) => list.split(","))];
const usual = Object.keys(PARTS).filter((part) => !PARTS_BY_NAME.includes(part));
const parts = new Set(named.length === 0 ? usual : named);
const unknown = [...parts].find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  console.error(`There is no part ${unknown}. Parts: ${Object.keys(PARTS).join(", ")}.`);
  process.exit(2);
}

const built = !values.source && existsSync(values.binary);
const command = built ? [values.binary] : [process.execPath, join(ROOT, "src/main.ts")];
const plan = values.quick ? QUICK : FULL;

using directory = temporaryDirectory();
const facts = machine(directory.path);
progress(`filling the store with ${plan.fillEvents} events`);
const bench = await prepare(plan, command, join(directory.path, "data"));
const table: Row[] = [];
let others = "";
try {
  for (const [part, measure] of Object.entries(PARTS)) {
    if (!parts.has(part)) continue;
    progress(part);
    for (const row of await measure(bench)) {
      table.push(row);
      progress(`  ${row.work.trim()}: ${row.figure}${row.floor ? ` (floor ${row.floor})` : ""}`);
    }
  }
  others = othersShare();
  await stop(bench);
} finally {
  await bench.server[Symbol.asyncDispose]();
  await bench.floor[Symbol.asyncDispose]();
  await bench.load[Symbol.asyncDispose]();
  await bench.pace[Symbol.asyncDispose]();
}
print(table);

function print(lines: Row[]): void {
  const head = ["work", "hoglet", "floor", "ratio", "must", "aim"];
  const cells = lines.map(({ work, figure, floor, ratio, must, aim }) =>
    [work, figure, floor, ratio, must, aim].map((cell) => cell ?? ""),
  );
  const widths = head.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const seconds = Math.round((performance.now() - started) / 1000);
  const notes = [
    ...facts,
    `server: ${built ? "the executable" : "the sources"}; every figure is of one server in one run of ${seconds} s`,
    `payload: events as posthog-js sends them, ${bench.eventBytes.toFixed(0)} B each on average`,
    `other processes took ${others} of the CPUs meanwhile; ratios bear that better than figures`,
    "idle: 45 s after the last work",
    "durability: an answer leaves after the fdatasync of its events",
    `before the first row: ${bench.plan.fillEvents} events stored; after the last: ${bench.expected}, each sent uuid once`,
    "floor: a bare Bun.serve that parses the body as JSON and answers the same, in turns with the server",
  ];
  console.log(
    [
      line(head),
      line(widths.map((width) => "-".repeat(width))),
      ...cells.map(line),
      "",
      ...notes.map((note) => `- ${note}`),
    ].join("\n"),
  );
}

/** How much of the CPUs' time went to processes that are not ours, since the start. */
function othersShare(): string {
  const { server, floor, load, pace } = bench;
  const children = [server, floor, load, pace].map(({ pid }) => usage(pid)?.cpuSeconds ?? 0);
  const own = children.reduce((sum, seconds) => sum + seconds, ownSeconds());
  const available = ((performance.now() - started) / 1000) * availableParallelism();
  const share = (busySeconds() - busyBefore - own) / available;
  return Number.isNaN(share) ? "an unknown share" : `${Math.max(0, share * 100).toFixed(0)} %`;
}

function progress(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4);
  console.error(`${seconds} s  ${text}`);
}
