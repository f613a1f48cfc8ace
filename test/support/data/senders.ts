import { expect } from "bun:test";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { randomOf } from "../disk/faulty-disk.ts";
import { PROJECT_KEY, type Server } from "../start/server.ts";

/** An event that was sent at least once, always the same. */
export type Sent = {
  uuid: string;
  event: string;
  distinct_id: string;
  /** Milliseconds since the epoch; no two events have the same. */
  timestamp: number;
  properties: JsonObject;
  /** Whether the server has answered 200 to a request that held it. */
  acknowledged: boolean;
};

/** Events of a request of {@link sendStored}. */
export const REQUEST_EVENTS = 50;

/** Sends events, fifty in a request, and waits until the last one can be queried. */
export async function sendStored(server: Server, sent: readonly Sent[]): Promise<void> {
  for (let at = 0; at < sent.length; at += REQUEST_EVENTS) {
    const { status } = await server.capture(bodyOf(sent.slice(at, at + REQUEST_EVENTS)));
    expect(status).toBe(200);
  }
  if (sent.length > 0) await server.stored(1, `&uuid=${sent.at(-1)?.uuid}`);
}

/** Clients that send at once, each in its own order, and remember what they were promised. */
export type Senders = Disposable & {
  /** Sends to a server from now on, and sends again all that was not acknowledged. */
  open(url: string): void;
  /** They wait for the next server; resolves when no request to this one is on its way. */
  close(): Promise<void>;
  /** Resolves when so many more requests have been acknowledged. */
  acknowledged(requests: number): Promise<void>;
  /** Ends them, once each has delivered what it is sending. */
  finish(): Promise<void>;
  /** Everything that was sent, in the order in which each sender sent it first. */
  sent(): readonly Sent[];
  /** Answers that a server must not give: neither 200 nor 503 with Retry-After. */
  surprises(): readonly string[];
};

/** Wait before a failed request is sent again to a server that is still there. */
const RETRY_MS = 20;

/** Of the requests that fail, how many are never sent again, as when a client ends. */
const GIVEN_UP = 0.2;

/** Events of a batch: a few, a usual one, one that is decoded on a thread of its own. */
const BATCH_EVENTS = [3, 20, 1500] as const;

/** The person whose properties every sender changes, each its own. */
const SHARED = "everybody";

/** Starts `count` senders; what they send depends on `seed`, and on when requests fail. */
export function startSenders({ count, seed }: { count: number; seed: number }): Senders {
  const sent: Sent[] = [];
  const surprises: string[] = [];
  const waiting = new Set<{ left: number; resolve: () => void }>();
  const onTheWay = new Set<Promise<unknown>>();
  const clock = clockBefore(Date.now());
  let server = Promise.withResolvers<string>();
  let finishing = false;
  let disposed = false;

  const underway = async <T>(request: Promise<T>): Promise<T> => {
    onTheWay.add(request);
    const answer = await request;
    onTheWay.delete(request);
    return answer;
  };

  const deliver = async (
    events: readonly Sent[],
    { random, mayGiveUp }: { random: () => number; mayGiveUp: boolean },
  ): Promise<void> => {
    const { path, ...request } = requestOf(events, random);
    for (;;) {
      const url = await server.promise;
      if (disposed) return;
      const answer = await underway(fetch(url + path, request).catch(() => undefined));
      if (answer?.status === 200) {
        for (const event of events) event.acknowledged = true;
        for (const one of waiting) {
          one.left -= 1;
          if (one.left <= 0) one.resolve();
        }
      } else if (answer !== undefined && !mayBeRetried(answer)) {
        surprises.push(`${path}: ${answer.status} ${await answer.text().catch(String)}`);
      }
      await answer?.text().catch(() => undefined);
      if (answer?.status === 200) return;
      if (mayGiveUp && !finishing && random() < GIVEN_UP) return;
      await Bun.sleep(RETRY_MS);
    }
  };

  const introduced = deliver(record(sent, [eventOf({ distinct_id: SHARED, timestamp: clock() })]), {
    random: randomOf(seed),
    mayGiveUp: false,
  });

  const runs = Array.from({ length: count }, async (_, index) => {
    const random = randomOf(seed + index + 1);
    const next = eventMaker({ name: `sender-${index}`, random, clock });
    const own: Sent[] = [];
    await introduced;
    while (!finishing) {
      const events = record(sent, Array.from({ length: sizeOf(random) }, next));
      const known = own.filter(({ acknowledged }) => acknowledged);
      const again = known.filter(() => random() < Math.min(0.3, 2 / known.length));
      const isAlone = again.length > 0 && random() < 0.5;
      // An event that an SDK sends twice may be anywhere: earlier, later, and twice in one batch.
      const batch = isAlone ? events : [...again, ...events, ...events.slice(0, again.length)];
      await deliver(batch, { random, mayGiveUp: true });
      if (isAlone) await deliver(again, { random, mayGiveUp: true });
      own.push(...events);
      own.splice(0, own.length - 300);
    }
  });

  return {
    open: (url) => server.resolve(url),
    async close() {
      server = Promise.withResolvers();
      await Promise.all(onTheWay);
    },
    acknowledged(requests) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ left: requests, resolve });
      return promise;
    },
    async finish() {
      finishing = true;
      await Promise.all(runs);
    },
    sent: () => sent,
    surprises: () => surprises,
    [Symbol.dispose]() {
      finishing = true;
      disposed = true;
      server.resolve("");
    },
  };
}

