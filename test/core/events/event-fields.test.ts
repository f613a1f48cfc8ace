import { expect, test } from "bun:test";
import { hasUnreadField } from "../../../src/core/events/event-fields.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

const EVENT = { event: "a", distinct_id: "u", api_key: "phc_x", properties: {} };

test.each<[boolean, JsonObject, JsonObject]>([
  [false, {}, {}],
  [false, { type: "capture", library: "posthog-ruby", messageId: "m1" }, {}],
  [false, { $lib: "posthog-java", $set: { a: 1 }, offset: 3 }, { $lib: "posthog-java" }],
  [true, { $lib: "posthog-java" }, {}],
  [true, { $lib_version: "1.2" }, { $lib_version: "1.3" }],
  [true, { sent_at: "2026-11-21T12:00:00Z" }, {}],
  [false, { context: {}, groups: [], name: "", $groups: null }, {}],
  [false, { groups: { team: 1 }, $groups: { team: 1 } }, { $groups: { team: 1 } }],
  [true, { groups: { team: 2 } }, { $groups: { team: 1 } }],
  [true, { $groups: { team: "red" } }, {}],
  [true, { $process_person_profile: false }, {}],
  [true, { $anon_distinct_id: "before" }, {}],
  [true, { traits: { plan: "pro" } }, {}],
  [true, { options: { unknown: 1 } }, {}],
])("%p: an event has a field that is not read: %j", (expected, fields, properties) => {
  expect(hasUnreadField({ ...EVENT, ...fields }, properties)).toBe(expected);
});
