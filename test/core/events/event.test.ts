import { describe, expect, test } from "bun:test";
import {
  admit,
  type CapturedEvent,
  EVENT_BYTES_MAX,
  type Outcome,
} from "../../../src/core/events/event.ts";
import type { Json } from "../../../src/core/values/json.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const UUID = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
const MINTED = "019a0000-0000-7000-8000-000000000000";

const admitted = (raw: Json, sentAt?: number): Outcome =>
  admit(raw, { now: NOW, sentAt, newUuid: () => MINTED });

function stored(raw: Json, sentAt?: number): { event: CapturedEvent; changes: string[] } {
  const outcome = admitted(raw, sentAt);
  if ("dropped" in outcome) throw new Error(`dropped: ${outcome.dropped}`);
  return { event: JSON.parse(outcome.line), changes: outcome.changes };
}

describe("an event that is not ingested (contract 7)", () => {
  test.each<[string, Json, string]>([
    ["has no name", { distinct_id: "a" }, "missing_event_name"],
    ["has an empty name", { event: "", distinct_id: "a" }, "missing_event_name"],
    ["has a blank name", { event: " ", distinct_id: "a" }, "missing_event_name"],
    ["has no distinct_id", { event: "e" }, "missing_distinct_id"],
    ["has a null distinct_id", { event: "e", distinct_id: null }, "missing_distinct_id"],
    ["has an empty distinct_id", { event: "e", distinct_id: "" }, "missing_distinct_id"],
    ["has a blank distinct_id", { event: "e", distinct_id: "  " }, "missing_distinct_id"],
    [
      "has a number that is not exact as distinct_id",
      { event: "e", distinct_id: 2 ** 53 },
      "missing_distinct_id",
    ],
    [
      "has an infinite distinct_id",
      JSON.parse('{"event":"e","distinct_id":1e400}'),
      "missing_distinct_id",
    ],
    ["is no object", "e", "invalid_event"],
    ["is null", null, "invalid_event"],
    ["has a name that is no text", { event: 7, distinct_id: "a" }, "invalid_event"],
    [
      "has properties that are a list",
      { event: "e", distinct_id: "a", properties: [{}] },
      "invalid_event",
    ],
  ])("%s", (_case, raw, reason) => {
    expect(admitted(raw)).toMatchObject({ dropped: reason });
  });

  test.each(["$identify", "$create_alias", "$merge_dangerously", "$groupidentify"])(
    "is %s without a person profile",
    (event) => {
      const raw = { event, distinct_id: "a", properties: { $process_person_profile: false } };
      expect(admitted(raw)).toEqual({
        dropped: "invalid_event_when_process_person_profile_is_false",
        uuid: null,
        distinct_id: "a",
      });
    },
  );

  test.each([
    ["$performance_event", "performance_event_not_kept"],
    ["$snapshot", "session_recording_not_kept"],
    ["$snapshot_items", "session_recording_not_kept"],
    ["$$client_ingestion_warning", "client_ingestion_warning"],
  ])("is %s, which is no event to be stored", (event, reason) => {
    const raw = { event, uuid: UUID, distinct_id: "a", properties: { anything: 1 } };
    expect(admitted(raw)).toEqual({ dropped: reason as never, uuid: UUID, distinct_id: "a" });
  });

  test("is larger than EVENT_BYTES_MAX", () => {
    const raw = (chars: number) => ({
      event: "e",
      distinct_id: "a",
      properties: { text: "x".repeat(chars) },
    });
    expect(admitted(raw(EVENT_BYTES_MAX))).toMatchObject({ dropped: "message_size_too_large" });
    expect(stored(raw(EVENT_BYTES_MAX - 1000)).changes).toEqual([]);
  });

  test("says which event it is, as far as it does", () => {
    const long = "a\0".padEnd(300, "b");
    expect(admitted({ uuid: UUID.toUpperCase(), distinct_id: long })).toEqual({
      dropped: "missing_event_name",
      uuid: UUID,
      distinct_id: "a\ufffd".padEnd(200, "b"),
    });
    expect(admitted({ uuid: "x", event: "e" })).toMatchObject({ uuid: null, distinct_id: null });
    expect(admitted("e")).toMatchObject({ uuid: null, distinct_id: null });
  });
});

