import { PERSONAL_KEY, PROJECT_KEY, type Server } from "../../test/support/start/server.ts";
import { mix } from "./events.ts";
import { p99, seconds, spread, whole } from "./figures.ts";
import type { Sent } from "./load.ts";
import { usage } from "./machine.ts";
import type { Row } from "./rows.ts";

type Needs = {
  server: Server;
  /** Persons to be made: every fifth has a second distinct id. */
  persons: number;
  /** How long each kind of request is made. */
  seconds: number;
  /** Waits until so many more events are stored. */
  stored: (events: number) => Promise<void>;
  /** Sends single events at a steady pace for so long. */
  trickle: (seconds: number) => Promise<Sent>;
};

/** Single events a second that are sent while persons are read. */
export const TRICKLE_PER_SECOND = 1000;

const EVENTS_OF_A_BATCH = 1000;
const BATCHES_AT_ONCE = 4;

const SETTLE_MS = 10_000;

/** What a client does between two requests. */
const PAUSE_MS = 5;

/**
 * Requests for persons of a store that has very many, one after the other, while single events come
 * in. Throws if one of them finds anything but what was sent.
 */
export async function personRows(needs: Needs): Promise<Row[]> {
  const { server, persons, stored } = needs;
  const started = performance.now();
  await makePersons(server, persons);
  await stored(persons);
  const took = performance.now() - started;
  return [
    {
      work: `${whole(persons)} persons with ${whole(persons * 1.2)} distinct ids, from events in batches`,
      figure: seconds(took),
    },
    ...(await readPersons(needs)),
  ];
}

/** The requests, of a store that has the persons already. */
export async function readPersons(needs: Needs): Promise<Row[]> {
  // What the load before has left to be archived and collected is not of these figures.
  await Bun.sleep(SETTLE_MS);
  await needs.trickle(needs.seconds);
  const before = cpuSeconds(needs.server);
  const alone = await needs.trickle(needs.seconds);
  const usual = cpuSeconds(needs.server) - before;
  const rows: Row[] = [
    {
      work: `answers to ${whole(TRICKLE_PER_SECOND)} single events/s without requests for persons, p50 / p99 / max`,
      figure: spread(alone.took),
    },
  ];
  for (const kind of kinds(needs.persons)) rows.push(await measured(needs, kind, usual));
  return [...rows, ...(await table(needs))];
}

/** A kind of request. */
type Kind = {
  work: string;
  /** The query of request number n. */
  query: (n: number) => Record<string, string>;
  /** The least and the most persons that each finds. */
  found: [number, number];
  must?: string;
  aim?: string;
};

