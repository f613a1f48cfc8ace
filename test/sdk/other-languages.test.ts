import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { type Person, personsOf } from "../support/data/persons.ts";
import { settled } from "../support/disk/project-contents.ts";
import { openConnection } from "../support/start/connection.ts";
import { PERSONAL_KEY, readLines, type StoredEvent } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();

type Json = Record<string, unknown>;
type Item = Json & { event: string; properties?: Json };

/** A request as the sender writes it; the README of the fixtures explains the fields. */
type Recorded = {
  sdk: string;
  version: string;
  scenario: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  encoding?: keyof typeof ENCODINGS;
  body?: Json;
  body_text?: string;
};

/** A request with its answer, and the times between which the server had it. */
type Sent = Recorded & { status: number; dropped: string | null; text: string } & {
  from: number;
  to: number;
};

const ENCODINGS = {
  gzip: gzipSync,
  // PHP pipes `echo` into gzip.
  "gzip+newline": (text: string) => gzipSync(`${text}\n`),
  zlib: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

const MINUTE_MS = 60_000;
const OFFSETS_MS: Record<string, number> = {
  "": 0,
  "-20d": -20 * 1440 * MINUTE_MS,
  "+1h": 60 * MINUTE_MS,
  "+59m": 59 * MINUTE_MS,
};

const lines = readLines<Recorded>(
  join(import.meta.dir, "../fixtures/capture/other-languages.jsonl"),
);

/** The request with its times put in, as the sender's clock would have them. */
function atNow<T>(recorded: T, now = Date.now()): T {
  const text = JSON.stringify(recorded).replaceAll(/\{NOW([^}]*)\}/g, (_, offset: string) =>
    new Date(now + (OFFSETS_MS[offset] ?? Number.NaN)).toISOString(),
  );
  return JSON.parse(text);
}

const textOf = ({ body, body_text }: Recorded) => body_text ?? (body && JSON.stringify(body));

async function send(line: Recorded): Promise<Sent> {
  const recorded = atNow(line);
  const from = Date.now();
  const { status, dropped, text } = await (/Socket|Continue/.test(recorded.scenario)
    ? throughSocket(recorded)
    : throughFetch(recorded));
  return { ...recorded, status, dropped, text, from, to: Date.now() };
}

async function throughFetch(recorded: Recorded) {
  const { method, url, encoding } = recorded;
  const { "Transfer-Encoding": chunked, ...headers } = recorded.headers;
  const text = textOf(recorded);
  const bytes = text && encoding ? ENCODINGS[encoding](text) : text;
  const body = bytes && chunked ? new Blob([bytes]).stream() : bytes;
  const answer = await fetch(server.url + url, { method, headers, ...(body ? { body } : {}) });
  const dropped = answer.headers.get("hoglet-dropped");
  return { status: answer.status, dropped, text: await answer.text() };
}

/** Writes the body after 100 Continue if the sender waits for it, and reads the first packet, as PHP does. */
async function throughSocket(recorded: Recorded) {
  const body = textOf(recorded) ?? "";
  const length = { Host: new URL(server.url).host, "Content-Length": String(body.length) };
  const head = Object.entries({ ...length, ...recorded.headers }).map(([k, v]) => `${k}: ${v}\r\n`);
  using connection = await openConnection(server.url);
  connection.write(`POST ${recorded.url} HTTP/1.1\r\n${head.join("")}\r\n`);
  if ("Expect" in recorded.headers) await connection.until("HTTP/1.1 100 Continue\r\n\r\n");
  connection.write(body);
  const text = await connection.until(" ");
  const dropped = /^hoglet-dropped: (.*)\r$/im.exec(text)?.[1] ?? null;
  return { status: Number(text.split(" ")[1]), dropped, text };
}

/** The events of a request. NaN and infinite numbers, which Python writes, arrive as null. */
function itemsOf(sent: Recorded): Item[] {
  if (!isCapture(sent)) return [];
  const finite = textOf(sent)?.replaceAll(/:(NaN|-?Infinity)\b/g, ":null") ?? "[]";
  const json = JSON.parse(finite);
  return Array.isArray(json) ? json : (json.batch ?? [json]);
}

const isCapture = ({ url }: Recorded) =>
  /^\/(batch|capture|i\/v0\/ai\/batch|i\/v1\/analytics\/events)\/?(\?|$)/.test(url);

const distinctIdOf = ({ distinct_id, properties }: Item) =>
  String(distinct_id ?? properties?.["distinct_id"]);

const uuidOf = ({ uuid }: Item) =>
  uuid === undefined ? undefined : String(uuid).replaceAll("-", "").toLowerCase();

