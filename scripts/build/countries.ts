/** Writes the table of countries from the installed package: `bun scripts/build/countries.ts`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { installed } from "./packages.ts";

/** The package whose ranges are in the table. */
export const COUNTRIES_PACKAGE = "@ip-location-db/asn-country";

/** Where the table is, for the server to embed. */
export const COUNTRIES_FILE = join(import.meta.dir, "../../src/app/process/countries.bin");

/** A range of addresses, both ends in it, and its country. */
export type CountryRange = { first: bigint; last: bigint; country: string };

/** Reads the ranges of the package, ascending. */
export function countryRanges(version: 4 | 6): CountryRange[] {
  const folder = installed(COUNTRIES_PACKAGE);
  if (folder === undefined)
    throw new Error(`${COUNTRIES_PACKAGE} is not installed. Run: bun install`);
  const csv = readFileSync(join(folder, `asn-country-ipv${version}-num.csv`), "utf8");
  return csv.split(/\r?\n/).flatMap((line) => {
    const [first = "", last = "", country = ""] = line.split(",");
    return line === "" ? [] : [{ first: BigInt(first), last: BigInt(last), country }];
  });
}

/** The table without compression, as `readCountries` takes it. Of IPv6 it has the first 64 bits. */
export function countryTable(): Uint8Array {
  const ipv6 = starts(countryRanges(6), 64n);
  const ipv4 = starts(countryRanges(4), 0n);
  const codes = [...new Set([...ipv4, ...ipv6].map(({ country }) => country))].sort();
  // An index is one byte. The first code is empty: it is for addresses without a country.
  if (codes.length > 256 || codes.shift() !== "") throw new Error("The codes do not fit.");
  const indexOf = ({ country }: { country: string }) => codes.indexOf(country) + 1;
  const parts = [
    Uint32Array.of(ipv6.length, ipv4.length),
    BigUint64Array.from(ipv6, ({ start }) => start),
    Uint32Array.from(ipv4, ({ start }) => Number(start)),
    Uint8Array.from(ipv6, indexOf),
    Uint8Array.from(ipv4, indexOf),
    new TextEncoder().encode(codes.join("")),
  ];
  return Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer)));
}

/** Where each range begins, and where a gap does, whose country is empty. Neighbours of one country are one. */
function starts(ranges: CountryRange[], shift: bigint): { start: bigint; country: string }[] {
  const all: { start: bigint; country: string }[] = [];
  const add = (address: bigint, country: string) => {
    if (address % (1n << shift) !== 0n) throw new Error("A range of IPv6 ends within a /64.");
    if (all.at(-1)?.country !== country) all.push({ start: address >> shift, country });
  };
  let next = 0n;
  for (const { first, last, country } of ranges) {
    if (first < next || last < first) throw new Error("The ranges are not in order.");
    if (first > next) add(next, "");
    add(first, country);
    next = last + 1n;
  }
  add(next, "");
  return all;
}

if (import.meta.main) {
  const params = { [constants.ZSTD_c_compressionLevel]: 22 };
  await Bun.write(COUNTRIES_FILE, zstdCompressSync(countryTable(), { params }));
}
