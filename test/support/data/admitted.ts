import { admitBody, type Body } from "../../../src/core/capture/admit-body.ts";
import type { CapturedEvent } from "../../../src/core/events/event.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

/** Noon of a day, the secrets of the days around it, and the sender of requests. */
const NOW = Date.parse("2026-11-21T12:00:00Z");
export const SALTS = { "2026-11-20": "b2xk", "2026-11-21": "bmV3", "2026-11-22": "bmV4dA" };
export const FIREFOX = "Mozilla/5.0 (X11) Firefox/140";
export const CLIENT = { address: "203.0.113.7", userAgent: FIREFOX };

/** The sender and the secrets of a request; by default those of the constants. */
export type Sent = {
  client?: Body["hints"]["client"];
  envelope?: JsonObject;
  salts?: typeof SALTS;
};

/** Admits the events of a body at noon, and returns them as they are stored. */
export function admitted(
  events: JsonObject[],
  { client = CLIENT, envelope, salts = SALTS }: Sent = {},
) {
  const { lines } = admitBody(
    {
      bytes: new TextEncoder().encode(
        JSON.stringify({ api_key: "phc_test", ...envelope, batch: events }),
      ),
      ...{ encoding: "", compression: "", protocol: "events", sdk: "" },
      hints: { key: undefined, keyInBody: true, sentAt: undefined, client },
    },
    { now: NOW, newUuid: () => Bun.randomUUIDv7(), countryOf: () => undefined, salts },
  );
  const texts = new TextDecoder().decode(lines).split("\n").slice(0, -1);
  return texts.map((text): CapturedEvent => JSON.parse(text));
}

/** The properties of an event as they are stored. */
export const propertiesOf = (event: string, properties: JsonObject) =>
  admitted([{ event, distinct_id: "ann", properties }])[0]?.properties ?? {};
