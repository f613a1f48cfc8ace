import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { batch, event } from "../support/data/build-records.ts";
import { type TestApp, temporaryDirectory, testApp } from "../support/start/app.ts";
import { casesOf, rounds } from "../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const MIB = 1_048_576;
const BODY_BYTES = 20_900_000;
const KEY = `"api_key":"${PROJECT_KEY}"`;
const BEARER = { authorization: `Bearer ${PROJECT_KEY}` };

/** The most memory that a server may take at full load; without the caps it takes more. */
const GROWTH_BYTES_MAX = 800 * MIB;

/** Posts as the server would get it from a stranger. */
async function post(server: Server, body: Uint8Array | string, path = "/e/", headers = {}) {
  const answered = await fetch(server.url + path, {
    method: "POST",
    body: body as string,
    headers,
  });
  return { status: answered.status, body: (await answered.json()) as Record<string, unknown> };
}

/** The most memory that a process has ever had, where the system tells. */
function peakBytes(pid: number): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, "utf8"))?.[1] ?? 0) * 1024;
}

/** Returns quickly the text that `compressToBase64` of lz-string makes of so many blanks. */
function lz64Bomb(chars: number): string {
  let bits = "";
  const put = (number: number, width: number) => {
    bits += [...number.toString(2).padStart(width, "0")].reverse().join("");
  };
  put(0, 2);
  put(0x20, 8);
  // Each code is the entry that it makes: the one before, and one blank more.
  let entries = 4;
  for (let [total, phrase] = [1, 2]; total < chars; total += phrase, phrase += 1) {
    put(entries, 32 - Math.clz32(entries));
    entries += 1;
  }
  put(2, 32 - Math.clz32(entries));
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return bits.replace(/.{1,6}/g, (six) => alphabet[Number.parseInt(six.padEnd(6, "0"), 2)] ?? "");
}

/** So much of one item as a body holds, between a head and a tail. */
function filled(head: string, item: string, tail: string): string {
  return head + item.repeat(Math.floor(BODY_BYTES / item.length)) + tail;
}

/** The number of warnings for each reason. */
async function warned(app: TestApp): Promise<Record<string, number>> {
  const { body } = await app.get("/ingestion_warnings/");
  const { results } = body as { results: { type: string; count: number }[] };
  return Object.fromEntries(results.map(({ type, count }) => [type, count]));
}

/** The memory that a process has now. */
function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