describe("a distinct id (contract 2.5)", () => {
  test.each<[string, Json, string]>([
    [
      "is taken from the top",
      { event: "e", distinct_id: "top", properties: { distinct_id: "in" } },
      "top",
    ],
    ["else from properties", { event: "e", properties: { distinct_id: "in" } }, "in"],
    ["is stringified when a number", { event: "e", distinct_id: 23 }, "23"],
    ["is stringified when zero", { event: "e", distinct_id: 0 }, "0"],
    ["is stringified when a list", { event: "e", distinct_id: ["a", "b"] }, '["a","b"]'],
    ["loses its NUL", { event: "e", distinct_id: "a\0b" }, "a\ufffdb"],
    ["loses its lone surrogate", { event: "e", distinct_id: "a\ud800b" }, "a\ufffdb"],
    ["keeps odd words", { event: "e", distinct_id: "null" }, "null"],
  ])("%s", (_case, raw, id) => {
    expect(stored(raw).event.distinct_id).toBe(id);
  });

  test("is cut to 200 characters, counted as code points, with a warning", () => {
    const { event, changes } = stored({ event: "e", distinct_id: "🦔".repeat(201) });

    expect(event.distinct_id).toBe("🦔".repeat(200));
    expect(changes).toEqual(["distinct_id_too_large"]);
  });
});

describe("a uuid", () => {
  test("is kept, in lower case", () => {
    const raw = { event: "e", distinct_id: "a", uuid: UUID.toUpperCase() };
    expect(stored(raw)).toMatchObject({ event: { uuid: UUID }, changes: [] });
  });

  test.each<[Json, string[]]>([
    [null, []],
    ["", []],
    ["not-a-uuid", ["replaced_invalid_uuid"]],
    [7, ["replaced_invalid_uuid"]],
  ])("%p is replaced", (uuid, changes) => {
    const raw = { event: "e", distinct_id: "a", uuid };
    expect(stored(raw)).toMatchObject({ event: { uuid: MINTED }, changes });
  });
});

describe("the time of an event", () => {
  const at = (raw: { [key: string]: Json }, sentAt?: number) =>
    stored({ event: "e", distinct_id: "a", ...raw }, sentAt);

  test.each<[string, { [key: string]: Json }, number | undefined, string, string[]]>([
    ["is now without a timestamp", {}, undefined, "2026-11-21T12:00:00.000000Z", []],
    [
      "is the timestamp",
      { timestamp: "2026-11-20T08:00:00+02:00" },
      undefined,
      "2026-11-20T06:00:00.000000Z",
      [],
    ],
    [
      "is UTC without a zone",
      { timestamp: "2026-11-20T08:00:00" },
      undefined,
      "2026-11-20T08:00:00.000000Z",
      [],
    ],
    [
      "keeps microseconds",
      { timestamp: "2026-11-20T08:00:00.123456Z" },
      undefined,
      "2026-11-20T08:00:00.123456Z",
      [],
    ],
    [
      "loses the sender's skew",
      { timestamp: "2026-11-20T08:00:00Z" },
      NOW + 3_600_000,
      "2026-11-20T07:00:00.000000Z",
      [],
    ],
    [
      "keeps it with $ignore_sent_at",
      { timestamp: "2026-11-20T08:00:00Z", properties: { $ignore_sent_at: true } },
      NOW + 3_600_000,
      "2026-11-20T08:00:00.000000Z",
      [],
    ],
    [
      "follows offset before all",
      { timestamp: "2026-11-20T08:00:00Z", offset: 1500 },
      NOW + 5,
      "2026-11-21T11:59:58.500000Z",
      [],
    ],
    [
      "is now when unparseable",
      { timestamp: "yesterday" },
      undefined,
      "2026-11-21T12:00:00.000000Z",
      ["ignored_invalid_timestamp"],
    ],
    [
      "may be a number, which loses the sender's skew too",
      { timestamp: 1_700_000_000 },
      NOW + 60_000,
      "2023-11-14T22:12:20.000000Z",
      [],
    ],
    [
      "may be as e-mail has it",
      { timestamp: "Fri, 20 Nov 2026 08:00:00 GMT" },
      undefined,
      "2026-11-20T08:00:00.000000Z",
      [],
    ],
    [
      "is now when it is a number that is no time",
      { timestamp: 5 },
      undefined,
      "2026-11-21T12:00:00.000000Z",
      ["ignored_invalid_timestamp"],
    ],
    [
      "is now when over 23 h ahead",
      { timestamp: "2026-11-22T11:00:01Z" },
      undefined,
      "2026-11-21T12:00:00.000000Z",
      ["event_timestamp_in_future"],
    ],
    [
      "may be 23 h ahead",
      { timestamp: "2026-11-22T11:00:00Z" },
      undefined,
      "2026-11-22T11:00:00.000000Z",
      [],
    ],
    [
      "is now when before the year 1",
      { offset: 1e15 },
      undefined,
      "2026-11-21T12:00:00.000000Z",
      ["event_timestamp_too_early"],
    ],
    [
      "is now when beyond what a date can be",
      { timestamp: "+275760-09-13T00:00:00Z" },
      undefined,
      "2026-11-21T12:00:00.000000Z",
      ["ignored_invalid_timestamp"],
    ],
    [
      "is now in the year 9999",
      { timestamp: "9999-12-31T23:59:59Z" },
      undefined,
      "2026-11-21T12:00:00.000000Z",
      ["event_timestamp_in_future"],
    ],
    [
      "is now when a sender's clock takes it before the year 1",
      { timestamp: "2026-11-20T08:00:00Z" },
      Date.parse("9999-12-31T23:59:59Z"),
      "2026-11-21T12:00:00.000000Z",
      ["event_timestamp_too_early"],
    ],
    [
      "takes no offset that is no number",
      { timestamp: "2026-11-20T08:00:00Z", offset: "5" },
      undefined,
      "2026-11-20T08:00:00.000000Z",
      ["ignored_invalid_timestamp"],
    ],
    [
      "may be in the year 1",
      { timestamp: "0001-01-01" },
      undefined,
      "0001-01-01T00:00:00.000000Z",
      [],
    ],
  ])("%s", (_case, raw, sentAt, timestamp, changes) => {
    expect(at(raw, sentAt)).toMatchObject({ event: { timestamp }, changes });
  });
});

