import { describe, expect, test } from "bun:test";
import { type RequestHints, readSubmission } from "../../../src/core/capture/read-body.ts";
import { limitViolationOf, PART_BYTES } from "../../../src/core/events/json-limits.ts";
import { Failure } from "../../../src/core/values/failure.ts";
import { isObject, type Json } from "../../../src/core/values/json.ts";

const EVENT = { event: "e", distinct_id: "a" };
const DEEP = "[".repeat(200) + "]".repeat(200);
const SENT_AT = "2026-11-21T12:00:00Z";

/** Everything that a body's text comes to. */
function read(text: string, hints: Partial<RequestHints> = {}) {
  const submission = readSubmission(new TextEncoder().encode(text), {
    key: undefined,
    sentAt: undefined,
    keyInBody: true,
    ...hints,
  });
  const items: Json[] = [];
  const marks: number[] = [];
  const counts: number[] = [];
  const key = submission.each((item, mark, count) => {
    items.push(item);
    marks.push(mark);
    counts.push(count);
  });
  const { sentAt, historical } = submission;
  return { key, items, marks, counts, sentAt, historical };
}

const submitted = (body: Json, hints: Partial<RequestHints> = {}) =>
  read(JSON.stringify(body), hints);

function codeOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return "accepted";
}

describe("a submission", () => {
  test("is one event (contract 4.5)", () => {
    const event = { ...EVENT, api_key: "phc_a" };
    expect(submitted(event)).toEqual({
      key: "phc_a",
      items: [event],
      marks: [0],
      counts: [1],
      sentAt: undefined,
      historical: false,
    });
  });

  test("is one event of an import", () => {
    const event = { ...EVENT, api_key: "phc_a" };
    const read = submitted({ ...event, historical_migration: true });
    expect(read).toMatchObject({ items: [event], historical: true });
    expect(submitted({ ...event, historical_migration: null })).toMatchObject({
      historical: false,
    });
  });

  test("is a batch with sent_at and historical_migration (contract 4.5.3)", () => {
    const batch = {
      api_key: "phc_a",
      batch: [EVENT],
      sent_at: SENT_AT,
      historical_migration: true,
    };
    expect(submitted(batch)).toEqual({
      key: "phc_a",
      items: [EVENT],
      marks: [0],
      counts: [1],
      sentAt: Date.parse(SENT_AT),
      historical: true,
    });
  });

  test("is an array whose events carry the key in their properties", () => {
    const event = { event: "e", properties: { token: "phc_a", distinct_id: "a" } };
    expect(submitted([event, event])).toMatchObject({ key: "phc_a", items: [event, event] });
  });

  test("is read the same when it is so large that it is parsed in parts", () => {
    const items = Array.from({ length: 50 }, (_, n) => ({
      n,
      text: "é,[".repeat(PART_BYTES / 30),
    }));

    const whole = submitted({ batch: items, token: "phc_a", sent_at: SENT_AT });

    expect(whole.items).toEqual(items);
    expect(whole).toMatchObject({ key: "phc_a", sentAt: Date.parse(SENT_AT) });
  });

  test("has a sketch and the reason in place of an item that breaks a limit", () => {
    const first = `{"token":"phc_a"},{"uuid":"u","a":${DEEP}},${DEEP}`;
    const { items, marks } = read(`[${first},{"n":2},{"b":${DEEP},"uuid":"v"}]`);

    expect(items).toEqual([{ token: "phc_a" }, { uuid: "u" }, null, { n: 2 }, { uuid: "v" }]);
    const excesses = marks.map((mark) => limitViolationOf(mark));
    expect(excesses).toEqual([undefined, "depth", "depth", undefined, "depth"]);
  });

  test("has items without a key handed over together, however many, and the others as ever", () => {
    const bare = "{},[[]],1e999,".repeat(PART_BYTES / 4);
    const text = `{"token":"a","batch":[{"n":1},${bare}{"n":1e999},${bare}${DEEP},{"n":1e999}]}`;

    const { items, marks, counts } = read(text);

    const tally: Record<string, number> = {};
    for (const [place, item] of items.entries()) {
      const kind = isObject(item) ? JSON.stringify(item) : "no object";
      const name = marks[place] === 0 ? kind : `marked ${kind}`;
      tally[name] = (tally[name] ?? 0) + (counts[place] ?? 0);
    }
    expect(tally).toEqual({
      "{}": PART_BYTES / 2,
      "no object": PART_BYTES,
      '{"n":1}': 1,
      'marked {"n":null}': 2,
      "marked no object": 1,
    });
    // In a part that holds something else as well they come one by one.
    expect(items.length).toBeLessThan(PART_BYTES / 2);
  });
});

