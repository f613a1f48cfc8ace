import { expect, test } from "bun:test";
import { isWarningType, meaningOf, WARNING_TYPES } from "../../../src/core/warnings/meanings.ts";
import {
  WARNING_SAMPLES_MAX,
  warningLine,
  warningTally,
} from "../../../src/core/warnings/warning.ts";

test("every type of warning has a severity and a meaning in sentences", () => {
  for (const type of WARNING_TYPES) {
    const { severity, meaning } = meaningOf(type);
    expect(["error", "warning", "info"]).toContain(severity);
    expect(meaning).toMatch(/^[A-Z`].*\.$/);
  }
});

test("a type of another version still means something, and is no type", () => {
  expect(meaningOf("from_the_future").severity).toBe("warning");
  expect(["from_the_future", "toString", "__proto__"].map(isWarningType)).toEqual([
    false,
    false,
    false,
  ]);
});

test("a line of the journal is short and storable, however long and odd the distinct id is", () => {
  const warning = { type: "missing_event_name", count: 3, event_uuid: null } as const;

  const line = (distinct_id: string | null) => warningLine({ ...warning, distinct_id });

  expect(line("ann\n\ud800\0")).toBe(
    '{"type":"missing_event_name","count":3,"event_uuid":null,"distinct_id":"ann\\n\ufffd\ufffd"}\n',
  );
  expect(JSON.parse(line(null)).distinct_id).toBeNull();
  // An id as long as a stored one may be is shown whole.
  expect(JSON.parse(line("🦔".repeat(200))).distinct_id).toBe("🦔".repeat(200));
  expect(JSON.parse(line(`x${"🦔".repeat(1_000_000)}`)).distinct_id).toBe(
    `x${"🦔".repeat(199)}\ufffd`,
  );
});

test("the warnings of a request name as many cases of a reason as are kept, and count them all", () => {
  const tally = warningTally();
  const type = "missing_event_name";
  for (let n = 0; n < 1000; n++) {
    tally.add({ type, count: 1, event_uuid: `u${n}`, distinct_id: null });
    tally.add({ type, count: 3, event_uuid: null, distinct_id: null });
  }
  tally.add({ type: "missing_distinct_id", count: 1, event_uuid: "other", distinct_id: null });

  const all = tally.all();

  const counted = all.filter((warning) => warning.type === type);
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(4000);
  expect(counted.filter(({ event_uuid }) => event_uuid === null)).toHaveLength(1);
  expect(counted).toHaveLength(WARNING_SAMPLES_MAX + 1);
  expect(all.at(-1)).toMatchObject({ type: "missing_distinct_id", count: 1 });
});
