import { describe, expect, test } from "bun:test";
import { clientAddress } from "../../../src/http/request/client-address.ts";

const PROXIES = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];

const addressOf = (trusted: string[], connection: string | undefined, headers = {}) =>
  clientAddress(trusted)(new Request("http://localhost/", { headers }), connection);

describe("the address of a request", () => {
  test.each<[string, string[], string | undefined, object, string | undefined]>([
    ["is the connection's", [], "1.2.3.4", {}, "1.2.3.4"],
    ["is that of this machine, if nobody forwards", [], "127.0.0.1", {}, "127.0.0.1"],
    ["is nobody's without a connection", [], undefined, {}, undefined],
    ["is one of IPv4 in IPv6", [], "::ffff:1.2.3.4", {}, "1.2.3.4"],
    ["is the same in hexadecimal", PROXIES, "::FFFF:a01:101", of("::ffff:102:304"), "1.2.3.4"],
    ["is the same in full", [], "0:0:0:0:0:ffff:0102:0304", {}, "1.2.3.4"],
    ["is none of IPv4 elsewhere", [], "64:ff9b::102:304", {}, "64:ff9b:0:0::/64"],
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
    ["is not what is said here, if no proxy is named", [], "127.0.0.1", of("9.9.9.9"), "127.0.0.1"],
  ])("%s", (_case, trusted, connection, headers, address) => {
    expect(addressOf(trusted, connection, headers)).toBe(address as string);
  });
});

function of(chain: string) {
  return { "x-forwarded-for": chain };
}