describe.if(existsSync("/proc"))("bodies without a key that do not end", () => {
  const CONNECTIONS = 40;
  const server = sharedServer();

  /** Sends most of a body, and resolves once all of it is gone or the server has closed the connection. */
  async function unfinished(head: string): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const body = Buffer.alloc(19_000_000, "x");
    const size = `${body.length.toString(16)}\r\n`;
    socket.write(`POST /batch/ HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    if (head.includes("chunked")) socket.write(size);
    await new Promise<void>((resolve) => {
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
      socket.resume();
      socket.write(body, () => resolve());
    });
    return socket;
  }

  test.each([
    ["of a known length", `Content-Length: ${BODY_BYTES}`],
    ["in chunks", "Transfer-Encoding: chunked"],
  ])("%s take little memory, keep no event out, and leave nothing", async (_case, head) => {
    await server.capture(batch(event()));
    const before = residentBytes(server.pid);
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => unfinished(head)));

    const open = sockets.filter(({ closed }) => !closed);
    expect((await server.capture(batch(event()))).status).toBe(200);
    expect(open.length).toBeLessThanOrEqual(12);
    expect(peakBytes(server.pid) - before).toBeLessThan(320 * MIB);
    for (const socket of sockets) socket.destroy();

    while (residentBytes(server.pid) - before > 64 * MIB) await Bun.sleep(50);
  });
});

describe("a bomb", () => {
  const zeros = Buffer.alloc(200 * MIB, " ");
  const gzip = gzipSync(zeros, { level: 1 });
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const base64 = Buffer.from(gzip).toString("base64");
  const lz64 = lz64Bomb(200 * MIB);
  const server = sharedServer();
  let before = 0;
  beforeAll(async () => {
    before = peakBytes(server.pid);
  });
  test.each<[string, Uint8Array | string, string, Record<string, string>]>([
    ["gzip", gzip, "/e/", {}],
    ["gzip that says br", gzip, "/batch/", { "content-encoding": "br" }],
    ["deflate", deflateSync(zeros, { level: 1 }), "/e/", { "content-encoding": "deflate" }],
    ["br", brotliCompressSync(zeros, quick), "/e/", { "content-encoding": "br" }],
    ["zstd", zstdCompressSync(zeros), "/e/", { "content-encoding": "zstd" }],
    ["gzip in gzip", gzipSync(gzip), "/e/", {}],
    ["gzip in zstd", zstdCompressSync(gzip), "/e/", { "content-encoding": "zstd" }],
    ["gzip in base64", base64, "/e/?compression=base64", {}],
    ["gzip in base64 in a form", `data=${encodeURIComponent(base64)}`, "/e/", {}],
    ["lz64", lz64, "/e/?compression=lz64", {}],
    ["lz64 in a form", `data=${encodeURIComponent(lz64)}&compression=lz64`, "/engage/", {}],
  ])("of %s stops at the cap", async (_case, bomb, path, headers) => {
    const refused = await Promise.all(
      Array.from({ length: 4 }, () => post(server, bomb, path, headers)),
    );

    for (const { status, body } of refused) {
      expect(status).toBe(413);
      expect(body).toMatchObject({ code: "payload_too_large" });
    }
    expect(peakBytes(server.pid) - before).toBeLessThan(GROWTH_BYTES_MAX);
  });
});

describe("20 MB of nothing", () => {
  const server = sharedServer();
  let before = 0;
  beforeAll(async () => {
    before = peakBytes(server.pid);
  });
  const one = `{${KEY},"event":"e","distinct_id":"a","properties":`;
  const batched = `{${KEY},"batch":[{"event":"e","distinct_id":"a","properties":{"a":[`;
  const BODIES: [string, () => string, number][] = [
    ["lists in lists", () => "[".repeat(BODY_BYTES), 400],
    ["objects in objects", () => filled("", '{"a":', ""), 400],
    ["empty objects as events", () => filled(`{${KEY},"batch":[`, "{},", "{}]}"), 200],
    ["empty objects in an event", () => filled(`${one}{"a":[`, "{},", "0]}}"), 400],
    ["keys in one object", () => filled(`${one}{`, '"a":1,', '"b":1}}'), 400],
    ["digits", () => filled(`${one}{"a":`, "9999999999", "}}"), 200],
    ["one key", () => filled(`${one}{"`, "kkkkkkkkkk", '":1}}'), 200],
    ["blanks", () => filled("", "          ", ""), 400],
    ["backslashes", () => filled(`${one}{"a":"`, "\\\\\\\\\\\\\\\\\\\\", '"}}'), 200],
  ];
  const OTHERS: typeof BODIES = [
    ["lists in lists in a batch", () => `{${KEY},"batch":[${"[".repeat(BODY_BYTES)}`, 400],
    ["empty objects without a key", () => filled("[", "{},", "{}]"), 401],
    ["empty lists as events", () => filled(`{${KEY},"batch":[`, "[],", "[]]}"), 200],
    ["digits as events", () => filled(`{${KEY},"batch":[`, "0,", "0]}"), 200],
    ["empty objects in an event of a batch", () => filled(batched, "{},", "0]}}]}"), 200],
    ["infinite numbers", () => filled(`{${KEY},"batch":[`, "1e999,", "0]}"), 200],
  ];

  test.each(casesOf(BODIES, [...BODIES, ...OTHERS]))(
    "such as %s costs little, and other clients do not notice",
    async (_case, body, status) => {
      const [answered, others] = await Promise.all([
        post(server, body()),
        Promise.all(
          Array.from({ length: 5 }, () =>
            server.capture({ api_key: PROJECT_KEY, event: "other", distinct_id: "a" }),
          ),
        ),
      ]);

      expect(answered.status).toBe(status);
      expect(others.map((other) => other.status)).toEqual([200, 200, 200, 200, 200]);
      expect(peakBytes(server.pid) - before).toBeLessThan(GROWTH_BYTES_MAX);
    },
  );
});

describe("poisoned events among 10,000", () => {
  test("are dropped alone, each with a warning, and block nothing after a restart", async () => {
    using directory = temporaryDirectory();
    const deep = `{"a":${"[".repeat(129)}${"]".repeat(129)}}`;
    const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, n]));
    const poison = [
      `{"event":"e","distinct_id":"a","properties":${deep}}`,
      JSON.stringify(event({ properties: wide })),
      JSON.stringify(event({ properties: { a: "x".repeat(MIB) } })),
      '"e"',
      '{"event":{},"distinct_id":"a","properties":7}',
    ];
    const good = Array.from({ length: 9995 }, (_, n) => JSON.stringify(event({ event: `e${n}` })));
    const items = good.flatMap((item, n) =>
      n % 1999 === 1000 ? [poison[Math.floor(n / 1999)], item] : item,
    );

    let app = await testApp({ data: directory.path });
    const answered = await app.capture(`{${KEY},"batch":[${items.join()}]}`);

    expect(items).toHaveLength(10_000);
    expect(answered).toMatchObject({ status: 200, body: { status: "Ok" } });
    expect(answered.headers.get("hoglet-dropped")).toBe("5");
    expect(await warned(app)).toEqual({
      event_nested_too_deep: 1,
      event_has_too_many_keys: 1,
      message_size_too_large: 1,
      invalid_event: 2,
    });
    expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 9995 });
    await app[Symbol.asyncDispose]();

    app = await testApp({ data: directory.path });
    await app.capture(batch(event({ event: "after" })));
    expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 9996 });
    await app[Symbol.asyncDispose]();
  });
});

describe("hostile content", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const send = (body: string | Uint8Array, path = "/e/", headers = {}) =>
    app.ask("POST", path, { key: null, body, headers });

  async function storedProperties(distinctId: string): Promise<Record<string, unknown>> {
    await app.app.ingest.caughtUp();
    const { body } = await app.get(`/events/?distinct_id=${distinctId}`);
    const { results } = body as { results: { properties: Record<string, unknown> }[] };
    expect(results).toHaveLength(1);
    return results[0]?.properties ?? {};
  }

  test("in keys pollutes nothing, and is kept as it is", async () => {
    const hostile =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}';
    const body = `{${KEY},"event":"e","distinct_id":"proto","$set":${hostile},"properties":${hostile}}`;

    for (let n = rounds(100, 1000); n > 0; n -= 1) expect((await send(body)).status).toBe(200);
    await app.app.ingest.caughtUp();

    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const { body: persons } = await app.get("/persons/?distinct_id=proto");
    const { results } = persons as { results: { properties: object }[] };
    const properties = results[0]?.properties ?? {};
    expect(Object.getOwnPropertyNames(properties).sort()).toEqual([
      "__proto__",
      "constructor",
      "toString",
    ]);
    expect(JSON.stringify(properties)).toContain('"__proto__":{"polluted":1}');
  });

  test("in texts is stored, with U+FFFD where no store accepts it", async () => {
    const emoji = "🦔".repeat(200_000);
    const properties = `{"nul":"a\\u0000b","low":"\\udc00","high":"x\\ud800","bom":"\\ufeffa","rtl":"\\u202ea","crlf":"a\\r\\n\\u001b[31m","emoji":"${emoji}"}`;

    await send(`{${KEY},"event":"e","distinct_id":"texts","properties":${properties}}`);

    expect(await storedProperties("texts")).toEqual({
      nul: "a\ufffdb",
      low: "\ufffd",
      high: "x\ufffd",
      bom: "\ufeffa",
      rtl: "\u202ea",
      crlf: "a\r\n\u001b[31m",
      emoji,
    });
    expect(await warned(app)).toMatchObject({ replaced_invalid_text: 1 });
  });

  test("in numbers is stored as a double", async () => {
    const properties = `{"inf":1e400,"neg":-0,"unsafe":9007199254740993,"long":${"7".repeat(10_000)},"text":"NaN"}`;

    await send(`{${KEY},"event":"e","distinct_id":"numbers","properties":${properties}}`);

    expect(await storedProperties("numbers")).toEqual({
      inf: null,
      neg: 0,
      unsafe: 2 ** 53,
      long: null,
      text: "NaN",
    });
    expect(await warned(app)).toMatchObject({
      replaced_infinite_number: 1,
      rounded_unsafe_integer: 1,
    });
  });

  test("in repeated keys the last one counts, also for the project key", async () => {
    const [known, unknown] = [KEY, '"api_key":"phc_unknown"'];
    const rest = '"event":"e","distinct_id":"twice","properties":{"a":1,"a":2}}';

    expect((await send(`{${unknown},${known},${rest}`)).status).toBe(200);
    expect((await send(`{${known},${unknown},${rest}`)).status).toBe(401);

    expect(await storedProperties("twice")).toEqual({ a: 2 });
  });

  test.each<[string, string, string, Record<string, string>, number]>([
    ["body before query", '"api_key":"phc_unknown"', `?token=${PROJECT_KEY}`, {}, 401],
    ["body before Bearer", '"token":"phc_unknown"', "", BEARER, 401],
    ["body before a wrong query", KEY, "?token=phc_unknown", {}, 200],
    ["query before Bearer", '"x":1', "?token=phc_unknown", BEARER, 401],
    [
      "a personal key is no project key",
      '"x":1',
      "",
      { authorization: `Bearer ${PERSONAL_KEY}` },
      401,
    ],
  ])("in several keys is decided once: %s", async (_case, field, query, headers, status) => {
    const body = `{${field},"event":"e","distinct_id":"keys"}`;
    expect((await send(body, `/e/${query}`, headers)).status).toBe(status);
  });

  test("in unknown keys is stored nowhere", async () => {
    const KEYS = rounds(1500, 5000);
    const flood = async (round: number) => {
      for (let n = 0; n < KEYS; n += 1) {
        const api_key = `phc_unknown_${round}_${n}`.padEnd(60, "x");
        const refused = await app.ask("POST", "/e/", { key: null, body: { api_key, ...event() } });
        if (refused.status !== 401) throw new Error(`answered ${refused.status}`);
      }
      Bun.gc(true);
      return heapStats().objectTypeCounts["string"] ?? 0;
    };

    const strings = await flood(1);

    // One string or more for each key would be as many as keys.
    expect((await flood(2)) - strings).toBeLessThan(KEYS / 2);
    const { accepted, refused } = app.app.capture.counts();
    expect(accepted.size).toBeLessThanOrEqual(1);
    expect(refused.size).toBeLessThan(10);
  });
});

describe("thousands of names", () => {
  test("are data: each is stored as it is, and none becomes anything else", async () => {
    await using app = await testApp();
    const odd = [
      '"; DROP TABLE events; --',
      "'",
      "a.b[0]",
      "\\",
      "$$",
      "select",
      "é🦔",
      "x".repeat(150),
    ];
    const names = Array.from({ length: 3000 }, (_, n) => `${odd[n % odd.length]} ${n}`);

    const answered = await app.capture(
      batch(...names.map((name) => event({ event: name, properties: { [name]: name } }))),
    );

    expect(answered.status).toBe(200);
    const found: unknown[] = [];
    for (let offset = 0; offset < names.length; offset += 1000) {
      const { body } = await app.get(`/events/?limit=1000&offset=${offset}`);
      const { results } = body as { results: { event: string; properties: object }[] };
      found.push(...results.map(({ event: name, properties }) => [name, properties]));
    }
    expect(new Map(found as [string, object][])).toEqual(
      new Map(names.map((name) => [name, { [name]: name }])),
    );
    expect(await warned(app)).toEqual({});
  });
});
