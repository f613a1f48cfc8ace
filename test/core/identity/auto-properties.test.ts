import { describe, expect, test } from "bun:test";
import {
  autoPropertiesIn,
  autoPropertiesOf,
  autoValues,
  isWorthWriting,
  union,
} from "../../../src/core/identity/auto-properties.ts";

const page = { $browser: "Chrome", $pathname: "/", title: "Home" };
const ad = { utm_source: "ad", wbraid: "w" };

describe("automatic properties", () => {
  test("are known properties with a value, of events that describe a person", () => {
    expect(autoPropertiesOf("$pageview", { title: "Home", $browser: null })).toBe(0);
    expect(autoPropertiesOf("$exception", page)).toBe(0);
    expect(autoPropertiesOf("$pageview", page)).toBeGreaterThan(0);
    expect(autoPropertiesOf("$pageview", page)).not.toBe(autoPropertiesOf("$pageview", ad));
  });

  test("are worth writing while the person lacks one, and always if they are for attribution", () => {
    const ofPage = autoPropertiesOf("$pageview", page);
    const both = { $browser: 1, $initial_browser: 1, $pathname: 1, $initial_pathname: 1 };
    const some = autoPropertiesIn({ $browser: 1, $pathname: 1, $initial_pathname: 1 });

    expect(autoPropertiesIn(both)).toBe(ofPage);
    expect(isWorthWriting(ofPage, 0)).toBe(true);
    expect(isWorthWriting(ofPage, some)).toBe(true);
    expect(isWorthWriting(ofPage, ofPage)).toBe(false);
    const campaign = autoPropertiesOf("$pageview", { ...page, ...ad });
    expect(isWorthWriting(campaign, campaign)).toBe(true);
  });

  test("have a union with all of more than 32 bits", () => {
    const [a, b] = [autoPropertiesOf("x", page), autoPropertiesOf("x", ad)];
    expect(union(a, b)).toBe(autoPropertiesOf("x", { ...page, ...ad }));
    expect(union(b, b)).toBe(b);
  });

  test("have a latest and a first value, and are volatile once the person has one", () => {
    const all = autoPropertiesOf("$pageview", { ...page, ...ad });
    expect(autoValues({ ...page, ...ad }, all, { $browser: "Firefox" })).toEqual({
      latest: { $pathname: "/", ...ad },
      volatile: { $browser: "Chrome" },
      first: {
        $initial_browser: "Chrome",
        $initial_pathname: "/",
        $initial_utm_source: "ad",
        $initial_wbraid: "w",
      },
    });
  });

  test("have the country among the volatile ones", () => {
    const properties = { $geoip_country_code: "DE", $geoip_country_name: "Germany" };
    const country = autoPropertiesOf("$pageview", properties);
    const person = { ...properties, $initial_geoip_country_code: "FR" };

    expect(isWorthWriting(country, country)).toBe(false);
    expect(isWorthWriting(country, autoPropertiesIn(person))).toBe(true);
    expect(autoValues(properties, country, person)).toMatchObject({
      latest: {},
      volatile: properties,
    });
  });
});
