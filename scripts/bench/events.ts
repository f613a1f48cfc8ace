/**
 * Makes the events of the benchmark, quickly: each is a template, rendered ahead of time, into
 * which ids and times are patched. What event number n of a stream is depends on nothing but n,
 * so that an event can be sent again without having been kept.
 *
 * The shape is posthog-js's, cut to about 800 bytes. The mix, in a thousand: 5 resent, half of
 * them from the stream that filled the store; 10 merges; 50 personless; 100 of a person who is
 * new; the others of persons of the fill: 10,000 of them at a time, each for about ten events.
 * 300 carry `$set`, three quarters of which change a property.
 */

/** The project key that the server under test is started with. */
export const PROJECT_KEY = "phc_testproject";

/** The stream that fills the store: its first events make the persons of all streams. */
export const FILL_STREAM = 0;

/** What all streams of a run share. */
export type Run = {
  /** The time in the uuids, in milliseconds since the epoch. */
  epoch: number;
  /** Persons that the fill makes. */
  persons: number;
  /** Events that the fill sent, which may be sent again. */
  filled: number;
};

/** Writes requests of one stream, in the order of its events. */
export type Stream = {
  /** The next request: bytes that are valid until the next call. `batch` 1 is a single event. */
  next(batch: number): Uint8Array;
  /** Events written so far, and how many of them are no repetition. */
  written(): { events: number; unique: number };
};

const PLACES = [
  "uuid",
  "distinct_id",
  "device",
  "session",
  "window",
  "other",
  "insert",
  "seconds",
  "iso",
  "email",
] as const;
type Place = (typeof PLACES)[number];

const MARKS: Record<Place, string> = {
  uuid: "00000000-0000-7000-8000-00000000aaaa",
  distinct_id: "00000000-0000-7000-8000-00000000bbbb",
  device: "00000000-0000-7000-8000-00000000cccc",
  session: "00000000-0000-7000-8000-00000000dddd",
  window: "00000000-0000-7000-8000-00000000eeee",
  other: "00000000-0000-7000-8000-00000000ffff",
  insert: "insertinsert0000",
  seconds: "1000000000.111",
  iso: "2000-01-01T00:00:00.000Z",
  email: "e0e0e0e0",
};

type Template = { bytes: Uint8Array; at: Record<Place, number> };
type Kind = "plain" | "set" | "personless" | "alias" | "identify";

/** Templates of each kind: so many that compression finds no whole event twice in its window. */
const TEMPLATES: Record<Kind, number> = {
  plain: 2048,
  set: 1024,
  personless: 256,
  alias: 64,
  identify: 64,
};

/** Persons of the fill who are active at a time, and how many events each sends. */
const VISITORS = 10_000;
const EVENTS_OF_A_VISIT = 10;

/** A batch's largest request. */
const REQUEST_BYTES_MAX = 24 * 1024 * 1024;

const encoder = new TextEncoder();

/** Stream number `stream` of a run; two streams never make the same uuid. */
export function eventStream(run: Run, stream: number): Stream {
  const singles = templates((event) => singleRequest(event));
  const items = templates((event) => event);
  let request = new Uint8Array(1 << 20);
  let counter = 0;
  let unique = 0;

  const put = (pool: Record<Kind, Template[]>, into: Uint8Array, at: number): number => {
    const drawn = draw(run, stream, counter);
    counter += 1;
    if (!drawn.again) unique += 1;
    const choices = pool[drawn.kind];
    const template = choices[drawn.template % choices.length] as Template;
    into.set(template.bytes, at);
    patch(into, at, template, drawn, run);
    return at + template.bytes.length;
  };

  const batchRequest = (batch: number): Uint8Array => {
    if (request.length < batch * 1500 + 1024) request = new Uint8Array(REQUEST_BYTES_MAX);
    let end = BATCH_HEAD.length;
    request.set(BATCH_HEAD);
    for (let index = 0; index < batch; index += 1) {
      if (index > 0) request[end++] = 0x2c;
      end = put(items, request, end);
    }
    request.set(BATCH_TAIL, end);
    end += BATCH_TAIL.length;
    // The length has a fixed width; blanks before it are allowed (RFC 9110 5.6.3).
    const length = String(end - BODY_AT).padStart(LENGTH_DIGITS);
    for (let digit = 0; digit < LENGTH_DIGITS; digit += 1) {
      request[LENGTH_AT + digit] = length.charCodeAt(digit);
    }
    return request.subarray(0, end);
  };

  return {
    next(batch) {
      if (batch > 1) return batchRequest(batch);
      return request.subarray(0, put(singles, request, 0));
    },
    written: () => ({ events: counter, unique }),
  };
}

/** What an event is: everything follows from its stream and number. */
type Drawn = {
  kind: Kind;
  stream: number;
  counter: number;
  /** The stream and number of the person. */
  person: [number, number];
  template: number;
  again: boolean;
};

