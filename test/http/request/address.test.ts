import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { clientAddress, publicAddress } from "../../../src/http/request/address.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type Answered, testApp } from "../../support/start/app.ts";

const PROXIES = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];

const addressOf = (trusted: string[], connection: string | undefined, headers = {}) =>
  clientAddress(trusted)(new Request("http://localhost/", { headers }), connection);

describe("the address of a request", () => {
  test.each<[string, string[], string | undefined, object, string | undefined]>([
    ["is the connection's", [], "1.2.3.4", {}, "1.2.3.4"],
    ["is that of this machine, without a proxy", [], "127.0.0.1", {}, "127.0.0.1"],
    ["is undefined without a connection", [], undefined, {}, undefined],
    ["is one of IPv4 in IPv6", [], "::ffff:1.2.3.4", {}, "1.2.3.4"],
    ["is the same in hexadecimal", PROXIES, "::FFFF:a01:101", of("::ffff:102:304"), "1.2.3.4"],
    ["is the same in full", [], "0:0:0:0:0:ffff:0102:0304", {}, "1.2.3.4"],
    ["is no address of IPv4 elsewhere", [], "64:ff9b::102:304", {}, "64:ff9b:0:0::/64"],
    ["is its network in IPv6", [], "2001:DB8::1", {}, "2001:db8:0:0::/64"],
    ["is the same network", [], "2001:db8:0:0:ffff::1", {}, "2001:db8:0:0::/64"],
    ["is another network", [], "2001:db8:0:1::1", {}, "2001:db8:0:1::/64"],
    ["is not what a stranger says", PROXIES, "1.2.3.4", of("9.9.9.9"), "1.2.3.4"],
    ["is not what anybody says, if no proxy is named", [], "1.2.3.4", of("9.9.9.9"), "1.2.3.4"],
    ["is what a proxy says", PROXIES, "10.1.1.1", of("9.9.9.9"), "9.9.9.9"],
    ["is what a proxy of IPv6 says", PROXIES, "fd00::7", of("9.9.9.9"), "9.9.9.9"],
    ["is what the last proxy says", PROXIES, "127.0.0.1", of("9.9.9.9, 5.5.5.5"), "5.5.5.5"],
    ["is passed on by proxies", PROXIES, "127.0.0.1", of("9.9.9.9,5.5.5.5, 10.2.2.2"), "5.5.5.5"],
    ["is the first of all proxies", PROXIES, "127.0.0.1", of("10.3.3.3, 10.2.2.2"), "10.3.3.3"],
    ["is the proxy's where it says nothing", PROXIES, "10.1.1.1", {}, "10.1.1.1"],
    ["is the proxy's where it says nonsense", PROXIES, "10.1.1.1", of("unknown"), "10.1.1.1"],
    ["has no port", PROXIES, "10.1.1.1", of("9.9.9.9:4711"), "9.9.9.9"],
    ["has no brackets", PROXIES, "10.1.1.1", of("[2001:db8::1]:80"), "2001:db8:0:0::/64"],
    [
      "is not that of the header, if no proxy is named",
      [],
      "127.0.0.1",
      of("9.9.9.9"),
      "127.0.0.1",
    ],
  ])("%s", (_case, trusted, connection, headers, address) => {
    expect(addressOf(trusted, connection, headers)).toBe(address as string);
  });
});

function of(chain: string) {
  return { "x-forwarded-for": chain };
}

const LISTEN = "http://127.0.0.1:8000";
const options = {
  publicUrl: undefined,
  listenUrl: LISTEN,
  allowedHosts: [],
  isProxied: () => false,
};

/** The headers by which a proxy tells whom it speaks for, with a stranger's lies in them. */
const FORGED = {
  forwarded: 'for=203.0.113.7;host=evil.example;proto=https;by="[::1]"',
  "x-forwarded-for": "203.0.113.7, 127.0.0.1",
  "x-forwarded-host": "evil.example",
  "x-forwarded-port": "444",
  "x-forwarded-prefix": "/ingest",
  "x-forwarded-proto": "https",
  "x-original-url": "/api/environments/2/events/",
  "x-real-ip": "203.0.113.7",
  "cf-connecting-ip": "203.0.113.7",
};

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ family }) => family === "IPv4")
  .map(({ address }) => `http://${address}:8000`);

