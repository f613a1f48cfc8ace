import { readFileSync } from "node:fs";
import { type CountryOf, readCountries } from "../../core/capture/country.ts";
import path from "./countries.bin" with { type: "file" };

let table: CountryOf | undefined;

/**
 * Returns the country of an address. The first call reads the embedded table, 2 MB, so a thread that never
 * calls it has no table.
 */
export const countryOf: CountryOf = (address) => {
  table ??= readCountries(readFileSync(path));
  return table(address);
};
