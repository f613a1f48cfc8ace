/**
 * Lists the source files that run for an event, a person filter, a deletion, an insight and a start, on
 * whichever thread, without the files that also run in five idle seconds: `bun scripts/bench/ways.ts`.
 * The lists stand in src/docs/architecture.md.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const DIRECTORY = mkdtempSync(join(tmpdir(), "hoglet-ways-"));
const TRACE = join(DIRECTORY, "trace");
const KEYS = { project: "phc_testproject", personal: "phx_test0123456789abcdefghijklmnop" };
const READY_MS_MAX = 60_000;
const IDLE_MS = 5000;
/** The pause after a way, so that its last files are noted. */
const SETTLE_MS = 1500;

type Span = { from: number; to: number };

const started = async () => {
  const command = ["--preload", join(import.meta.dir, "ways-trace.ts"), join(ROOT, "src/main.ts")];
  const flags = ["serve", "--data", join(DIRECTORY, "data"), "--port", "0"];
  const child = Bun.spawn([process.execPath, ...command, ...flags], {
    cwd: ROOT,
    env: {
      ...process.env,
      WAYS_TRACE: TRACE,
      HOGLET_PROJECT_KEY: KEYS.project,
      HOGLET_PERSONAL_KEY: KEYS.personal,
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  let out = "";
  const deadline = Date.now() + READY_MS_MAX;
  const reader = child.stdout.getReader();
  while (!out.includes("ready in") && Date.now() < deadline) {
    const { value } = await reader.read();
    out += new TextDecoder().decode(value);
  }
  const [url = ""] = /http:\/\/[\d.:]+/.exec(out) ?? [];
  return { child, url };
};

const during = async (work: () => Promise<unknown>): Promise<Span> => {
  const from = Date.now();
  await work();
  await Bun.sleep(SETTLE_MS);
  return { from, to: Date.now() };
};

const filesIn = ({ from, to }: Span): Set<string> => {
  const lines = readFileSync(TRACE, "utf8").trimEnd().split("\n");
  const files = lines.map((line) => line.split("\t") as [string, string]);
  return new Set(
    files.filter(([time]) => Number(time) >= from && Number(time) <= to).map(([, file]) => file),
  );
};

writeFileSync(TRACE, "");
const first = await started();
const api = async (path: string, init: RequestInit = {}, base = first.url): Promise<Response> => {
  const headers = {
    authorization: `Bearer ${KEYS.personal}`,
    "content-type": "application/json",
    prefer: "return=representation",
  };
  const response = await fetch(`${base}/api/environments/1${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
};
const capture = (event: object) =>
  fetch(`${first.url}/i/v0/e/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ api_key: KEYS.project, ...event }),
  });
const isStored = async (count: number) => {
  while (((await (await api("/events/?limit=1")).json()) as { count: number }).count < count) {
    await Bun.sleep(50);
  }
};
const send = (distinct_id: string) =>
  capture({ event: "$pageview", distinct_id, properties: { $set: { plan: "pro" } } });

await send("ann");
await isStored(1);
await Bun.sleep(SETTLE_MS);
const idle = await during(() => Bun.sleep(IDLE_MS));
const event = await during(() => send("bob"));
await isStored(2);
await Bun.sleep(SETTLE_MS);
const filter = encodeURIComponent(JSON.stringify([{ key: "plan", value: "pro" }]));
const persons = await during(() => api(`/persons/?properties=${filter}`));
const trend = { kind: "TrendsQuery", series: [{ event: "$pageview" }] };
const insight = await during(() =>
  api("/max_tools/create_and_query_insight/", {
    method: "POST",
    body: JSON.stringify({ query: trend }),
  }),
);
const [bob] = (
  (await (await api("/persons/?distinct_id=bob")).json()) as { results: { id: number }[] }
).results;
await Bun.sleep(SETTLE_MS);
const deletion = await during(async () => {
  await api(`/persons/${bob?.id}/?delete_events=true`, { method: "DELETE" });
  const run = [join(ROOT, "src/main.ts"), "deletions", "run", "--now", "--data"];
  await Bun.spawn([process.execPath, ...run, join(DIRECTORY, "data")], { cwd: ROOT }).exited;
});
first.child.kill();
await first.child.exited;
let second: Awaited<ReturnType<typeof started>> | undefined;
const start = await during(async () => {
  second = await started();
});
second?.child.kill();
await second?.child.exited;

const idleFiles = filesIn(idle);
const ways = { event, "person filter": persons, deletion, insight, start };
for (const [name, span] of Object.entries(ways)) {
  const files = [...filesIn(span)].filter((file) => name === "start" || !idleFiles.has(file));
  console.log(`\n${name}: ${files.length} files`);
  for (const file of files.sort()) console.log(`  ${file}`);
}
rmSync(DIRECTORY, { recursive: true, force: true });