describe("the address in links", () => {
  test.each([...own, "http://localhost:81", "http://127.0.0.1:9", "http://[::1]:8000"])(
    "is %s, which names this machine",
    (origin) => {
      const address = publicAddress(options);
      expect(address(new Request(`${origin}/a/?limit=1`)).href).toBe(`${origin}/a/?limit=1`);
    },
  );

  test("is where the server listens when the request names a stranger", () => {
    const address = publicAddress(options);
    const asked = new Request("https://evil.example/a/?limit=1", { headers: FORGED });
    expect(address(asked).href).toBe(`${LISTEN}/a/?limit=1`);
  });

  test.each([
    [{ "x-forwarded-proto": "https" }, "https://shop.example"],
    [{ "x-forwarded-prefix": "/ingest/" }, "http://shop.example/ingest"],
    [{ "x-forwarded-prefix": "/in/a.b, /own" }, "http://shop.example/own"],
    [{ "x-forwarded-prefix": "//evil.example" }, "http://shop.example"],
    [{ "x-forwarded-prefix": "/a?b" }, "http://shop.example"],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "pub.example" }, "https://pub.example"],
    [{ "x-forwarded-host": "pub.example:8443" }, "http://pub.example:8443"],
    [{ "x-forwarded-proto": "http, https", "x-forwarded-host": "evil.example" }, LISTEN],
    [{ "x-forwarded-proto": "javascript", "x-forwarded-host": "a b" }, "http://shop.example"],
    [{}, "http://shop.example"],
  ])("is what a trusted proxy tells, %p, as far as the host is allowed", (headers, origin) => {
    const allowedHosts = ["shop.example", "pub.example"];
    const proxied = publicAddress({ ...options, allowedHosts, isProxied: () => true });
    const asked = new Request("http://shop.example/a/?limit=1", { headers });
    expect(proxied(asked).href).toBe(`${origin}/a/?limit=1`);
  });

  test("may be an allowed host's, and is always the public one's when that is set", () => {
    const allowed = publicAddress({ ...options, allowedHosts: ["shop.example"] });
    const fixed = publicAddress({ ...options, publicUrl: "https://events.example/hog/" });

    expect(allowed(new Request("http://shop.example/a/")).href).toBe("http://shop.example/a/");
    expect(allowed(new Request("http://x.shop.example/a/")).href).toBe(`${LISTEN}/a/`);
    expect(fixed(new Request("http://localhost/a/?b=c")).href).toBe(
      "https://events.example/hog/a/?b=c",
    );
  });
});

describe("headers that only a proxy should send", () => {
  const shown = ({ status, body }: Answered) => ({ status, body });

  test("change nothing of stored events, and no address is kept", async () => {
    await using app = await testApp();
    const plain = event({ distinct_id: "plain" });
    const forged = event({ distinct_id: "forged" });

    await app.ask("POST", "/batch/", { key: null, body: batch(plain) });
    await app.ask("POST", "/batch/", { key: null, body: batch(forged), headers: FORGED });
    await app.app.ingest.caughtUp();

    const { body } = await app.get("/events/");
    const { results } = body as { results: { distinct_id: string; properties: object }[] };
    const kept = results.map(({ distinct_id, properties }) => [distinct_id, properties]);
    expect(kept.sort()).toEqual([
      ["forged", {}],
      ["plain", {}],
    ]);
    const { body: persons } = await app.get("/persons/");
    expect(JSON.stringify([body, persons])).not.toContain("203.0.113.7");
  });

  test("change no answer", async () => {
    await using app = await testApp();
    await app.capture(batch(event({ distinct_id: "a" }), event({ distinct_id: "b" })));

    for (const path of ["/persons/?limit=1", "/events/?limit=1", "/persons/999/", "/unknown/"]) {
      const plain = await app.get(path);
      expect(shown(await app.get(path, { headers: FORGED }))).toEqual(shown(plain));
      expect(shown(await app.get(path, { headers: FORGED, key: null }))).toEqual(
        shown(await app.get(path, { key: null })),
      );
    }
  });
});
