import { type CapturedEvent, type ChangeReason, COOKIELESS_ID } from "../events/event.ts";
import { dashed } from "../values/ids.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { instantOf, wallClock } from "../values/zoned-time.ts";

/**
 * The secrets of the days around now, by the day as `2026-11-21`. Each is random. With it one can try which address a
 * visitor of that day had, so it is deleted after the day (decision 22).
 */
export type DailySalts = Readonly<Record<string, string>>;

/** The sender of an event, which distinguishes visitors without cookies. */
export type VisitorFacts = {
  salts: DailySalts;
  /** Returns the project key of an event as it was sent. */
  keyOf: (raw: JsonObject) => string | undefined;
  /** The address and the `User-Agent` of the request; undefined for an import. */
  address: string | undefined;
  userAgent: string | undefined;
};

/** Code points of `$cookieless_extra` that count. */
const EXTRA_UNITS = 100;

/** Properties that distinguish visitors, and are not kept: as they are, and as a person's first ones. */
const FORGOTTEN = ["ip", "raw_user_agent", "user_agent", "cookieless_extra"].flatMap((name) => [
  `$${name}`,
  `$initial_${name}`,
]);

/**
 * Gives an event without cookies the id of its visitor, device and session, which are those of one day, and removes
 * the properties from which they are made. An event whose visitor is unknown keeps the id that all such visitors share.
 */
export function identifyVisitor(
  event: CapturedEvent,
  facts: VisitorFacts,
  changes: ChangeReason[],
  raw: JsonObject,
): void {
  const { properties } = event;
  const isNameless = event.distinct_id === COOKIELESS_ID;
  if (!isNameless && properties["$cookieless_mode"] !== true) return;
  const day = dayOf(Date.parse(event.timestamp), properties["$timezone"]);
  const hash = hashOf(event, { ...facts, key: facts.keyOf(raw) }, day.name);
  for (const holder of [properties, properties["$set"], properties["$set_once"]]) {
    if (isObject(holder)) for (const name of FORGOTTEN) delete holder[name];
  }
  if (hash === undefined) {
    if (isNameless) changes.push("cookieless_visitor_unknown");
    return;
  }
  const id = hash.toString("base64url");
  if (isNameless) event.distinct_id = `cookieless_${id}`;
  properties["$device_id"] ??= `cookielessd_${id}`;
  properties["$session_id"] ??= sessionOf(hash, day.start);
}

const HASH_BYTES = 16;

/** The 16 bytes of a visitor on a day; undefined if the day has no secret any more, or the sender is unknown. */
function hashOf(
  { properties }: CapturedEvent,
  visitor: VisitorFacts & { key: string | undefined },
  day: string,
): Buffer | undefined {
  const { $ip: ip, $raw_user_agent: agent, $cookieless_extra: extra } = properties;
  const salt = visitor.salts[day];
  // A sender may say that it sends for another address, or for none.
  const address = ip === undefined ? visitor.address : text(ip);
  const userAgent = text(agent) ?? visitor.userAgent;
  if (!(salt && visitor.key && address && userAgent)) return undefined;
  const host = domainOf(text(properties["$host"]) ?? text(properties["$current_url"]) ?? "");
  const all = [visitor.key, address, host, userAgent, (text(extra) ?? "").slice(0, EXTRA_UNITS)];
  const hasher = new Bun.CryptoHasher("sha256", Buffer.from(salt, "base64"));
  return hasher.update(JSON.stringify(all)).digest().subarray(0, HASH_BYTES);
}

const text = (value: Json | undefined) =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** Names under which countries register domains, as `co` in `shop.co.uk`. */
const SECOND_LEVEL = /^(?:ac|co|com|edu|go|gob|gov|govt|ltd|me|mil|ne|net|nhs|nom|or|org|plc|sch)$/;

/** The registered domain of a host or an address, with its port; visitors of its subdomains are the same. */
function domainOf(host: string): string {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(host) ? host : `http://${host}`);
  if (url === null || url.hostname.startsWith("[") || /^[\d.]+$/.test(url.hostname)) {
    return url?.host ?? host;
  }
  const labels = url.hostname.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const isShared = top.length === 2 && SECOND_LEVEL.test(second);
  return `${labels.slice(isShared ? -3 : -2).join(".")}:${url.port}`;
}

type Day = { name: string; start: number };

/** Days that are remembered, because the clock of a zone is slow to read. */
const DAYS_MAX = 1000;
const days = new Map<string, Day>();
const QUARTER_MS = 900_000;

/** The day of a moment on the visitor's clock, else in UTC, and its start in milliseconds since 1970. */
function dayOf(ms: number, timezone: Json | undefined): Day {
  const zone = text(timezone) ?? "UTC";
  // Clocks differ from UTC by whole quarters of an hour, and change at them.
  const key = `${Math.floor(ms / QUARTER_MS)} ${zone}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  if (days.size >= DAYS_MAX) days.clear();
  const day = dayIn(ms, zone);
  days.set(key, day);
  return day;
}

function dayIn(ms: number, zone: string): Day {
  try {
    const name = new Date(wallClock(ms, zone)).toISOString().slice(0, 10);
    return { name, start: instantOf(Date.parse(name), zone) };
  } catch {
    return dayIn(ms, "UTC");
  }
}

/** A session of a whole day, as a UUID of version 7 with the start of the day. */
function sessionOf(hash: Uint8Array, start: number): string {
  const bytes = Buffer.from(hash);
  bytes.writeUIntBE(Math.max(start, 0), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return dashed(bytes);
}
