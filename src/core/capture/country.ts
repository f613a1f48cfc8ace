import { addressNumber } from "../values/ip-address.ts";
import type { JsonObject } from "../values/json.ts";

/** Returns the two-letter code of an address's country; undefined for a private or unknown address. */
export type CountryOf = (address: string) => string | undefined;

/** The countries of the senders of one request. */
export type SenderCountries = {
  /** The country of the client's address. */
  client: string | undefined;
  /** Finds the country of an address that an event has in `$ip`. */
  countryOf: CountryOf;
};

/** Starts of ranges of addresses, ascending, and for each the index of its country; 0 is no country. */
type Ranges = { starts: Uint32Array | BigUint64Array; countries: Uint8Array };

/**
 * Reads a table as `scripts/build/countries.ts` writes it: the numbers of ranges of IPv6 and of IPv4, the
 * starts of both, the countries of both, and two letters for each country.
 */
export function readCountries(packed: Uint8Array): CountryOf {
  // Bun's own function makes a buffer of the right size. That of `node:zlib` takes 4 MB more.
  const { buffer } = Bun.zstdDecompressSync(packed);
  const [count6 = 0, count4 = 0] = new Uint32Array(buffer, 0, 2);
  const starts6 = new BigUint64Array(buffer, 8, count6);
  const starts4 = new Uint32Array(buffer, 8 + count6 * 8, count4);
  const indexes = new Uint8Array(buffer, 8 + count6 * 8 + count4 * 4);
  const ipv6 = { starts: starts6, countries: indexes.subarray(0, count6) };
  const ipv4 = { starts: starts4, countries: indexes.subarray(count6, count6 + count4) };
  const letters = new TextDecoder().decode(indexes.subarray(count6 + count4));
  return (address) => {
    const number = addressNumber(address);
    if (number === undefined) return undefined;
    const index = countryAt(typeof number === "bigint" ? ipv6 : ipv4, number);
    return index === 0 ? undefined : letters.slice(index * 2 - 2, index * 2);
  };
}

/** The index of the country of the last range that starts at `address` or before. */
function countryAt({ starts, countries }: Ranges, address: number | bigint): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number | bigint) <= address) low = middle + 1;
    else high = middle;
  }
  return countries[low - 1] ?? 0;
}

/**
 * Adds the country to the properties of an event, unless they have one or switch it off: `$geoip_disable`, or
 * `$ip` without an address. An address in `$ip` counts instead of the client's (decision 21).
 */
export function addCountry(properties: JsonObject, { client, countryOf }: SenderCountries): void {
  if (properties["$geoip_disable"] || (properties[CODE] ?? null) !== null) return;
  const ip = properties["$ip"];
  const sent = typeof ip === "string" ? countryOf(ip.trim()) : undefined;
  const code = ip === undefined ? client : sent;
  if (code === undefined) return;
  properties[CODE] = code;
  properties["$geoip_country_name"] = nameOf(code);
}

const CODE = "$geoip_country_code";

let english: Intl.DisplayNames | undefined;
const names = new Map<string, string>();

/** The English name of a country, from the runtime's data, which are loaded with the first name. */
function nameOf(code: string): string {
  const known = names.get(code);
  if (known !== undefined) return known;
  english ??= new Intl.DisplayNames("en", { type: "region" });
  const name = english.of(code) ?? code;
  names.set(code, name);
  return name;
}
