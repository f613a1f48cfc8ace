import type { Page } from "playwright-core";
import type { Console } from "./console.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server } from "./server.ts";

const DAY_MS = 86_400_000;

/** Captures three persons who sign up at noon yesterday; two of them buy, 20 and 40 seconds later. */
export async function captureBuyers(server: Server): Promise<void> {
  const began = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
  const batch = ["ann", "ben", "cleo"].flatMap((name, at) => {
    const event = (event: string, seconds: number, properties = {}) => ({
      ...{ event, distinct_id: name, properties },
      timestamp: new Date(began + seconds * 1000).toISOString(),
    });
    const $set = { email: `${name}@example.com`, plan: at === 0 ? "pro" : "free" };
    const signup = event("signup", 0, { $set, channel: "ads" });
    const purchase = event("purchase", 20 * (at + 1), { amount: 12.5, channel: "ads" });
    return at === 2 ? [signup] : [signup, purchase];
  });
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
}

/** A filter of the persons who bought. */
export const BOUGHT = {
  ...{ type: "behavioral", key: "purchase", event_type: "events", negation: false },
  ...{ value: "performed_event_multiple", operator: "gte", operator_value: 1 },
};

/** The page of a new insight with a query. */
export const place = (query: object): string =>
  `insights/new/?q=${encodeURIComponent(JSON.stringify(query))}`;

/** The query that the address of a page has. */
export const queryIn = (page: Page): unknown =>
  JSON.parse(new URL(page.url()).searchParams.get("q") ?? "{}");

/**
 * A script for a page that keeps its questions of tiles, in the page itself: the browser does not tell of bodies that are
 * streamed.
 */
export const NOTE_QUESTIONS = `
  window.asked = [];
  const send = window.fetch;
  window.fetch = (request, ...rest) => {
    const note = (text) => asked.push(...JSON.parse(text).queries.map((one) => JSON.stringify(one)));
    if (String(request.url).includes("/query/stream/")) request.clone().text().then(note);
    return send(request, ...rest);
  };
`;

/** The questions of a page with {@link NOTE_QUESTIONS} since the last call, as JSON. */
export const questions = (page: Page) => page.evaluate("asked.splice(0)") as Promise<string[]>;

/** The findings of axe, and how much too wide the page is on a phone. */
export async function flaws({ page, findings, overflow }: Console): Promise<unknown[]> {
  const found: unknown[] = await findings();
  await page.setViewportSize({ width: 360, height: 900 });
  const wider = await overflow();
  await page.setViewportSize({ width: 1440, height: 900 });
  return wider > 0 ? [...found, { wider }] : found;
}

/** Asks the API of project 1. Throws an error with the text of a refusal. */
export async function send<T>(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${server.url}/api/environments/1/${path}`, {
    method,
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/** The browsers of {@link captureVisitors}. */
const BROWSERS = ["Brave", "Chrome", "Edge", "Firefox", "Opera", "Safari", "Vivaldi"];

/** For 20 days before now, each browser has another number of visitors a day. Every third one buys. */
const visits = (now: number) =>
  Array.from({ length: 20 }, (_, daysAgo) =>
    BROWSERS.flatMap(($browser, place) =>
      Array.from({ length: 2 + place + ((daysAgo * (place + 2)) % 5) }, (_value, at) => {
        const sent = {
          distinct_id: `${$browser}-${(daysAgo + at) % 12}`,
          timestamp: new Date(now - daysAgo * DAY_MS - at * 1000).toISOString(),
          properties: { $browser },
        };
        const view = { event: "$pageview", ...sent };
        return at % 3 === 0 ? [view, { event: "purchase", ...sent }] : [view];
      }).flat(),
    ),
  ).flat();

/** Captures the visitors of {@link BROWSERS}. */
export async function captureVisitors(server: Server): Promise<void> {
  const batch = visits(Date.now());
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
}

/** The lines of an answer. */
export type Lines = {
  label: string;
  data: (number | null)[];
  compare_label?: string;
  days?: string[];
  breakdown_value: string | null;
}[];
/** An answer with lines. */
export type Answer = { columns: string[]; results: Lines };

/** An event of a query with its measure. */
export const node = (event: string, math = "total") => ({ kind: "EventsNode", event, math });

/** A trend of a week by the day. */
export const trend = (series: object[], more: object = {}) => ({
  ...{ kind: "TrendsQuery", interval: "day", dateRange: { date_from: "-6d" }, series },
  ...more,
});

/** A breakdown by the six greatest browsers and the others. */
export const BY_BROWSER = {
  breakdownFilter: { breakdown: "$browser", breakdown_type: "event", breakdown_limit: 6 },
};