function kinds(persons: number): Kind[] {
  const anyone = (n: number) => mix(n) % persons;
  const identified = (n: number) => anyone(n) - (anyone(n) % 20) + 1;
  const most = persons * 2;
  const short = { must: "p99 20 ms", aim: "p99 5 ms" };
  const search = { must: "p99 150 ms" };
  const plan = JSON.stringify({ key: "plan", operator: "exact", value: "scale" });
  const browser = JSON.stringify({ key: "$browser", operator: "icontains", value: "fire" });
  const deep = (n: number) => String(Math.floor(persons * 0.8) + (n % 1000) * (persons / 10_000));
  return [
    { work: "page of 100, with count", query: () => ({}), found: [persons, most], ...short },
    {
      work: "page of 100 behind 80 to 90 % of them",
      query: (n) => ({ offset: deep(n) }),
      found: [persons, most],
      ...short,
    },
    {
      work: "by distinct_id",
      query: (n) => ({ distinct_id: distinctId(anyone(n)) }),
      found: [1, 1],
      ...short,
    },
    {
      work: "by email",
      query: (n) => ({ email: emailOf(identified(n)) }),
      found: [1, 1],
      ...short,
    },
    {
      work: "search for most of an e-mail",
      query: (n) => ({ search: emailOf(identified(n)).slice(2, -8) }),
      found: [1, 1],
      ...search,
    },
    {
      work: "search for a part that some hundred e-mails have",
      query: (n) => ({ search: `.${(mix(n) % 900) + 100}${n % 10}` }),
      found: [1, 1000],
      ...search,
    },
    {
      work: "search for a part that no e-mail has",
      query: (n) => ({ search: `zz${n}@none` }),
      found: [0, 0],
      ...search,
    },
    {
      work: "search for a part that all e-mails have",
      query: () => ({ search: "example.com" }),
      found: [persons * 0.95, most],
      ...search,
    },
    {
      work: "search for a letter that most e-mails have",
      query: (n) => ({ search: pick(["a", "e", "@", ".c"], n) }),
      found: [persons / 4, most],
      ...search,
    },
    {
      work: "search for a name that a tenth have",
      query: (n) => ({ search: pick(FIRST, n) }),
      found: [persons / 20, persons / 5],
      ...search,
    },
    {
      work: "search for a part that a hundredth have, another each time",
      query: (n) => ({ search: `${pick(LAST, n)}.${(n % 90) + 10}` }),
      found: [persons / 10_000, persons / 50],
      ...search,
    },
    {
      work: "by a property that users set",
      query: () => ({ properties: plan }),
      found: [persons / 20, persons / 2],
      must: "p99 500 ms",
      aim: "p99 100 ms",
    },
    {
      work: "by a property that SDKs send",
      query: () => ({ properties: browser }),
      found: [persons / 20, persons / 2],
      must: "p99 500 ms",
      aim: "p99 100 ms",
    },
    {
      work: "by a property, behind 10 % of all persons",
      query: () => ({ properties: plan, offset: String(persons / 10) }),
      found: [persons / 20, persons / 2],
      must: "p99 500 ms",
    },
  ];
}

/** Requests of a kind for as long as the trickle lasts, which takes `usual` seconds of CPU alone. */
async function measured(
  needs: Needs,
  { work, query, found: [least, most], must, aim }: Kind,
  usual: number,
): Promise<Row> {
  const took: number[] = [];
  const before = cpuSeconds(needs.server);
  const meanwhile = needs.trickle(needs.seconds);
  const endsAt = performance.now() + needs.seconds * 1000;
  for (let n = 0; performance.now() < endsAt; n += 1) {
    const at = performance.now();
    const response = await ask(needs.server, query(n));
    const text = await response.text();
    took.push(performance.now() - at);
    const { count } = JSON.parse(text) as { count: number };
    if (count < least || count > most) {
      throw new Error(`${work}: ${JSON.stringify(query(n))} found ${count}`);
    }
    await Bun.sleep(PAUSE_MS);
  }
  const sent = await meanwhile;
  const cpu = ((cpuSeconds(needs.server) - before - usual) * 1000) / took.length;
  return {
    work: `  ${work}, p50 / p99 / max of ${whole(took.length)}`,
    figure: `${spread(took)}; CPU ${cpu.toFixed(1)} ms each; events meanwhile p99 ${p99(sent.took)}`,
    ...(must === undefined ? {} : { must }),
    ...(aim === undefined ? {} : { aim }),
  };
}

/** What the server has taken so far; NaN where the system does not tell. */
function cpuSeconds({ pid }: Server): number {
  return usage(pid)?.cpuSeconds ?? Number.NaN;
}

/** All persons as CSV. */
async function table({ server, persons, trickle }: Needs): Promise<Row[]> {
  const state = { done: false };
  const took: number[] = [];
  const meanwhile = (async () => {
    while (!state.done) took.push(...(await trickle(1)).took);
  })();
  const started = performance.now();
  const response = await ask(server, { format: "csv" });
  let first: number | undefined;
  let lines = -1;
  for await (const chunk of response.body ?? []) {
    first ??= performance.now() - started;
    for (const byte of chunk) if (byte === 0x0a) lines += 1;
  }
  const whole = performance.now() - started;
  state.done = true;
  await meanwhile;
  if (lines < persons) throw new Error(`The table has ${lines} of ${persons} persons`);
  return [
    {
      work: "  all of them as CSV, first byte / last byte",
      figure: `${seconds(first ?? Number.NaN)} / ${seconds(whole)}; events meanwhile p99 ${p99(took)}`,
    },
  ];
}