/** One event with every field defaulted but its person and time. */
export function eventOf(given: Partial<Sent> & Pick<Sent, "distinct_id" | "timestamp">): Sent {
  const uuid = crypto.randomUUID();
  return { uuid, event: "seen", properties: {}, acknowledged: false, ...given };
}

/** A capture body with these events. */
export function bodyOf(events: readonly Sent[]): JsonObject {
  const batch = events.map(({ acknowledged: _, timestamp, ...event }) => {
    return { ...event, timestamp: new Date(timestamp).toISOString() };
  });
  return { api_key: PROJECT_KEY, batch };
}

/** Times a millisecond apart, from a day before `now` on. */
export function clockBefore(now: number): () => number {
  let time = now - 86_400_000;
  return () => {
    time += 1;
    return time;
  };
}

function record(sent: Sent[], events: Sent[]): Sent[] {
  sent.push(...events);
  return events;
}

function mayBeRetried(answer: Response): boolean {
  return answer.status === 503 && answer.headers.has("retry-after");
}

function sizeOf(random: () => number): number {
  const kind = random();
  if (kind < 0.4) return 1;
  const [few, usual, many] = BATCH_EVENTS;
  if (kind < 0.6) return few;
  return kind < 0.99 ? 1 + Math.floor(random() * usual) : many;
}

/** The same bytes at every attempt, as SDKs do that keep what they could not send. */
function requestOf(events: readonly Sent[], random: () => number) {
  const { api_key, batch } = bodyOf(events) as { api_key: string; batch: JsonObject[] };
  const [first = {}] = batch;
  const single = { api_key, ...(random() < 0.3 ? lifted(first) : first) };
  const isSingle = batch.length === 1 && random() < 0.7;
  const text = JSON.stringify(isSingle ? single : { api_key, batch });
  const zipped = random() < 0.5;
  const headers: Record<string, string> = { "content-type": "application/json" };
  // Some lose the header on the way: the magic bytes count.
  if (zipped && random() < 0.5) headers["content-encoding"] = "gzip";
  return {
    path: isSingle ? "/i/v0/e/" : "/batch/",
    method: "POST",
    headers,
    body: zipped ? gzipSync(text) : text,
  };
}

/** The event with `$set` and `$set_once` outside of its properties, where some SDKs put them. */
function lifted(event: JsonObject): JsonObject {
  const { $set, $set_once, ...properties } = event["properties"] as JsonObject;
  return {
    ...event,
    properties,
    ...($set === undefined ? {} : { $set }),
    ...($set_once === undefined ? {} : { $set_once }),
  };
}

/**
 * Makes the events of one sender. The persons are its own, but for one; each event of a person
 * has the next number `n` and writes it into the person in several ways, so that an event that
 * is applied twice, late or not at all shows in the person.
 */
function eventMaker(needs: { name: string; random: () => number; clock: () => number }) {
  const { name, random, clock } = needs;
  const numbers = new Map<string, number>();
  let persons = 0;
  let visitors = 0;

  const next = (distinct_id: string): number => {
    const n = (numbers.get(distinct_id) ?? 0) + 1;
    numbers.set(distinct_id, n);
    return n;
  };
  const one = (prefix: string, among: number) =>
    `${name}-${prefix}-${Math.max(1, among - Math.floor(random() * 8))}`;

  return (): Sent => {
    const kind = random();
    const timestamp = clock();
    const pad = "x".repeat(Math.floor(random() ** 16 * 5000));
    if (kind < 0.1) {
      const n = next(SHARED);
      return eventOf({
        event: "shared",
        distinct_id: SHARED,
        timestamp,
        properties: { n, $set: { [name]: n }, $set_once: { [`${name}-first`]: n } },
      });
    }
    if (kind < 0.25) {
      if (random() < 0.5) visitors += 1;
      const distinct_id = one("visitor", visitors);
      // Its properties change no person. Some visitors become persons later.
      const profile = { $process_person_profile: false, $set: { wrong: true } };
      const isLogin = random() < 0.2;
      const properties = { n: next(distinct_id), ...(isLogin ? {} : profile) };
      return eventOf({ event: "visit", distinct_id, timestamp, properties });
    }
    if (random() < 0.15) persons += 1;
    const distinct_id = one("person", persons);
    const n = next(distinct_id);
    const effects = {
      $set: { n, [`of-3-${n % 3}`]: n },
      $set_once: { first: n, [`once-of-5-${n % 5}`]: n },
      ...(random() < 0.3 ? { $unset: [`of-3-${(n + 1) % 3}`, `once-of-5-${(n + 2) % 5}`] } : {}),
    };
    const properties = { n, pad, ...(random() < 0.9 ? effects : {}) };
    return eventOf({ event: "step", distinct_id, timestamp, properties });
  };
}
