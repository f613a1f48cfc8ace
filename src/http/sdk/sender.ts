import type { CountryOf } from "../../core/capture/country.ts";
import type { SenderOf } from "./capture.ts";

/** Addresses whose country is remembered, because a sender comes again. */
const COUNTRIES_MAX = 10_000;

/** Looks up each address once, while there is room. */
function remembering(countryOf: CountryOf): CountryOf {
  const known = new Map<string, string | undefined>();
  return (address) => {
    if (known.has(address)) return known.get(address);
    if (known.size >= COUNTRIES_MAX) known.clear();
    const country = countryOf(address);
    known.set(address, country);
    return country;
  };
}

/** Returns the country, the address and the program of a sender. */
export function senderReader(
  countryOf: CountryOf | undefined,
  clientOf: (request: Request) => string | undefined,
): SenderOf {
  const country = countryOf && remembering(countryOf);
  return (request) => {
    const address = clientOf(request);
    const geoip = country && { country: country(address ?? "") };
    const userAgent = request.headers.get("user-agent") ?? undefined;
    return { geoip, client: { address, userAgent } };
  };
}
