import { describe, expect, test } from "bun:test";
import { admitBody, type Body, ndjsonBuffer } from "../../../src/core/capture/admit-body.ts";

const KEY = "phc_testproject";
const NOW = Date.parse("2026-11-21T12:00:00Z");
const UUID = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
const MINTED = "019a0000-0000-7000-8000-000000000000";

/** Admits the items of a body; `items` is text, so that it may be invalid JSON. */
const admit = (items: string, more: Partial<Body> = {}) =>
  admitBody(
    {
      bytes: new TextEncoder().encode(`{"api_key":"${KEY}","batch":[${items}]}`),
      encoding: "",
      compression: "",
      protocol: "events",
      sdk: "",
      hints: { key: undefined, keyInBody: true, sentAt: undefined },
      ...more,
    },
    { now: NOW, newUuid: () => MINTED, countryOf: () => undefined, salts: {} },
  );

const event = (fields: Record<string, unknown> = {}) =>
  JSON.stringify({ event: "e", distinct_id: "ann", uuid: UUID, ...fields });

const linesOf = (lines: Uint8Array) =>
  new TextDecoder()
    .decode(lines)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The changes that each line has, with the distinct id of its event. */
const changesIn = (lines: Uint8Array) =>
  linesOf(lines).flatMap(({ changed, distinct_id }) => (changed ? [[distinct_id, changed]] : []));

