import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import {
  COUNTRIES_FILE,
  type CountryRange,
  countryRanges,
  countryTable,
} from "../../../scripts/build/countries.ts";
import { addCountry, readCountries } from "../../../src/core/capture/country.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

const COMMAND = "bun scripts/build/countries.ts";

const countryOf = readCountries(readFileSync(COUNTRIES_FILE));

const textOf4 = (address: bigint) =>
  [24n, 16n, 8n, 0n].map((bits) => (address >> bits) & 255n).join(".");

const textOf6 = (address: bigint) =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((bits) => ((address >> bits) & 0xffffn).toString(16))
    .join(":");

/** The country of an address as a plain search of the package's rows finds it. */
const foundIn = (ranges: CountryRange[], address: bigint) =>
  ranges.find(({ first, last }) => first <= address && address <= last)?.country;

describe("the table of countries", () => {
  test(`is as \`${COMMAND}\` writes it`, () => {
    const written = zstdDecompressSync(readFileSync(COUNTRIES_FILE));

    if (!written.equals(countryTable())) throw new Error(`The table is old. Run: ${COMMAND}`);
  });

  test.each([
    { version: 4 as const, textOf: textOf4, every: 1 },
    { version: 6 as const, textOf: textOf6, every: 5 },
  ])(
    "has the country of both ends of the ranges of IPv$version, and of their neighbours",
    ({ version, textOf, every }) => {
      const ranges = countryRanges(version);
      const wrong: string[] = [];
      const check = (address: bigint, country: string | undefined) => {
        if (countryOf(textOf(address)) !== country) wrong.push(textOf(address));
      };

      for (let at = 0; at < ranges.length; at += every) {
        const [before, range, after] = [ranges[at - 1], ranges[at], ranges[at + 1]];
        if (range === undefined) continue;
        const { first, last, country } = range;
        check(first, country);
        check(last, country);
        check(first - 1n, before?.last === first - 1n ? before.country : undefined);
        check(last + 1n, after?.first === last + 1n ? after.country : undefined);
      }

      expect(ranges.length).toBeGreaterThan(50_000);
      expect(wrong).toEqual([]);
    },
  );

  test.each([
    { version: 4 as const, textOf: textOf4, from: 0n, step: 41_234_567n },
    { version: 6 as const, textOf: textOf6, from: 0x2001n << 112n, step: 1n << 115n },
  ])("agrees with a plain search of the rows of IPv$version", ({ version, textOf, from, step }) => {
    const ranges = countryRanges(version);
    for (let address = from, n = 0; n < 100; n += 1, address += step) {
      expect([address, countryOf(textOf(address))]).toEqual([address, foundIn(ranges, address)]);
    }
  });

  test.each([
    ["10.1.2.3"],
    ["127.0.0.1"],
    ["192.168.1.1"],
    ["::1"],
    ["fd00::1"],
    ["2001:db8::1"],
    ["255.255.255.255"],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["nonsense"],
  ])("has no country for %s", (address) => {
    expect(countryOf(address)).toBeUndefined();
  });
});

describe("the country of an event", () => {
  const added = (properties: JsonObject, client: string | undefined = "DE") => {
    addCountry(properties, { client, countryOf });
    const { $geoip_country_code: code, $geoip_country_name: name } = properties;
    return code === undefined ? undefined : [code, name];
  };

  test.each<[string, JsonObject, string[] | undefined]>([
    ["is the client's", {}, ["DE", "Germany"]],
    ["is that of `$ip`", { $ip: "1.1.1.1" }, ["AU", "Australia"]],
    ["is that of an IPv4 address in IPv6", { $ip: " ::ffff:1.1.1.1" }, ["AU", "Australia"]],
    ["is absent with `$ip` null", { $ip: null }, undefined],
    ["is absent with an empty `$ip`", { $ip: "" }, undefined],
    ["is absent with a private `$ip`", { $ip: "10.0.0.1" }, undefined],
    ["is absent with another `$ip`", { $ip: ["1.1.1.1"] }, undefined],
    ["is absent with `$geoip_disable`", { $geoip_disable: true }, undefined],
    ["is there with `$geoip_disable` false", { $geoip_disable: false }, ["DE", "Germany"]],
  ])("%s", (_case, properties, country) => {
    expect(added(properties)).toEqual(country as string[]);
  });

  test("stays as it was sent", () => {
    const sent = { $geoip_country_code: "FR", $geoip_city_name: "Paris" };
    const properties = { ...sent };

    addCountry(properties, { client: "DE", countryOf });

    expect(properties).toEqual(sent);
  });

  test("is absent if the client's is unknown", () => {
    const properties = { plan: "pro" };

    addCountry(properties, { client: undefined, countryOf });

    expect(properties).toEqual({ plan: "pro" });
  });
});
