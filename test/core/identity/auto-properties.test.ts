import { describe, expect, test } from "bun:test";
import {
  liftedBy,
  liftedIn,
  liftsAnew,
  liftsOf,
  withLifts,
} from "../../../src/core/identity/auto-properties.ts";

const page = { $browser: "Chrome", $pathname: "/", title: "Home" };
const ad = { utm_source: "ad", wbraid: "w" };

describe("lifts", () => {
  test("are known properties with a value, of events that describe a person", () => {
    expect(liftsOf("$pageview", { title: "Home", $browser: null })).toBe(0);
    expect(liftsOf("$snapshot", page)).toBe(0);
    expect(liftsOf("$pageview", page)).toBeGreaterThan(0);
    expect(liftsOf("$pageview", page)).not.toBe(liftsOf("$pageview", ad));
  });

  test("count as new while the person lacks one, the campaign's always", () => {
    const lifts = liftsOf("$pageview", page);
    const has = liftedIn({ $browser: 1, $initial_browser: 1, $pathname: 1, $initial_pathname: 1 });
    const halves = liftedIn({ $browser: 1, $pathname: 1, $initial_pathname: 1 });

    expect(has).toBe(lifts);
    expect(liftsAnew(lifts, 0)).toBe(true);
    expect(liftsAnew(lifts, halves)).toBe(true);
    expect(liftsAnew(lifts, has)).toBe(false);
    const campaign = liftsOf("$pageview", { ...page, ...ad });
    expect(liftsAnew(campaign, campaign)).toBe(true);
  });

  test("are joined without losing one beyond 32", () => {
    const [a, b] = [liftsOf("x", page), liftsOf("x", ad)];
    expect(withLifts(a, b)).toBe(liftsOf("x", { ...page, ...ad }));
    expect(withLifts(b, b)).toBe(b);
  });

  test("are the latest and the first values; quiet where the person has one", () => {
    const lifts = liftsOf("$pageview", { ...page, ...ad });
    expect(liftedBy({ ...page, ...ad }, lifts, { $browser: "Firefox" })).toEqual({
      loud: { $pathname: "/", ...ad },
      quiet: { $browser: "Chrome" },
      first: {
        $initial_browser: "Chrome",
        $initial_pathname: "/",
        $initial_utm_source: "ad",
        $initial_wbraid: "w",
      },
    });
  });
});