/** The moment in microseconds. Without a zone a time is UTC. */
function microsOf(time: unknown): number {
  const [, seconds, fraction = "", zone = "Z"] =
    /^(.{19})(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(String(time)) ?? [];
  return Date.parse(`${seconds}${zone}`) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

/** Between which times an event has to be, in microseconds (decision 12). */
function timesOf({ timestamp }: Item, { body, headers, from, to }: Sent): [number, number] {
  const [first, last] = [from * 1000 - 1000, to * 1000 + 1000];
  if (timestamp === undefined || timestamp === null) return [first, last];
  const time = microsOf(timestamp);
  const clock = headers["PostHog-Request-Timestamp"] ?? body?.["sent_at"];
  if (clock === undefined) return [time, time];
  return [time + first - microsOf(clock), time + last - microsOf(clock)];
}

/** The event as it is stored; fails if it is not there, or twice. */
function storedOf(item: Item): StoredEvent {
  const found = stored.filter(
    ({ uuid, event, distinct_id }) =>
      event === item.event &&
      distinct_id === distinctIdOf(item) &&
      (item["uuid"] === undefined || uuid.replaceAll("-", "") === uuidOf(item)),
  );
  expect([item.event, found.length]).toEqual([item.event, 1]);
  return found[0] as StoredEvent;
}

let answers: Sent[];
let stored: StoredEvent[];

/** What is reported of the project, by type. */
async function warnings(): Promise<Record<string, number>> {
  type Warning = { type: string; count: number };
  const { results } = await server.get<{ results: Warning[] }>("/ingestion_warnings/");
  return Object.fromEntries(results.map(({ type, count }) => [type, count]));
}

beforeAll(async () => {
  answers = [];
  for (const line of lines) answers.push(await send(line));
  await settled(server);
  stored = await server.events();
});

const captures = lines.filter((line) => isCapture(line));
const named = (line: Recorded) => [`${line.sdk} ${line.version}, ${line.scenario}`, line] as const;
const answerTo = (line: Recorded) => answers[lines.indexOf(line)] as Sent;

describe("capture requests of SDKs in other languages", () => {
  test.each(captures.map(named))("%s: each event is stored once, as it was sent", (_, line) => {
    const sent = answerTo(line);
    expect([sent.status, sent.dropped]).toEqual([200, null]);
    const results = line.url.startsWith("/i/v1/") ? JSON.parse(sent.text).results : {};

    for (const item of itemsOf(sent)) {
      const event = storedOf(item);
      const { $set, $set_once, ...properties } = item.properties ?? {};
      expect(event.properties).toMatchObject(withoutNulls(properties));
      const time = microsOf(event.timestamp);
      const [first, last] = timesOf(item, sent);
      expect(time).toBeGreaterThanOrEqual(first);
      expect(time).toBeLessThanOrEqual(last);
      if (!line.url.startsWith("/i/v1/")) continue;
      const [$lib, $lib_version] = line.headers["PostHog-Sdk-Info"]?.split("/") ?? [];
      expect(results[String(item["uuid"])]).toEqual({ result: "ok" });
      expect(event.properties).toMatchObject({ $lib, $lib_version });
      if (item["session_id"]) expect(event.properties["$session_id"]).toBe(item["session_id"]);
    }
  });

  test("report the recording, the $set on a group and the field $lib, and nothing else", async () => {
    expect(await warnings()).toEqual({
      ignored_event_field: 2,
      session_recording_not_kept: 1,
      set_on_groupidentify: 1,
    });
  });

  test("store nothing twice when they are sent again, but events without a uuid", async () => {
    const counts = Map.groupBy(stored, ({ uuid }) => uuid);
    expect([...counts.values()].filter(({ length }) => length > 1)).toEqual([]);
    const before = await server.get<{ count: number }>("/events/?limit=1");
    const again = captures.filter((line) => itemsOf(line).every(({ uuid }) => uuid !== undefined));
    expect(again.length).toBeGreaterThan(40);

    for (const line of again)
      expect(await send(line)).toMatchObject({ status: 200, dropped: null });
    await settled(server);

    const marker = 1;
    const after = await server.get<{ count: number }>("/events/?limit=1");
    expect(after.count).toBe(before.count + marker);
  });
});

describe("persons and groups of SDKs in other languages", () => {
  const isAnonymous = (item: Item) =>
    item.properties?.["$process_person_profile"] === false ||
    (item["options"] as Json | undefined)?.["process_person_profile"] === false;

  /** Each person that the events make: its ids, and what is set. A group is no person. */
  function personsMade(): { ids: Set<string>; properties: Json }[] {
    const made: { ids: Set<string>; properties: Json }[] = [];
    for (const item of answers.flatMap(itemsOf)) {
      if (isAnonymous(item) || ["$groupidentify", "$snapshot"].includes(item.event)) continue;
      const { $set, $set_once, alias, $anon_distinct_id } = { ...item, ...item.properties } as Json;
      const others = [item.event === "$create_alias" && alias, $anon_distinct_id].filter(Boolean);
      const ids = new Set([distinctIdOf(item), ...others.map(String)]);
      const known = made.filter((person) => !person.ids.isDisjointFrom(ids));
      for (const person of known) made.splice(made.indexOf(person), 1);
      const before = Object.assign({}, ...known.map(({ properties }) => properties));
      made.push({
        ids: known.reduce((all, person) => all.union(person.ids), ids),
        properties: Object.assign({}, $set_once, before, $set),
      });
    }
    return made;
  }

  test("are these persons, with all their ids and events, and no others", async () => {
    const { results } = await server.get<{ results: Person[] }>("/persons/?limit=1000");
    const made = personsMade();

    const idsOf = (ids: Iterable<string>) => [...ids].sort();
    const found = results.map(({ distinct_ids }) => idsOf(distinct_ids));
    expect(found.sort()).toEqual(made.map(({ ids }) => idsOf(ids)).sort());
    for (const { ids, properties } of made) {
      const [first = ""] = ids;
      const [person] = await personsOf(server, first);
      expect(person?.properties).toMatchObject(properties);
      const own = stored.filter(({ person_id }) => person_id === person?.uuid);
      expect(new Set(own.map(({ distinct_id }) => distinct_id)).isSubsetOf(ids)).toBe(true);
      const sent = stored.filter(({ distinct_id }) => ids.has(distinct_id));
      expect(own.length).toBe(sent.length);
    }
  });

  test("are these groups, with their properties and the events of each", async () => {
    type Type = { group_type: string; group_type_index: number };
    const types = await server.get<Type[]>("/groups_types/");
    const indexOf = (type: unknown) =>
      types.find(({ group_type }) => group_type === type)?.group_type_index;
    const items = answers.flatMap(itemsOf);

    const identified = items.filter(({ event }) => event === "$groupidentify");
    expect(identified.length).toBeGreaterThanOrEqual(5);
    for (const { properties: { $group_type, $group_key, $group_set } = {} } of identified) {
      const query = `group_type_index=${indexOf($group_type)}&group_key=${$group_key}`;
      const group = await server.get<{ group_properties: Json }>(`/groups/find/?${query}`);
      expect(group.group_properties).toMatchObject({ ...($group_set as Json) });
    }
    for (const item of items) {
      for (const [type, key] of Object.entries(item.properties?.["$groups"] ?? {})) {
        const column = `"$group_${indexOf(type)}"`;
        const query = `SELECT ${column} FROM events WHERE uuid = '${storedOf(item).uuid}'`;
        expect(await rowsOf(query)).toEqual([[String(key)]]);
      }
    }
  });
});

describe("look-ups of SDKs in other languages", () => {
  const flags = { flags: {} };
  const found = { type: expect.any(String), code: "not_found", detail: expect.any(String) };
  const answered: [url: RegExp, status: number, body: object][] = [
    [/^\/flags\/?\?v=2$/, 200, flags],
    [/^\/flags\/definitions\?/, 200, { flags: [] }],
    [/^\/array\/.*\/config$/, 200, { sessionRecording: false, hasFeatureFlags: false }],
    [/\/remote_config\?/, 404, found],
    [/^\/api\/push_subscriptions\/$/, 404, found],
    [/^\/s\/$/, 200, { status: "Ok" }],
    [/^\/i\/v1\/logs\?/, 200, {}],
  ];
  const asked = lines.filter((line) => !isCapture(line));

  test.each(asked.map(named))("%s: has the answer of its kind", (_, line) => {
    const { url, status, text } = answerTo(line);
    const [, expected, body] = answered.find(([form]) => form.test(url)) ?? [];
    expect([url, status]).toEqual([url, expected ?? 0]);
    expect(JSON.parse(text)).toMatchObject(body ?? {});
  });

  test("the log record of Android is stored", async () => {
    const answer = await ask("/logs/query/", { query: { dateRange: { date_from: "2026-02-01" } } });
    expect(answer["results"]).toMatchObject([{ body: "basket failed", level: "error" }]);
  });
});

/** Posts to the management API of project 1. */
async function ask(path: string, body: Json): Promise<Json> {
  const answer = await fetch(`${server.url}/api/environments/1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${PERSONAL_KEY}`,
      "content-type": "application/json",
      prefer: "return=representation",
    },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return answer.json() as Promise<Json>;
}

const rowsOf = async (query: string) =>
  (await ask("/query/", { query: { kind: "HogQLQuery", query } }))["results"];

/** PHP, Go and others write null for what is not there. An empty list of PHP stands for an object. */
function withoutNulls(properties: Json): Json {
  const isGiven = ([key, value]: [string, unknown]) => value !== null || !key.startsWith("$");
  const { $groups, ...rest } = properties;
  const groups = $groups && !Array.isArray($groups) ? { $groups } : {};
  return { ...Object.fromEntries(Object.entries(rest).filter(isGiven)), ...groups };
}