describe("the project key", () => {
  test.each<[string, Json, string]>([
    ["of the envelope wins over those of events", { token: "a", batch: [{ api_key: "b" }] }, "a"],
    [
      "is searched for after an empty one",
      { ...EVENT, api_key: "", properties: { token: "a" } },
      "a",
    ],
    ["may be called $token", { ...EVENT, $token: "a" }, "a"],
    ["of the body comes before others of the request", { ...EVENT, api_key: " a " }, "a"],
    ["may be outside the body", { batch: [EVENT] }, "hinted"],
    ["may be outside an event", EVENT, "hinted"],
  ])("%s", (_case, body, key) => {
    expect(submitted(body, { key: "hinted" }).key).toBe(key);
  });

  test("may be in an event that breaks a limit", () => {
    expect(read(`[{"x":${DEEP},"properties":{"token":"a"}}]`).key).toBe("a");
    expect(codeOf(`[{"api_key":"b"},{"x":${DEEP},"properties":{"token":"a"}}]`)).toBe(
      "invalid_api_key",
    );
  });

  test("is the one outside of the body where the protocol says so", () => {
    const body = { api_key: "b", batch: [{ ...EVENT, api_key: "c" }, EVENT] };
    expect(submitted(body, { key: "hinted", keyInBody: false }).key).toBe("hinted");
  });
});

describe("when it was sent", () => {
  test("is the one of the body, else the one of the query", () => {
    const hints = { sentAt: 5 };
    const event = { ...EVENT, api_key: "a" };
    expect(submitted({ ...event, sent_at: SENT_AT }, hints).sentAt).toBe(Date.parse(SENT_AT));
    expect(submitted({ ...event, sent_at: "nonsense" }, hints).sentAt).toBe(5);
    expect(submitted([event], hints).sentAt).toBe(5);
  });
});

describe("a submission", () => {
  const large = `[${Array.from({ length: 3 }, () => `{"api_key":"a","x":"${"x".repeat(PART_BYTES)}"}`).join()}`;

  test.each<[string, string, string]>([
    ["is a text", '"phc_a"', "invalid_payload"],
    ["is null", "null", "invalid_payload"],
    ["is an empty array", "[]", "invalid_payload"],
    ["is an empty batch", '{"api_key":"a","batch":[ ]}', "invalid_payload"],
    ["has a batch that is an object", '{"api_key":"a","batch":{}}', "invalid_payload"],
    ["has a batch that is null", '{"api_key":"a","batch":null}', "invalid_payload"],
    [
      "has an import that is a text",
      '{"api_key":"a","batch":[{}],"historical_migration":"true"}',
      "invalid_payload",
    ],
    [
      "has an import that is a number",
      '{"api_key":"a","historical_migration":1}',
      "invalid_payload",
    ],
    ["has two batches", '{"api_key":"a","batch":[{}],"batch":[{}]}', "invalid_payload"],
    ["has a name that is a number", '{"api_key":"a","event":1}', "invalid_payload"],
    ["has properties that are a text", '{"api_key":"a","properties":"x"}', "invalid_payload"],
    ["has nothing between two commas", '[{"api_key":"a"},,{}]', "invalid_payload"],
    ["has a comma at its end", '[{"api_key":"a"},]', "invalid_payload"],
    ["has brackets that do not match", '{"api_key":"a","batch":[{]}', "invalid_payload"],
    ["continues after its end", '[{"api_key":"a"}]x', "invalid_payload"],
    ["is large", `${large}]`, "accepted"],
    ["is large and has a comma at its end", `${large},]`, "invalid_payload"],
    [
      "is large and has no JSON among bare items",
      `${large},${"{},".repeat(PART_BYTES)}x]`,
      "invalid_payload",
    ],
    [
      "is large and has nothing among bare items",
      `${large},${"{},".repeat(PART_BYTES)},0]`,
      "invalid_payload",
    ],
    ["is large and continues after its end", `${large}]]`, "invalid_payload"],
    ["is large and has no end", large, "invalid_payload"],
    [
      "is large and has a second batch in escapes",
      `{"batch":${large}],"b\\u0061tch":[1]}`,
      "invalid_payload",
    ],
    ["has no key", JSON.stringify(EVENT), "invalid_api_key"],
    ["has a key that is a number", '{"event":"e","api_key":7}', "invalid_api_key"],
    ["has two keys", '[{"api_key":"a"},{"properties":{"token":"b"}}]', "invalid_api_key"],
    [
      "lacks a name, which is no failure (contract 7)",
      '{"api_key":"a","distinct_id":"a"}',
      "accepted",
    ],
  ])("that %s: %p", (_case, text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test.each([
    ['{"event":"e","api_key":7}', "The project API key is a number: a text is expected."],
    ['[{"api_key":["a"]}]', "The project API key is a list: a text is expected."],
    [
      '[{"api_key":"phc_0123456789abcd"},{"token":"phc_zyxwvutsrq9876"}]',
      "Two project API keys were found, phc_...abcd and phc_...9876: one is expected.",
    ],
    [
      '{"event":"e","properties":"x","api_key":"a"}',
      "`properties` is a text: an object is expected.",
    ],
    ['{"event":5,"api_key":"a"}', "`event` is 5: a text is expected."],
  ])("%s names the one thing that is wrong", (text, detail) => {
    const bytes = new TextEncoder().encode(text);
    const hints = { key: undefined, keyInBody: true, sentAt: undefined };
    expect(() => readSubmission(bytes, hints).each(() => {})).toThrow(detail);
  });
});
