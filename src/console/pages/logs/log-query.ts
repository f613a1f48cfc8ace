import { api } from "../../api/client.ts";
import { quoted, select } from "../../api/select.ts";
import { useAddress } from "../../state/address.ts";
import { instantsOf, justBefore, spanOf, timesOf } from "../../state/period.ts";
import { zone } from "../../state/project.ts";
import { dayIn } from "../../state/zoned-days.ts";
import { type Place, ROWS, readPlace } from "../../ui/list.tsx";
import { usePeriod } from "../../ui/period/period-picker.tsx";

/** The levels of log records, the lowest first. */
export const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** The period of the page without one in the address. */
export const PERIOD = "7d";

/** The records that the address asks for. */
export type LogsAsked = {
  period: string;
  levels: string[];
  service: string;
  search: string;
  /** The beginning of an interval of the histogram, to which the list is narrowed; empty for all. */
  at: string;
  place: Place | undefined;
};

/** Reads the asked records from the address. */
export function useLogsAsked(): LogsAsked {
  const { query } = useAddress();
  const { period } = usePeriod(PERIOD);
  const levels = (query["level"] ?? "").split(",");
  return {
    period,
    levels: LEVELS.filter((level) => levels.includes(level)),
    service: query["service"] ?? "",
    search: query["search"] ?? "",
    at: query["at"] ?? "",
    place: readPlace(query["page"]),
  };
}

/** Whether more than the period narrows the records. */
export const isFiltered = ({ levels, service, search, at }: LogsAsked): boolean =>
  levels.length > 0 || service !== "" || search !== "" || at !== "";

/** Hours of an interval of the histogram. */
export function widthOf(period: string): number {
  const days = spanOf(period);
  if (days <= 2) return 1;
  if (days <= 14) return 4;
  return days <= 180 ? 24 : 168;
}

/** Midnight of a Monday, at which intervals of every width begin. */
const ORIGIN = "2000-01-03";

const HOUR_MS = 3_600_000;

/** A time of the project's clock, moved by some milliseconds. */
const moved = (wall: string, ms: number): string =>
  new Date(Date.parse(`${wall.replace(" ", "T")}Z`) + ms).toISOString().slice(0, 23);

/** The beginnings of all intervals of a period that have begun, on the project's clock. */
export function intervalsOf(period: string, now: Date): string[] {
  const width = widthOf(period);
  const { from, before } = instantsOf(period, now);
  const step = width * HOUR_MS;
  const origin = Date.parse(`${ORIGIN}T00:00:00Z`);
  const [first = 0, end = 0, today = 0] = [from, before, now].map(wallHour);
  const found: string[] = [];
  let begin = first - ((first - origin) % step);
  while (begin < end && begin <= today) {
    const text = new Date(begin).toISOString();
    found.push(width < 24 ? `${text.slice(0, 10)} ${text.slice(11, 19)}` : text.slice(0, 10));
    begin += step;
  }
  return found;
}

/** The hour of a time on the project's clock, as if that were UTC, in milliseconds. */
function wallHour(time: Date): number {
  const format = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    hour12: false,
    timeZone: zone(),
  });
  const hour = Number(format.format(time)) % 24;
  return Date.parse(`${dayIn(time, zone())}T00:00:00Z`) + hour * HOUR_MS;
}

/** The times of a query of records: those of an interval, else of the whole period. */
function rangeOf({ period, at }: LogsAsked): { date_from: string; date_to: string } {
  if (!/^\d{4}-\d{2}-\d{2}( \d{2}:00:00)?$/.test(at)) {
    const { from, before } = instantsOf(period, new Date());
    return { date_from: from.toISOString(), date_to: justBefore(before) };
  }
  const begin = at.length === 10 ? `${at} 00:00:00` : at;
  return {
    date_from: moved(begin, 0),
    date_to: `${moved(begin, widthOf(period) * HOUR_MS - 1)}999`,
  };
}

/** Reads a page of records, the latest first. */
export async function readLogs(asked: LogsAsked, signal: AbortSignal) {
  const { levels, service, search, place } = asked;
  const { results, nextCursor } = await api.post("logs/query/", {
    header: { Prefer: "return=representation" },
    body: {
      query: {
        dateRange: rangeOf(asked),
        limit: ROWS,
        ...(levels.length > 0 && { severityLevels: levels }),
        ...(service !== "" && { serviceNames: [service] }),
        ...(search !== "" && { searchTerm: search }),
        ...(place && { after: place.cursor }),
      },
    },
    signal,
  });
  const offset = (place?.offset ?? 0) + ROWS;
  return { results, next: nextCursor ? { offset, cursor: nextCursor } : undefined };
}

/** The number of records by interval and level. */
export type Histogram = { at: string; level: string; count: number }[];

/** Counts the records of the period, but for the narrowing to an interval. */
export async function readHistogram(asked: LogsAsked, signal: AbortSignal): Promise<Histogram> {
  const { period, levels, service, search } = asked;
  const width = widthOf(period);
  const local = `timezone(${quoted(zone())}, timezone('UTC', timestamp))`;
  const bucket = `time_bucket(INTERVAL ${width} HOUR, ${local}, TIMESTAMP '${ORIGIN} 00:00:00')`;
  const format = width < 24 ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d";
  const conditions = [
    inPeriod(period),
    levels.length > 0 && `level IN (${levels.map(quoted).join(", ")})`,
    service !== "" && `service_name = ${quoted(service)}`,
    search !== "" && `contains(lower(body), lower(${quoted(search)}))`,
  ].filter(Boolean);
  const { results } = await select(
    `SELECT strftime(${bucket}, '${format}') AS interval_start, level, count(*) AS records
    FROM logs WHERE ${conditions.join(" AND ")} GROUP BY interval_start, level`,
    signal,
  );
  return results.map(([at, level, count]) => ({
    at: String(at),
    level: String(level),
    count: Number(count),
  }));
}

function inPeriod(period: string): string {
  const { after, before } = timesOf(period, new Date());
  const time = (iso: string) => `TIMESTAMP ${quoted(iso.replace("T", " ").replace("Z", ""))}`;
  return `timestamp > ${time(after)} AND timestamp < ${time(before)}`;
}

/** Services that are offered. */
const SERVICES_SHOWN = 100;

/** The services of the records of a period, those with most records first. */
export async function readServices(period: string, signal: AbortSignal): Promise<string[]> {
  const { results } = await select(
    `SELECT service_name FROM logs WHERE ${inPeriod(period)} AND service_name != ''
    GROUP BY service_name ORDER BY count(*) DESC LIMIT ${SERVICES_SHOWN}`,
    signal,
  );
  return results.map(([name]) => String(name));
}

/** The time of the latest record of all; null without any. */
export async function readLatest(signal: AbortSignal): Promise<string | null> {
  const { results } = await select("SELECT max(timestamp) FROM logs", signal);
  const latest = results[0]?.[0];
  return typeof latest === "string" ? latest : null;
}