describe("properties", () => {
  test("take in $set and $set_once of the top level, which win", () => {
    const raw = {
      event: "$identify",
      distinct_id: "a",
      $set: { plan: "pro" },
      $set_once: { first: 1 },
      properties: { $set: { plan: "free", name: "Ann" } },
    };

    expect(stored(raw).event.properties).toEqual({
      $set: { plan: "pro", name: "Ann" },
      $set_once: { first: 1 },
    });
  });

  test("are empty objects where PHP writes them as []", () => {
    const properties = { $set: [], $set_once: [], $unset: [], $groups: [] };
    const raw = { event: "e", distinct_id: "a", properties, $set: [], $set_once: [] };
    expect(stored(raw)).toMatchObject({ event: { properties }, changes: [] });

    const bare = { event: "e", distinct_id: "a", properties: [] };
    expect(stored(bare)).toMatchObject({ event: { properties: {} }, changes: [] });
  });

  test("say so when a top-level $set is nothing that can be set", () => {
    const raw = { event: "e", distinct_id: "a", $set: "plan", $set_once: null };
    expect(stored(raw)).toMatchObject({
      event: { properties: {} },
      changes: ["ignored_invalid_set"],
    });
  });

  test.each<[string, object]>([
    ["a number", { properties: { $unset: 7 } }],
    ["true", { properties: { $unset: true } }],
    ["a list of others than texts", { properties: { $unset: ["plan", 7] } }],
    ["a list outside of the properties", { $unset: ["plan"] }],
  ])("say so when $unset is %s", (_case, raw) => {
    const { changes } = stored({ event: "e", distinct_id: "a", ...raw });
    expect(changes).toEqual(["ignored_invalid_unset"]);
  });

  test.each<[Json]>([[null], ["plan"], [[]], [["plan"]], [{ plan: "" }]])(
    "say nothing of $unset when it is %j",
    ($unset) => {
      expect(stored({ event: "e", distinct_id: "a", properties: { $unset } }).changes).toEqual([]);
    },
  );

  test("keep hostile keys as their own and pollute nothing", () => {
    const text =
      '{"event":"e","distinct_id":"a","properties":{"__proto__":{"polluted":1},"constructor":{"prototype":2}},"$set":{"__proto__":{"polluted":1}}}';

    const outcome = admitted(JSON.parse(text));

    expect("line" in outcome && outcome.line).toContain('"__proto__":{"polluted":1}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("store overflowing numbers as null and invalid Unicode as U+FFFD", () => {
    const raw = JSON.parse(
      '{"event":"e","distinct_id":"a","properties":{"big":1e400,"low":"\\ud800","nul":"a\\u0000b","text":"\\\\ud800"}}',
    );

    expect(stored(raw)).toMatchObject({
      event: { properties: { big: null, low: "\ufffd", nul: "a\ufffdb", text: "\\ud800" } },
      changes: ["replaced_invalid_text"],
    });
  });

  test.each<[string, Json]>([
    ["name", { event: "e\0", distinct_id: "a" }],
    ["distinct id", { event: "e", distinct_id: "a\ud800" }],
  ])("a %s that is not Unicode is mended with a warning", (_case, raw) => {
    expect(stored(raw).changes).toEqual(["replaced_invalid_text"]);
  });

  test("escapes that are Unicode are no change", () => {
    const raw = { event: "e", distinct_id: "a", properties: { text: "\u0001\n🦔" } };
    expect(stored(raw)).toMatchObject({ event: raw, changes: [] });
  });
});