function draw(run: Run, stream: number, counter: number): Drawn {
  const dice = mix(Math.imul(counter, 0x9e_37_79_b1) ^ Math.imul(stream + 1, 0x85_eb_ca_6b));
  const roll = dice % 1000;
  const more = mix(dice ^ 0x5b_d1_e9_95);
  if (roll < 5 && counter > 1000) return drawAgain(run, stream, counter, more);
  const visitor = Math.floor(counter / EVENTS_OF_A_VISIT) + (more % VISITORS);
  const known: [number, number] = [FILL_STREAM, visitor % run.persons];
  const common = { stream, counter, template: mix(more), again: false };
  if (stream === FILL_STREAM && counter < run.persons) {
    return { ...common, kind: "plain", person: [stream, counter] };
  }
  if (roll < 15) return { ...common, kind: roll < 10 ? "alias" : "identify", person: known };
  if (roll < 65) return { ...common, kind: "personless", person: [stream, counter] };
  const kind = mix(more ^ 1) % 1000 < 315 ? "set" : "plain";
  return { ...common, kind, person: roll < 165 ? [stream, counter] : known };
}

/** An event that this stream or the fill has sent before, and that is no repetition itself. */
function drawAgain(run: Run, stream: number, counter: number, dice: number): Drawn {
  const ofFill = stream !== FILL_STREAM && run.filled > 1000 && dice % 2 === 0;
  const from = ofFill ? FILL_STREAM : stream;
  // Not the very last ones: they may be on their way over other connections.
  const earlier = (dice >>> 1) % (ofFill ? run.filled : counter - 999);
  const drawn = draw(run, from, earlier);
  return { ...drawn, again: true };
}

function patch(into: Uint8Array, start: number, { at }: Template, drawn: Drawn, run: Run): void {
  const { stream, counter, person } = drawn;
  const ms = run.epoch + Math.floor(counter / 16);
  const high = Math.floor(ms / 0x1_00_00);
  putUuid(into, start + at.uuid, high, ms & 0xff_ff, stream, counter);
  const [personStream, personNumber] = person;
  putPerson(into, start + at.distinct_id, 1, personStream, personNumber);
  putPerson(into, start + at.device, 2, personStream, personNumber);
  putPerson(into, start + at.session, 3, personStream, personNumber);
  putPerson(into, start + at.window, 4, personStream, personNumber);
  if (at.other >= 0) putPerson(into, start + at.other, 5, stream, counter);
  if (at.email >= 0) putHex(into, start + at.email, mix(personNumber ^ personStream), 8);
  putHex(into, start + at.insert, mix(counter ^ 0x77_77_77_77), 8);
  putHex(into, start + at.insert + 8, mix(counter ^ stream), 8);
  const now = clock();
  into.set(now.seconds, start + at.seconds);
  into.set(now.iso, start + at.iso);
}

/** A version 7 uuid; `counter` and `stream` make it unique. */
function putUuid(
  into: Uint8Array,
  at: number,
  high: number,
  low: number,
  stream: number,
  counter: number,
): void {
  const mixed = mix(counter);
  putHex(into, at, high, 8);
  putHex(into, at + 9, low, 4);
  putHex(into, at + 15, stream, 3);
  putHex(into, at + 20, mix(mixed) >>> 20, 3);
  putHex(into, at + 24, mix(mixed ^ stream) >>> 16, 4);
  putHex(into, at + 28, mixed, 8);
}

/** An id of a person, by what it is for: `number` and `stream` make it unique. */
function putPerson(into: Uint8Array, at: number, use: number, stream: number, number: number) {
  const mixed = mix(Math.imul(number, 8) + use);
  putHex(into, at, 0x01_9a_00_00 + (mix(number) & 0xff_ff), 8);
  putHex(into, at + 9, mixed >>> 16, 4);
  putHex(into, at + 15, stream, 3);
  putHex(into, at + 20, mix(mixed) >>> 20, 3);
  putHex(into, at + 24, mix(mixed ^ 7) >>> 16, 4);
  putHex(into, at + 28, mixed, 8);
}

const HEX = encoder.encode("0123456789abcdef");

function putHex(into: Uint8Array, at: number, value: number, digits: number): void {
  let rest = value;
  for (let place = at + digits - 1; place >= at; place -= 1) {
    into[place] = HEX[rest & 15] as number;
    rest >>>= 4;
  }
}

/** A bijection of 32-bit numbers that looks random. */
export function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85_eb_ca_6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2_b2_ae_35);
  return (x ^ (x >>> 16)) >>> 0;
}

let clockMs = 0;
let clockBytes = { seconds: new Uint8Array(), iso: new Uint8Array() };

