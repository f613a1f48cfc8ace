import { expect, test } from "bun:test";
import { emblemOf } from "../../../src/console/ui/emblem/names.ts";
import { EMBLEMS } from "../../../src/http/console/assets.ts";

/** The most bytes of the file, gzipped. */
const BYTES_MAX = 40_960;

const text = Buffer.from(EMBLEMS.plain).toString();
const ids = new Set([...text.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id));
const countries = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

const emblem = (property: string, value: string) => {
  const found = emblemOf(property, value);
  return found && ("letters" in found ? found.letters : found.id);
};

test("the file has a picture or letters for each country, and is small", () => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((a) => letters.map((b) => a + b));
  const without = codes.filter((code) => {
    const name = countries.of(code);
    return ids.has(code) && name && emblem("$geoip_country_name", name) !== code;
  });
  expect(without).toEqual([]);
  for (const code of codes) {
    const found = emblemOf("$geoip_country_code", code);
    const isKnown = countries.of(code) !== undefined;
    if (isKnown && found && "id" in found) expect([code, ids.has(found.id)]).toEqual([code, true]);
  }
  expect(ids.size).toBeGreaterThan(250);
  expect(EMBLEMS.gzipped.length).toBeLessThan(BYTES_MAX);
});

test.each([
  ["$geoip_country_name", "Germany", "DE"],
  ["$initial_geoip_country_name", "Türkiye", "TR"],
  ["$geoip_country_code", "SA", "SA"],
  ["$geoip_country_name", "Atlantis", ""],
  ["$browser", "Mobile Safari", "safari"],
  ["$initial_browser", "Chrome iOS", "googlechrome"],
  ["$browser", "Microsoft Edge", "M"],
  ["$os", "Mac OS X", "apple"],
  ["$os", "Windows", "windows"],
  ["$device_type", "Desktop", "desktop"],
  ["$referring_domain", "www.google.co.uk", "google"],
  ["$referring_domain", "t.co", "x"],
  ["$initial_referring_domain", "$direct", "D"],
  ["utm_source", "newsletter", "N"],
  ["$referring_domain", "(none)", ""],
  ["$pathname", "/os", undefined],
  ["browser_version", "Chrome", undefined],
])("%s %s", (property, value, expected) => {
  expect(emblem(property, value)).toBe(expected as string);
  const found = emblemOf(property, value);
  if (found && "id" in found) expect(ids.has(found.id)).toBe(true);
});
