import { describe, expect, test } from "bun:test";
import { Failure } from "../../src/domain/errors.ts";
import type { Json } from "../../src/domain/json.ts";
import { readSubmission } from "../../src/domain/submission.ts";

const EVENT = { event: "e", distinct_id: "a" };

function codeOf(body: Json): string {
  try {
    readSubmission(body);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return "accepted";
}

describe("a submission", () => {
  test("is one event (contract 4.5)", () => {
    const event = { ...EVENT, api_key: "phc_a" };
    expect(readSubmission(event)).toEqual({
      key: "phc_a",
      items: [event],
      sentAt: undefined,
      historical: false,
    });
  });

  test("is a batch with sent_at and historical_migration (contract 4.5.3)", () => {
    const sent_at = "2026-11-21T12:00:00Z";
    const batch = { api_key: "phc_a", batch: [EVENT], sent_at, historical_migration: true };
    expect(readSubmission(batch)).toEqual({
      key: "phc_a",
      items: [EVENT],
      sentAt: Date.parse(sent_at),
      historical: true,
    });
  });

  test("is an array whose events carry the key in their properties", () => {
    const event = { event: "e", properties: { token: "phc_a", distinct_id: "a" } };
    expect(readSubmission([event, event])).toMatchObject({ key: "phc_a", items: [event, event] });
  });

  test("takes the key of the envelope over those of the events", () => {
    const body = { token: "phc_a", batch: [{ ...EVENT, api_key: "phc_b" }] };
    expect(readSubmission(body).key).toBe("phc_a");
  });

  test.each<[string, Json, string]>([
    ["is a text", "phc_a", "invalid_payload"],
    ["is null", null, "invalid_payload"],
    ["is an empty array", [], "invalid_payload"],
    ["is an empty batch", { api_key: "phc_a", batch: [] }, "invalid_payload"],
    ["has a batch that is an object", { api_key: "phc_a", batch: {} }, "invalid_payload"],
    ["has a name that is a number", { ...EVENT, api_key: "phc_a", event: 1 }, "invalid_payload"],
    [
      "has properties that are a text",
      { ...EVENT, api_key: "phc_a", properties: "x" },
      "invalid_payload",
    ],
    ["has no key", EVENT, "invalid_api_key"],
    ["has a key that is a number", { ...EVENT, api_key: 7 }, "invalid_api_key"],
    [
      "has two keys",
      [
        { ...EVENT, api_key: "phc_a" },
        { ...EVENT, api_key: "phc_b" },
      ],
      "invalid_api_key",
    ],
    [
      "lacks a name, which is no failure (contract 7)",
      { api_key: "phc_a", distinct_id: "a" },
      "accepted",
    ],
  ])("that %s: %s", (_case, body, code) => {
    expect(codeOf(body)).toBe(code);
  });
});
