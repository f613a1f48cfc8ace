/** An event as an SDK sends it. */
export type ShopEvent = {
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
};

const DAY_MS = 86_400_000;

/** Numbers between 0 and 1 that look random, and are the same for each seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Choices with their weights. */
type Weighted<T> = readonly (readonly [value: T, weight: number])[];

const SOURCES: Weighted<readonly [domain: string, campaign?: string]> = [
  [["$direct"], 30],
  [["www.google.com"], 28],
  [["www.google.com", "trail-autumn"], 8],
  [["www.instagram.com", "rain-or-shine"], 9],
  [["www.youtube.com"], 5],
  [["old.reddit.com"], 6],
  [["newsletter.example", "weekly-letter"], 7],
  [["hikers.example"], 4],
  [["duckduckgo.com"], 3],
];

const COUNTRIES: Weighted<string> = [
  ...([["Germany", 34] as const, ["France", 15] as const, ["Austria", 11] as const] as const),
  ...([["Switzerland", 9] as const, ["United Kingdom", 9] as const] as const),
  ...([["Netherlands", 7] as const, ["Italy", 5] as const, ["Spain", 4] as const] as const),
  ...([["Poland", 3] as const, ["Norway", 3] as const] as const),
];

const DEVICES: Weighted<readonly [type: string, os: string, browser: string]> = [
  [["Mobile", "iOS", "Mobile Safari"], 28],
  [["Mobile", "Android", "Chrome"], 26],
  [["Desktop", "Windows", "Chrome"], 17],
  [["Desktop", "Mac OS X", "Safari"], 13],
  [["Desktop", "Windows", "Firefox"], 9],
  [["Tablet", "iOS", "Mobile Safari"], 5],
  [["Desktop", "Linux", "Firefox"], 2],
];

const PRODUCTS: Weighted<readonly [name: string, price: number]> = [
  [["Trail Runner", 129], 30],
  [["Rain Shell", 189], 20],
  [["Merino Socks", 19], 25],
  [["Day Pack 22 l", 89], 15],
  [["Trekking Poles", 69], 10],
];

const PAYMENTS: Weighted<string> = [
  ["card", 50],
  ["paypal", 30],
  ["invoice", 20],
];

const FIRST = ["Ada", "Ben", "Clara", "David", "Emma", "Finn", "Greta", "Hugo", "Ida", "Jonas"];
const LAST = ["Berg", "Costa", "Dubois", "Ellis", "Fischer", "Gruber", "Haas", "Ivanova", "Jansen"];

const ENTRIES: Weighted<string> = [
  ["/", 45],
  ["/sale", 18],
  ["/guide/how-to-choose-trail-shoes", 14],
  ["/products/trail-runner", 13],
  ["/products/rain-shell", 10],
];

const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/**
 * The events of an outdoor shop in the `days` before `end`, in milliseconds, in order of time: visits with their pages, products
 * looked at, carts and purchases, by people who come back. The same for each seed and end.
 */
export function shopEvents({ end, days = 60, people = 1500, seed = 1 }: ShopOptions): ShopEvent[] {
  const random = numbersFrom(seed);
  const pick = <T>(choices: Weighted<T>): T => {
    let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return (choices[0] as readonly [T, number])[0];
  };
  const between = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const events: ShopEvent[] = [];
  for (let person = 0; person < people; person += 1) {
    const [device, os, browser] = pick(DEVICES);
    const country = pick(COUNTRIES);
    const visitor = {
      ...{ $device_type: device, $os: os, $browser: browser, $geoip_country_name: country },
      ...{ $browser_language: country === "France" ? "fr-FR" : "de-DE", $host: "shop.example" },
    };
    const name = `${FIRST[between(0, FIRST.length - 1)]} ${LAST[between(0, LAST.length - 1)]}`;
    const isLoyal = random() < 0.25;
    // More people come lately: the shop grows.
    let at = end - days * DAY_MS * (1 - Math.sqrt(random()));
    for (let visit = 0; visit === 0 || (isLoyal && visit < 8); visit += 1) {
      const day = new Date(at).getUTCDay();
      if (at > end) break;
      if ((day === 0 || day === 6) && random() < 0.35) at += DAY_MS;
      const [domain, campaign] = pick(SOURCES);
      const session = `0000${person.toString(16)}-${visit}`;
      const distinct_id = `visitor-${person}`;
      const common = {
        ...{ ...visitor, $session_id: session, $referring_domain: domain },
        ...(campaign === undefined ? {} : { utm_campaign: campaign, utm_source: domain }),
      };
      let time = at;
      const send = (event: string, properties: object = {}) => {
        if (time <= end) {
          const timestamp = new Date(time).toISOString();
          events.push({ event, distinct_id, timestamp, properties: { ...common, ...properties } });
        }
        time += between(8, 90) * 1000;
      };
      const view = ($pathname: string) =>
        send("$pageview", { $pathname, $current_url: `https://shop.example${$pathname}` });
      view(pick(ENTRIES));
      if (random() < 0.42) {
        at += between(2, 12) * DAY_MS;
        continue;
      }
      if (random() < 0.3) view("/search");
      const [product, price] = pick(PRODUCTS);
      view(`/products/${slug(product)}`);
      send("product viewed", { product, price });
      if (random() < 0.34) {
        send("added to cart", { product, price });
        view("/cart");
        if (random() < 0.62) {
          view("/checkout");
          if (random() < (device === "Mobile" ? 0.5 : 0.72)) {
            const quantity = between(1, 3);
            send("purchase", {
              ...{ product, quantity, amount: price * quantity, currency: "EUR" },
              ...{ payment: pick(PAYMENTS) },
              $set: {
                ...{ name, email: `${slug(name).replace("-", ".")}${person}@mail.example` },
                plan: isLoyal ? "club" : "guest",
              },
            });
            view("/thank-you");
          }
        }
      }
      at += between(2, 12) * DAY_MS;
    }
  }
  return events.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

type ShopOptions = { end: number; days?: number; people?: number; seed?: number };
