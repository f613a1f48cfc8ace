import { expect, test } from "bun:test";
import { adviceFor, type Symptoms } from "../../../src/core/operations/advice.ts";

const WELL: Symptoms = {
  api_token: "phc_mine",
  hasEvents: true,
  arrived: { accepted: 1, dropped: 0 },
  ...{ refused: [], warnings: [], lag_ms: 0, lost: 0, reasons: [] },
  loaded: undefined,
};

const refusal = (fields: object) => ({
  ...{ status: 401, code: "invalid_api_key", method: "POST", path: "/e/", sdk: null },
  ...{ origin: null, key_mask: null, at: 0, count: 1, ...fields },
});

const codes = (symptoms: Partial<Symptoms>) =>
  adviceFor({ ...WELL, ...symptoms }).map(({ code }) => code);

test("events that come as they should need no advice", () => {
  expect(codes({})).toEqual([]);
});

test.each<[string, Partial<Symptoms>]>([
  ["journal_lost", { lost: 800 }],
  ["disk_floor", { reasons: ["disk_full"] }],
  ["not_ready", { reasons: ["replaying_journal"] }],
  ["lag", { lag_ms: 20_000 }],
  ["wrong_key", { refused: [refusal({})] }],
  ["unknown_path", { refused: [refusal({ status: 404, code: "not_found", path: "/x" })] }],
  ["refused", { refused: [refusal({ status: 413, code: "payload_too_large" })] }],
  ["dropped", { arrived: { accepted: 0, dropped: 2 } }],
  ["clock", { warnings: [{ type: "event_timestamp_in_future" }] }],
  ["nothing_arrived", { hasEvents: false, arrived: { accepted: 0, dropped: 0 } }],
  [
    "snippet_found",
    {
      ...{ hasEvents: false, arrived: { accepted: 0, dropped: 0 } },
      loaded: { at: 0, origin: "https://shop.example" },
    },
  ],
])("%s has its cause", (code, symptoms) => {
  expect(codes(symptoms)).toEqual([code]);
});

test("a wrong key is shown masked, next to the right one", () => {
  const refused = [refusal({ key_mask: "phc_...wxyz", count: 2 }), refusal({})];
  const [advice] = adviceFor({ ...WELL, refused });
  expect(advice?.text).toBe(
    "3 requests were refused, the last with the key phc_...wxyz. The key of this project is phc_mine.",
  );
});

test("a page that loads posthog-js and sends nothing is named, and no longer once events come", () => {
  const loaded = { at: Date.parse("2026-11-21T12:34:56Z"), origin: "https://shop.example" };
  const silent = { hasEvents: false, arrived: { accepted: 0, dropped: 0 }, loaded };
  const [advice] = adviceFor({ ...WELL, ...silent });
  expect(advice?.text).toStartWith(
    "posthog-js is on https://shop.example with the key of this project, last loaded at 12:34:56 UTC, but has sent no event.",
  );
  expect(codes({ ...silent, hasEvents: true })).toEqual([]);
});