describe("admission", () => {
  test("makes a line of each event and says nothing when nothing happened", () => {
    const { lines, ...rest } = admit([event(), event({ uuid: undefined })].join());

    expect(linesOf(lines)).toMatchObject([{ uuid: UUID }, { uuid: MINTED }]);
    expect(rest).toEqual({
      key: KEY,
      historical: false,
      count: 2,
      dropped: 0,
      warnings: [],
      results: "",
    });
  });

  const field = "ignored_event_field";
  test.each<[string, Record<string, unknown>, [string, string | null, string | null] | []]>([
    ["an event", { event: "e", distinct_id: "bob", uuid: UUID }, ["invalid_event", UUID, "bob"]],
    ["an event without an id", { event: "e" }, ["invalid_event", null, null]],
    ["properties", { properties: { plan: "pro" } }, [field, null, null]],
    ["a distinct id", { distinct_id: "bob" }, [field, null, "bob"]],
    ["a field of your own", { colour: "red" }, [field, null, null]],
    ["nothing that has a value", { properties: {}, colour: null, event: null }, []],
    ["the name of a library", { library: "a", library_version: "1", type: "capture" }, []],
  ])("reports %s next to the batch, and stores the batch", (_name, beside, reported) => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ api_key: KEY, ...beside, batch: [JSON.parse(event())] }),
    );
    const [type, event_uuid, distinct_id] = reported;
    expect(admit("", { bytes })).toMatchObject({
      count: 1,
      dropped: type === "invalid_event" ? 1 : 0,
      warnings: type ? [{ type, count: 1, event_uuid, distinct_id }] : [],
    });
  });

  test("reports a field of an item that only a body may have", () => {
    const sentAt = { sent_at: "2026-11-21T12:00:00Z" };
    for (const field of [{ historical_migration: true }, { batch: [{ event: "lost" }] }, sentAt]) {
      const { lines } = admit(event(field));
      expect(changesIn(lines)).toEqual([["ann", ["ignored_event_field"]]]);
    }
  });

  test("makes the same lines of many events as of each alone, in their order", () => {
    const events = Array.from({ length: 4000 }, (_, at) =>
      event({ event: `e${at}`, properties: { text: "ü€😀".repeat(at % 200) } }),
    );
    const { lines, count } = admit(events.join());

    expect(count).toBe(events.length);
    const alone = events.map((one) => new TextDecoder().decode(admit(one).lines)).join("");
    expect(new TextDecoder().decode(lines) === alone).toBe(true);
    // It is sent on to another thread, with no more room than a quarter of the body.
    const body = Buffer.byteLength(events.join());
    expect(lines.buffer.byteLength).toBeLessThan(body * 1.26);
  });

  test("warns of each event that is not stored, and a stored line has its changes", () => {
    const second = "01a1fc9a-592b-78b3-8d80-aa75992efaea";
    const { dropped, count, lines, warnings } = admit(
      [
        event({ event: "" }),
        event({ event: "", uuid: second, distinct_id: "bob" }),
        event({ timestamp: "yesterday", uuid: second, distinct_id: "bob" }),
        event({ timestamp: "tomorrow", event: "x".repeat(300) }),
        event({ uuid: "nonsense" }),
        "7",
        event({ distinct_id: undefined }),
      ].join(),
    );

    expect([dropped, count]).toEqual([4, 3]);
    expect(warnings).toEqual([
      { type: "missing_event_name", count: 1, event_uuid: UUID, distinct_id: "ann" },
      { type: "missing_event_name", count: 1, event_uuid: second, distinct_id: "bob" },
      { type: "invalid_event", count: 1, event_uuid: null, distinct_id: null },
      { type: "missing_distinct_id", count: 1, event_uuid: UUID, distinct_id: null },
    ]);
    expect(linesOf(lines).map(({ uuid, changed }) => [uuid, changed])).toEqual([
      [second, ["ignored_invalid_timestamp"]],
      [UUID, ["event_name_too_long", "ignored_invalid_timestamp"]],
      [MINTED, ["replaced_invalid_uuid"]],
    ]);
  });

  test.each<[string, unknown, number | undefined, number]>([
    ["that is no time", "junk", undefined, 2],
    ["that is a number", 1_795_239_893_389, undefined, 2],
    ["that is invalid, while the query has a valid one", "junk", NOW, 0],
    ["that is null", null, undefined, 0],
  ])("says which times a sent_at %s left uncorrected", (_case, sent_at, sentAt, count) => {
    const timestamp = "2026-11-21T11:00:00Z";
    const items = [
      event(),
      event({ timestamp }),
      event({ timestamp, properties: { $ignore_sent_at: true } }),
      event({ timestamp: "2026-11-21T11:30:00Z" }),
      event({ offset: 5 }),
    ];
    const text = `{"api_key":"${KEY}","sent_at":${JSON.stringify(sent_at)},"batch":[${items}]}`;

    const { lines } = admit("", {
      bytes: new TextEncoder().encode(text),
      hints: { key: undefined, keyInBody: true, sentAt },
    });

    expect(linesOf(lines)[1].timestamp).toBe("2026-11-21T11:00:00.000000Z");
    const change = ["ann", ["ignored_invalid_sent_at"]];
    expect(changesIn(lines)).toEqual(Array.from({ length: count }, () => change));
  });

  test.each<[string, string, unknown, string]>([
    ["1e400", "infinite", null, "replaced_infinite_number"],
    ["-1e400", "infinite", null, "replaced_infinite_number"],
    ["9".repeat(10_000), "infinite", null, "replaced_infinite_number"],
    ["NaN", "no number", null, "replaced_infinite_number"],
    ["Infinity", "infinite", null, "replaced_infinite_number"],
    ["-Infinity", "infinite", null, "replaced_infinite_number"],
    ["9007199254740993", "rounded", 2 ** 53, "rounded_unsafe_integer"],
    ["-9007199254740993", "rounded", -(2 ** 53), "rounded_unsafe_integer"],
  ])("stores the number %p as a double does, %s, and says so", (number, _what, stored, type) => {
    const raw = event().replace("}", `,"properties":{"list":[1,{"n":${number}}]}}`);

    const { lines, warnings } = admit([event(), raw].join());

    expect(linesOf(lines)[1].properties).toEqual({ list: [1, { n: stored }] });
    expect(changesIn(lines)).toEqual([["ann", [type]]]);
    expect(warnings).toEqual([]);
  });

  test.each([
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "1234567890123456789",
    "99999999999999999999999999",
  ])("keeps the integer %s by its digits where it is an id, and says nothing", (digits) => {
    const ids = `"distinct_id":${digits},"alias": ${digits},"$anon_distinct_id" : ${digits}`;
    const single = `{"api_key":"${KEY}","event":"e","uuid":"${UUID}","properties":{${ids},"n":1}}`;
    const named = `{"event":"e","distinct_id":${digits},"properties":{"distinct_id":${digits}}}`;

    const alone = admit("", { bytes: new TextEncoder().encode(single) });
    const { lines } = admit([event(), single, event(), named, event()].join());

    const properties = { distinct_id: digits, alias: digits, $anon_distinct_id: digits, n: 1 };
    expect(linesOf(alone.lines)).toMatchObject([{ distinct_id: digits, properties }]);
    expect([...changesIn(alone.lines), ...changesIn(lines)]).toEqual([]);
    expect(linesOf(lines).map(({ distinct_id }) => distinct_id)).toEqual([
      "ann",
      digits,
      "ann",
      digits,
      "ann",
    ]);
    expect(linesOf(lines)[3].properties).toEqual({ distinct_id: digits });
  });

  test("keeps the integers by their digits that are keys of groups and ids of users", () => {
    const digits = ["1234567890123456789", "9007199254740993", "-9223372036854775808"];
    const [first, second, third] = digits;
    const groups = `"$groups": {"guild":${first},"dist\\u0072ict" : ${second},"team":7,"shop":${third}}`;
    const ids = `"$group_key":${second},"$user_id":${third},"$device_id":${first}`;
    const raw = event().replace("}", `,"properties":{${groups},${ids},"n":{"guild":1}}}`);

    const { lines, warnings } = admit([event(), raw, event()].join());

    expect(linesOf(lines)[1].properties).toEqual({
      $groups: { guild: first, district: second, team: 7, shop: third },
      ...{ $group_key: second, $user_id: third, $device_id: first, n: { guild: 1 } },
    });
    expect([...changesIn(lines), ...warnings]).toEqual([]);
  });

  test("NaN in any field harms no other event, and texts keep it", () => {
    const good = event({ properties: { note: `NaN, "Infinity" and -Infinity` } });
    const bad = [
      '{"event":"e","distinct_id":"a","timestamp":NaN}',
      '{"event":"e","distinct_id":"b","properties":{"$set":{"score":-Infinity},"l":[NaN,[Infinity]]}}',
      '{"event":"e","distinct_id":NaN}',
      '{"event":"e","distinct_id":"c","uuid":NaN}',
      "NaN",
    ];
    const fill = event({ properties: { text: "x".repeat(200_000) } });

    const { lines, dropped, warnings } = admit([good, ...bad, fill, ...bad, good].join());

    const own = [
      ["a", "replaced_infinite_number"],
      ["b", "replaced_infinite_number"],
      ["c", "replaced_infinite_number"],
    ];
    const changed = changesIn(lines).map(([id, changes]) => [id, changes.at(-1)]);
    expect(changed).toEqual([...own, ...own]);
    expect(linesOf(lines)[0].properties).toEqual(JSON.parse(good).properties);
    expect(linesOf(lines)[2].properties).toEqual({ $set: { score: null }, l: [null, [null]] });
    expect(dropped).toBe(4);
    expect(warnings.map(({ type, count }) => [type, count])).toEqual([
      ["missing_distinct_id", 2],
      ["invalid_event", 2],
    ]);
  });

  test("integers that only look like ids, and too many ids, are reported as rounded", () => {
    const deeper = '{"a":{"distinct_id":9007199254740993}}';
    const listed = '{"a":["alias",9007199254740993]}';
    const exact = '{"a":{"alias":9007199254740992}}';
    const many = `{${'"alias":9007199254740993,'.repeat(1000)}"alias":1}`;
    const items = [deeper, listed, exact, many].map((properties, at) =>
      event({ distinct_id: `p${at}`, properties: 0 }).replace(/0}$/, `${properties}}`),
    );

    const { count, lines } = admit([event(), ...items].join());

    expect(count).toBe(5);
    expect(changesIn(lines)).toEqual([0, 1, 3].map((at) => [`p${at}`, ["rounded_unsafe_integer"]]));
  });

  test("an id of digits is kept in a body of many parts and next to items over a limit", () => {
    const fill = event({ properties: { text: "x".repeat(1000) } });
    const numbered = (at: number) => `{"event":"e","distinct_id":1234567890123${456_700 + at}}`;
    const deep = event({ properties: 0 }).replace(
      /0}$/,
      `{"a":${"[".repeat(200)}${"]".repeat(200)}}}`,
    );
    const items = Array.from({ length: 600 }, (_, at) => [fill, numbered(at), deep]).flat();

    const { lines, dropped } = admit(items.join());

    const ids = linesOf(lines).map(({ distinct_id }) => distinct_id);
    const expected = Array.from({ length: 600 }, (_, at) => [
      "ann",
      `1234567890123${456_700 + at}`,
    ]);
    expect([ids, dropped]).toEqual([expected.flat(), 600]);
  });

  test("an id of digits is kept after items that are no events, and ignored in the envelope", () => {
    const named = '{"event":"e","distinct_id":9007199254740993}';
    const bare = `0,["alias",9007199254740993],${"0,".repeat(70_000)}`;
    const body = `{"distinct_id":9007199254740993,"api_key":"${KEY}","batch":[${event()},${bare}${named}]}`;

    const { lines, warnings } = admit("", { bytes: new TextEncoder().encode(body) });

    expect(linesOf(lines).map(({ distinct_id }) => distinct_id)).toEqual([
      "ann",
      "9007199254740993",
    ]);
    expect(new Set(warnings.map(({ type }) => type))).toEqual(new Set(["invalid_event", field]));
  });

  test("warns of numbers of a single event, and not of the envelope's", () => {
    const single = event().replace("}", `,"api_key":"${KEY}","properties":{"n":1e400}}`);
    const bytes = new TextEncoder().encode(single);
    expect(changesIn(admit("", { bytes }).lines)).toEqual([["ann", ["replaced_infinite_number"]]]);

    const batch = new TextEncoder().encode(`{"n":1e400,"api_key":"${KEY}","batch":[${event()}]}`);
    expect(changesIn(admit("", { bytes: batch }).lines)).toEqual([]);
  });

  const DEEP = `${"[".repeat(200)}${"]".repeat(200)}`;
  const WIDE = `{${Array.from({ length: 10_001 }, (_, n) => `"${n}":0`).join()}}`;
  const MANY = `[${"{},".repeat(400_000)}0]`;

  test.each([
    ["nested too deep", DEEP, "event_nested_too_deep"],
    ["too wide", WIDE, "event_has_too_many_keys"],
    ["too large", `"${"x".repeat(1_048_576)}"`, "message_size_too_large"],
    ["of too many objects", MANY, "message_size_too_large"],
  ])("drops an event that is %s alone, and says which it was", (_case, value, type) => {
    const fields = { distinct_id: "bob", properties: { distinct_id: "eve", a: "value" } };
    const item = event(fields).replace('"value"', value);
    const items = [event(), item, event()].join();
    const packed = Bun.gzipSync(`{"api_key":"${KEY}","batch":[${items}]}`);

    for (const { count, dropped, warnings } of [admit(items), admit("", { bytes: packed })]) {
      expect([count, dropped]).toEqual([2, 1]);
      expect(warnings).toEqual([{ type, count: 1, event_uuid: UUID, distinct_id: "bob" }] as never);
    }
  });

  test.each<[string, string, string | null, string | null]>([
    ["an id in its properties", '{"properties":{"distinct_id":"ann"},', null, "ann"],
    ["a number as its id", '{"distinct_id":7,', null, "7"],
    ["an id of digits", '{"distinct_id":12345678901234567890,', null, "12345678901234567890"],
    ["a longer id than is kept", `{"distinct_id":"${"x".repeat(300)}",`, null, "x".repeat(200)],
    ["a uuid in capitals", `{"uuid":"${UUID.toUpperCase()}",`, UUID, null],
    ["an invalid uuid", '{"uuid":"nonsense","distinct_id":"ann",', null, "ann"],
    ["no JSON in it", `{"uuid":"${UUID}","distinct_id":"ann",x:`, UUID, "ann"],
  ])("warns of an event over a limit with %s as of a parsed one", (_case, head, uuid, id) => {
    const { lines, warnings } = admit([event(), `${head}"a":${DEEP}}`].join());
    expect(linesOf(lines)).toHaveLength(1);
    expect(warnings).toEqual([
      { type: "event_nested_too_deep", count: 1, event_uuid: uuid, distinct_id: id },
    ]);
  });

  test.each<[Body["protocol"], string]>([
    ["events", "missing_event_name"],
    ["engage", "missing_distinct_id"],
  ])("counts each of many items without a key as %s does: %s", (protocol, type) => {
    const bare = "{},[{}],0,1e999,".repeat(100_000);

    const { count, dropped, warnings } = admit(`${event()},${bare}${event()}`, { protocol });

    expect([count, dropped]).toEqual([2, 400_000]);
    const none = { event_uuid: null, distinct_id: null };
    expect(new Set(warnings)).toEqual(
      new Set([
        { type, count: 100_000, ...none },
        { type: "invalid_event", count: 300_000, ...none },
      ] as never),
    );
  });
});

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("lines", () => {
  test("of few characters are as many bytes, and nothing is collected", () => {
    let collected = 0;
    const lines = ndjsonBuffer(10, () => {
      collected += 1;
    });
    for (const line of ["one", "", "ü€😀"]) lines.add(line);

    const count = lines.count();
    const bytes = lines.bytes();

    expect([count, collected]).toEqual([3, 0]);
    expect(text(bytes)).toBe("one\n\nü€😀\n");
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
  });

  test("none are no bytes", () => {
    expect(ndjsonBuffer(1).bytes()).toEqual(new Uint8Array());
  });

  test.each([
    ["fewer than", 20_000_000],
    ["as many as", 6_300_000],
    ["more than", 1000],
  ])("of %s the body's bytes are whole, and garbage is collected on the way", (_how, bodyBytes) => {
    let collected = 0;
    const lines = ndjsonBuffer(bodyBytes, () => {
      collected += 1;
    });
    const all = Array.from({ length: 3000 }, (_, at) => `${at} ${"ü€😀x".repeat(200)}`);
    for (const line of all) lines.add(line);

    const bytes = lines.bytes();

    expect(text(bytes) === `${all.join("\n")}\n`).toBe(true);
    expect(collected).toBe(2);
    // They change threads with all their room, which holds nothing else.
    const most = Math.max(bodyBytes * 1.25, bytes.length * 2);
    expect([bytes.byteOffset, bytes.buffer.byteLength <= most]).toEqual([0, true]);
  });
});
