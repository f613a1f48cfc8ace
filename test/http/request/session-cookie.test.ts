import { describe, expect, test } from "bun:test";
import { sessionCookie } from "../../../src/http/request/session-cookie.ts";

const SECRET = "a".repeat(43);

const cookieAt = (origin: string) =>
  sessionCookie({ instance: "0a1b2c3d", address: () => new URL(`${origin}/api/projects/`) });

const request = (headers: Record<string, string>, path = "/api/projects/") =>
  new Request(`http://127.0.0.1:8000${path}`, {
    headers: {
      host: "127.0.0.1:8000",
      "x-hoglet-console": "1",
      cookie: `a=b; hoglet_0a1b2c3d=${SECRET}; c=d`,
      ...headers,
    },
  });

const own = cookieAt("http://127.0.0.1:8000");

describe("the cookie counts", () => {
  test.each<[string, Record<string, string>]>([
    ["with the header of the console", {}],
    ["from the own origin", { origin: "http://127.0.0.1:8000", "sec-fetch-site": "same-origin" }],
    ["as the first of its name", { cookie: `hoglet_0a1b2c3d=${SECRET}; hoglet_0a1b2c3d=x` }],
    [
      "from the host that a proxy names",
      { origin: "https://stats.example", "x-forwarded-host": "stats.example" },
    ],
  ])("%s", (_what, headers) => {
    expect(own.of(request(headers))).toBe(SECRET);
  });

  test("from the public origin, if another host was asked", () => {
    const cookie = `__Host-hoglet_0a1b2c3d=${SECRET}`;
    const headers = { cookie, origin: "https://stats.example" };
    expect(cookieAt("https://stats.example").of(request(headers))).toBe(SECRET);
  });
});

describe("the cookie does not count", () => {
  test.each<[string, Record<string, string>, string]>([
    ["without the header", { "x-hoglet-console": "" }, "/api/projects/"],
    ["with another value of the header", { "x-hoglet-console": "true" }, "/api/projects/"],
    ["next to a key", { authorization: "Bearer phx_a" }, "/api/projects/"],
    ["under the name of another server", { cookie: `hoglet_ffffffff=${SECRET}` }, "/api/projects/"],
    ["under the name for https", { cookie: `__Host-hoglet_0a1b2c3d=${SECRET}` }, "/api/projects/"],
    ["with a value that no session has", { cookie: "hoglet_0a1b2c3d=short" }, "/api/projects/"],
    ["for metrics", {}, "/metrics"],
    ["for the documentation", {}, "/docs/index"],
    ["for capture", {}, "/batch/"],
  ])("%s", (_what, headers, path) => {
    expect(own.of(request(headers, path))).toBeUndefined();
  });

  test.each<[string, Record<string, string>]>([
    ["another port", { origin: "http://127.0.0.1:8001", "sec-fetch-site": "same-site" }],
    ["another port, by an older browser", { origin: "http://127.0.0.1:8001" }],
    ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["a sibling domain", { "sec-fetch-site": "same-site" }],
    ["an address that was typed", { "sec-fetch-site": "none" }],
    ["a page without an origin", { origin: "null" }],
    ["no address at all", { origin: "" }],
    ["a page of another scheme", { origin: "chrome-extension://127.0.0.1:8000" }],
  ])("from %s", (_what, headers) => {
    expect(() => own.of(request(headers))).toThrow("The page is not of this server.");
    expect(() => own.expectOwnPage(request(headers))).toThrow("The page is not of this server.");
  });
});

test("over https the cookie is for https and this host alone", () => {
  expect(cookieAt("https://stats.example").set(request({}), SECRET)).toBe(
    `__Host-hoglet_0a1b2c3d=${SECRET}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000`,
  );
});
