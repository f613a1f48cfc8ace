import { Failure } from "./errors.ts";
import { isWellShaped } from "./event.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { parseTime } from "./time.ts";

/** One capture request, read but not yet admitted. */
export type Submission = {
  /** The project key as it was sent; not yet known to be one of ours. */
  key: string;
  items: Json[];
  /** The sender's clock when it sent, in milliseconds since the epoch. */
  sentAt: number | undefined;
  historical: boolean;
};

/**
 * Reads a decoded body: one event, an array of events, or `{batch: […]}` (contract 4.5,
 * decision 7). Fails `invalid_payload` on any other shape and `invalid_api_key` without one project key.
 */
export function readSubmission(body: Json): Submission {
  if (Array.isArray(body)) return fromItems(body, {});
  if (!isObject(body)) throw invalid("A JSON object or array is expected.");
  const batch = body["batch"];
  if (batch === undefined) return fromSingle(body);
  if (!Array.isArray(batch)) throw invalid("`batch` must be an array of events.", "batch");
  return fromItems(batch, body);
}

function fromItems(items: Json[], envelope: JsonObject): Submission {
  if (items.length === 0) throw invalid("The batch holds no events.", "batch");
  const sentAt = envelope["sent_at"];
  return {
    key: oneKey([keyIn(envelope), ...(keyIn(envelope) === undefined ? items.map(itemKey) : [])]),
    items,
    sentAt: typeof sentAt === "string" ? parseTime(sentAt) : undefined,
    historical: envelope["historical_migration"] === true,
  };
}

function fromSingle(event: JsonObject): Submission {
  const key = oneKey([itemKey(event)]);
  if (!isWellShaped(event)) {
    const attr = isObject(event["properties"] ?? {}) ? "event" : "properties";
    throw invalid("`event` must be a string and `properties` an object.", attr);
  }
  const sentAt = event["sent_at"];
  return {
    key,
    items: [event],
    sentAt: typeof sentAt === "string" ? parseTime(sentAt) : undefined,
    historical: false,
  };
}

function itemKey(item: Json): Json | undefined {
  if (!isObject(item)) return undefined;
  const properties = item["properties"];
  return keyIn(item) ?? (isObject(properties) ? (properties["token"] ?? undefined) : undefined);
}

function keyIn(object: JsonObject): Json | undefined {
  return object["api_key"] ?? object["token"] ?? object["$token"] ?? undefined;
}

/** The one key that all of them are. Two different ones are refused: whose events would it be? */
function oneKey(found: (Json | undefined)[]): string {
  const [key, ...others] = new Set(found.filter((value) => value !== undefined));
  if (key === undefined) {
    throw new Failure("invalid_api_key", "A project API key is missing.", "api_key");
  }
  if (typeof key !== "string" || others.length > 0) {
    throw new Failure("invalid_api_key", "One project API key, a string, is expected.", "api_key");
  }
  return key.trim();
}

function invalid(detail: string, attr: string | null = null): Failure {
  return new Failure("invalid_payload", detail, attr);
}
