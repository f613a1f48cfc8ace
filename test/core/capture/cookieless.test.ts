import { describe, expect, test } from "bun:test";
import type { CapturedEvent } from "../../../src/core/events/event.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { admitted, CLIENT, FIREFOX, SALTS, type Sent } from "../../support/data/admitted.ts";

describe("a visitor without cookies", () => {
  const page = (properties: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
    ...{
      event: "$pageview",
      distinct_id: "$posthog_cookieless",
      timestamp: "2026-11-21T11:00:00Z",
    },
    ...more,
    properties: {
      ...{ $cookieless_mode: true, $host: "www.shop.example", $timezone: "UTC", ...properties },
    },
  });
  const one = (properties?: JsonObject, sent?: Sent, more?: JsonObject) =>
    admitted([page(properties, more)], sent)[0] as CapturedEvent;
  const idOf = (...given: Parameters<typeof one>) => one(...given).distinct_id;
  const BASE = idOf();
  const ID = /^cookieless_[\w-]{22}$/;

  test("has an id, a device and a session, and no property that tells its address", () => {
    const properties = {
      ...{ $ip: "203.0.113.7", $raw_user_agent: FIREFOX, $cookieless_extra: "x", $device_id: null },
      $set: { $raw_user_agent: FIREFOX, plan: "pro" },
      $set_once: { $initial_raw_user_agent: FIREFOX },
    };
    const stored = one(properties);
    expect(stored.distinct_id).toMatch(ID);
    expect(stored.properties).toEqual({
      ...{ $cookieless_mode: true, $host: "www.shop.example", $timezone: "UTC" },
      ...{ $set: { plan: "pro" }, $set_once: {} },
      $device_id: stored.distinct_id.replace("cookieless_", "cookielessd_"),
      $session_id: expect.stringMatching(
        /^01a1fb67-1800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    });
    expect(stored.changed).toBeUndefined();
  });

  test.each(["ip", "raw_user_agent", "user_agent", "cookieless_extra"])(
    "keeps $%s nowhere, under neither name",
    (name) => {
      const all = { [`$${name}`]: "planted", [`$initial_${name}`]: "planted", plan: "pro" };
      const stored = [
        one({ ...all, $set: all, $set_once: all }),
        one({}, {}, { $set: { ...all }, $set_once: { ...all } }),
      ];
      expect(JSON.stringify(stored)).not.toContain("planted");
      for (const { properties } of stored) {
        expect(properties).toMatchObject({ $set: { plan: "pro" }, $set_once: { plan: "pro" } });
      }
    },
  );

  test.each<[string, boolean, Parameters<typeof one>]>([
    ["at another time of the day", true, [{}, {}, { timestamp: "2026-11-21T00:00:00Z" }]],
    ["with another uuid and event", true, [{}, {}, { uuid: Bun.randomUUIDv7(), event: "buy" }]],
    ["on a subdomain", true, [{ $host: "blog.shop.example" }]],
    [
      "without `$host` on a page of the domain",
      true,
      [{ $host: null, $current_url: "https://shop.example/a" }],
    ],
    [
      "in an import that names the address and the browser",
      true,
      [
        { $ip: CLIENT.address, $raw_user_agent: FIREFOX },
        { client: {}, envelope: { historical_migration: true } },
      ],
    ],
    ["with the id alone, without the flag", true, [{ $cookieless_mode: null }]],
    ["on the next day", false, [{}, {}, { timestamp: "2026-11-22T00:00:00Z" }]],
    ["in a zone where the next day has begun", false, [{ $timezone: "Pacific/Auckland" }]],
    ["on another domain", false, [{ $host: "www.store.example" }]],
    ["from another address", false, [{}, { client: { ...CLIENT, address: "203.0.113.8" } }]],
    ["from an address that the event names", false, [{ $ip: "203.0.113.8" }]],
    ["with another browser", false, [{ $raw_user_agent: "Safari" }]],
    [
      "with another browser of the request",
      false,
      [{}, { client: { ...CLIENT, userAgent: "Safari" } }],
    ],
    ["with another extra property", false, [{ $cookieless_extra: "room 5" }]],
    ["of another project", false, [{}, { envelope: { api_key: "phc_other" } }]],
    ["with another secret", false, [{}, { salts: { ...SALTS, "2026-11-21": "b3RoZXI=" } }]],
  ])("%s is the same: %p", (_case, isSame, given) => {
    expect(idOf(...given)).toMatch(ID);
    expect(idOf(...given) === BASE).toBe(isSame);
  });

  test.each([
    ["shop.co.uk", "www.shop.co.uk", true],
    ["a.co.uk", "b.co.uk", false],
    ["localhost:3000", "localhost:3000", true],
    ["localhost:3000", "localhost:4000", false],
    ["10.0.0.1", "10.0.0.2", false],
    ["[::1]:80", "[::2]:80", false],
  ])("on %s and on %s is the same: %p", (host, other, isSame) => {
    expect(idOf({ $host: host }) === idOf({ $host: other })).toBe(isSame);
  });

  test.each<[string, Parameters<typeof one>]>([
    ["its day has no secret any more", [{}, {}, { timestamp: "2026-11-19T23:59:00Z" }]],
    ["no address is known", [{}, { client: { userAgent: FIREFOX } }]],
    ["the event has no address", [{ $ip: null }]],
    ["no browser is known", [{}, { client: { address: CLIENT.address } }]],
    ["it comes with an import", [{}, { envelope: { historical_migration: true } }]],
  ])("counts with all others, and a warning says so, if %s", (_case, given) => {
    const { distinct_id, changed, properties } = one(
      { $raw_user_agent: "", ...given[0] },
      given[1],
      given[2],
    );
    expect([distinct_id, changed]).toEqual(["$posthog_cookieless", ["cookieless_visitor_unknown"]]);
    for (const name of ["$ip", "$raw_user_agent", "$device_id", "$session_id"]) {
      expect(properties).not.toHaveProperty(name);
    }
  });

  test("with a login keeps the id, and the address is forgotten as well", () => {
    const { distinct_id, properties } = one({ $ip: CLIENT.address }, {}, { distinct_id: "ann" });
    expect(distinct_id).toBe("ann");
    expect(properties).toMatchObject({ $session_id: one().properties["$session_id"] });
    expect(properties).not.toHaveProperty("$ip");
  });

  test("of an event that names the project itself is the same", () => {
    const inItem = { envelope: { api_key: null } } as Sent;
    expect(idOf({ token: "phc_test" }, inItem)).toBe(BASE);
  });
});