function clock(): typeof clockBytes {
  const ms = Date.now();
  if (ms === clockMs) return clockBytes;
  clockMs = ms;
  clockBytes = {
    seconds: encoder.encode((ms / 1000).toFixed(3)),
    iso: encoder.encode(new Date(ms).toISOString()),
  };
  return clockBytes;
}

const HEADERS = "host: 127.0.0.1\r\ncontent-type: application/json\r\n";
const LENGTH_DIGITS = 9;
const BATCH_START = `POST /batch/ HTTP/1.1\r\n${HEADERS}content-length: `;
const BATCH_HEAD = encoder.encode(
  `${BATCH_START}${" ".repeat(LENGTH_DIGITS)}\r\n\r\n{"api_key":"${PROJECT_KEY}","batch":[`,
);
const LENGTH_AT = BATCH_START.length;
const BODY_AT = LENGTH_AT + LENGTH_DIGITS + 4;
const BATCH_TAIL = encoder.encode("]}");

function singleRequest(event: string): string {
  const body = `{"api_key":"${PROJECT_KEY}",${event.slice(1)}`;
  return `POST /i/v0/e/ HTTP/1.1\r\n${HEADERS}content-length: ${body.length}\r\n\r\n${body}`;
}

function templates(wrap: (event: string) => string): Record<Kind, Template[]> {
  const of = (kind: Kind) =>
    Array.from({ length: TEMPLATES[kind] }, (_, seed) => {
      const bytes = encoder.encode(wrap(render(kind, seed)));
      const found = PLACES.map((place) => [place, Buffer.from(bytes).indexOf(MARKS[place])]);
      return { bytes, at: Object.fromEntries(found) as Record<Place, number> };
    });
  return {
    plain: of("plain"),
    set: of("set"),
    personless: of("personless"),
    alias: of("alias"),
    identify: of("identify"),
  };
}

const pick = <T>(choices: readonly T[], seed: number): T => choices[seed % choices.length] as T;

const NAMES = ["$pageview", "$pageview", "$autocapture", "$autocapture", "$pageleave", "clicked"];
const PLANS = ["free", "team", "scale", "enterprise"];
const SECTIONS = ["docs", "blog", "pricing", "app", "settings", "reports", "team", "billing"];
const SYSTEMS = ["Mac OS X", "Windows", "Windows", "Linux", "iOS", "Android"];
const BROWSERS = ["Chrome", "Chrome", "Chrome", "Safari", "Firefox", "Microsoft Edge"];
const REFERRERS = ["$direct", "$direct", "www.google.com", "news.ycombinator.com", "t.co"];

/** One event with marks where ids and times go. ASCII alone. */
function render(kind: Kind, seed: number): string {
  const [a, b, c, d] = [1, 2, 3, 4].map((turn) => mix(seed * 8 + turn)) as [
    number,
    number,
    number,
    number,
  ];
  const pathname = `/${pick(SECTIONS, a)}/${(b % 500).toString(36)}`;
  const referrer = pick(REFERRERS, c);
  const properties: Record<string, unknown> = {
    $os: pick(SYSTEMS, b),
    $browser: pick(BROWSERS, c),
    $device_type: a % 3 === 0 ? "Mobile" : "Desktop",
    $current_url: `https://www.example.com${pathname}`,
    $host: "www.example.com",
    $pathname: pathname,
    $browser_version: 120 + (d % 40),
    $screen_height: pick([720, 900, 1080, 1440], a),
    $screen_width: pick([1280, 1440, 1920, 2560], a),
    $viewport_height: 600 + (b % 400),
    $viewport_width: 1000 + (c % 900),
    $lib: "web",
    $lib_version: "1.449.2",
    $insert_id: MARKS.insert,
    $time: MARKS.seconds,
    $device_id: MARKS.device,
    $referrer: referrer === "$direct" ? referrer : `https://${referrer}/`,
    $referring_domain: referrer,
    $session_id: MARKS.session,
    $window_id: MARKS.window,
    title: `Example ${pick(SECTIONS, a)} ${d % 100}`,
  };
  if (kind === "set" || kind === "identify") {
    properties["$set"] = { email: `user-${MARKS.email}@example.com`, plan: pick(PLANS, d) };
  }
  if (kind === "personless") properties["$process_person_profile"] = false;
  if (kind === "alias") properties["alias"] = MARKS.other;
  if (kind === "identify") properties["$anon_distinct_id"] = MARKS.other;
  const names: Partial<Record<Kind, string>> = { alias: "$create_alias", identify: "$identify" };
  const event = {
    uuid: MARKS.uuid,
    event: names[kind] ?? pick(NAMES, d),
    distinct_id: MARKS.distinct_id,
    properties,
    timestamp: MARKS.iso,
  };
  // `$time` is a number on the wire.
  return JSON.stringify(event).replace(`"${MARKS.seconds}"`, MARKS.seconds);
}