async function ask(server: Server, query: Record<string, string>): Promise<Response> {
  const response = await fetch(
    `${server.url}/api/environments/1/persons/?${new URLSearchParams(query)}`,
    { headers: { authorization: `Bearer ${PERSONAL_KEY}` } },
  );
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

async function makePersons(server: Server, persons: number): Promise<void> {
  let next = 0;
  const sender = async () => {
    while (next < persons) {
      const from = next;
      next += EVENTS_OF_A_BATCH;
      const batch = Array.from({ length: Math.min(EVENTS_OF_A_BATCH, persons - from) }, (_, at) =>
        personEvent(from + at),
      );
      const response = await server.capture({ api_key: PROJECT_KEY, batch });
      if (!response.ok) throw new Error(`capture answered ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, sender));
}

const FIRST = ["anna", "ben", "carla", "david", "emma", "farid", "greta", "hugo", "ines", "jonas"];
const LAST = ["miller", "garcia", "okafor", "schmidt", "tanaka", "novak", "silva", "khan", "rossi"];
const HOSTS = ["example.com", "mail.example.com", "corp.example.com", "shop.example.com"];
const PLANS = ["free", "free", "free", "team", "team", "scale", "enterprise"];
const BROWSERS = ["Chrome", "Chrome", "Chrome", "Safari", "Firefox", "Microsoft Edge"];
const SYSTEMS = ["Mac OS X", "Windows", "Windows", "Linux", "iOS", "Android"];
const CITIES = ["Berlin", "Lagos", "Osaka", "Lima", "Lyon", "Pune", "Turin", "Oslo", "Quito"];

const pick = <T>(choices: readonly T[], seed: number): T => choices[seed % choices.length] as T;

const distinctId = (n: number): string => `person-${n}`;

const emailOf = (n: number): string =>
  `${pick(FIRST, mix(n))}.${pick(LAST, mix(n + 1))}.${n}@${pick(HOSTS, mix(n + 2))}`;

/** What makes person n: as posthog-js identifies; one in twenty stays anonymous. */
function personEvent(n: number): object {
  const [a, b, c] = [mix(n * 4 + 1), mix(n * 4 + 2), mix(n * 4 + 3)];
  const anonymous = n % 20 === 0;
  const path = `/${pick(CITIES, b).toLowerCase()}/${a % 300}`;
  return {
    uuid: Bun.randomUUIDv7(),
    event: anonymous ? "$pageview" : "$identify",
    distinct_id: distinctId(n),
    properties: {
      $lib: "web",
      $os: pick(SYSTEMS, a),
      $browser: pick(BROWSERS, b),
      $browser_version: 120 + (c % 20),
      $device_type: a % 3 === 0 ? "Mobile" : "Desktop",
      $current_url: `https://www.example.com${path}`,
      $pathname: path,
      $referrer: "https://www.google.com/",
      $referring_domain: "www.google.com",
      $screen_height: 720 + (a % 4) * 180,
      $screen_width: 1280 + (b % 4) * 320,
      $viewport_height: 600 + (b % 400),
      $viewport_width: 1000 + (c % 900),
      ...(a % 4 === 0 ? { utm_source: "news", utm_campaign: `week-${b % 52}` } : {}),
      ...(n % 5 === 1 ? { $anon_distinct_id: `anonymous-${n}` } : {}),
      ...(anonymous ? {} : { $set: given(n, { a, b, c }) }),
    },
  };
}

function given(n: number, { a, b, c }: { a: number; b: number; c: number }): object {
  return {
    email: emailOf(n),
    name: `${pick(FIRST, mix(n))} ${pick(LAST, mix(n + 1))}`,
    plan: pick(PLANS, c),
    city: pick(CITIES, a),
    seats: b % 250,
    signed_up_at: new Date(1_750_000_000_000 + (c % 31_536_000) * 1000).toISOString(),
  };
}
