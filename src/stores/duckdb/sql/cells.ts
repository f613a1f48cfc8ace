import type { DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { SqlCell } from "../../../core/ports/sql.ts";
import { jsonOf } from "../../../core/sql/sql.ts";
import { isoMicros, isoNanos } from "../../../core/values/time.ts";
import { wallClock } from "../../../core/values/zoned-time.ts";

/**
 * Converts a value of DuckDB for an answer, with all its digits (decision 117). Times are ISO 8601: with the offset of
 * the clock of `timezone` then, or without one if they are on another clock.
 */
export function cellOf(value: DuckDBValue, type: DuckDBType, timezone: string): SqlCell {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return type.alias === "JSON" ? storedJson(value) : value;
    case "number":
      if (!Number.isFinite(value)) return null;
      return type.toString() === "FLOAT" ? shortestFloat(value) : value;
    case "bigint":
      return { digits: String(value) };
    default:
      return value === null ? null : objectCell(value, type, timezone);
  }
}

/** A number as JSON has it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:[.]\d+)?(?:[eE][-+]?\d+)?$/;

/** Returns the number that the text of a property is; undefined of all else. */
export const numberCell = (value: DuckDBValue): SqlCell | undefined =>
  typeof value === "string" && JSON_NUMBER.test(value) && Number.isFinite(Number(value))
    ? { digits: value }
    : undefined;

/** Returns a moment on the clock of a zone; undefined without a zone, and of all else. */
export function zonedCell(value: DuckDBValue, zone: string | undefined): SqlCell | undefined {
  const isMoment = typeof value === "object" && value !== null && "micros" in value;
  if (zone === undefined || !isMoment || ("isFinite" in value && !value.isFinite)) return undefined;
  return timeOf(value, "TIMESTAMP WITH TIME ZONE", zone);
}

/** Gives the parts of tuples, which the client keeps by name, their places as names. */
export function withPlaces(type: DuckDBType): DuckDBType {
  if ("valueType" in type) withPlaces(type.valueType);
  if (!("entryTypes" in type)) return type;
  const names = type.entryNames as string[];
  for (const [index, part] of type.entryTypes.entries()) {
    names[index] ||= String(index + 1);
    withPlaces(part);
  }
  return type;
}

/** Returns the number with the fewest digits that equals this one in 32 bits. */
function shortestFloat(value: number): number {
  const shorter = Array.from({ length: 9 }, (_, digits) => Number(value.toPrecision(digits + 1)));
  return shorter.find((one) => Math.fround(one) === value) ?? value;
}

/** Returns JSON as stored; a text that only DuckDB takes for JSON (NaN, a trailing comma) stays a text. */
function storedJson(text: string): SqlCell {
  try {
    const value = JSON.parse(text);
    // Parsed numbers, also those in lists and objects, may lose digits.
    const mayHaveNumbers =
      typeof value === "number" || (typeof value === "object" && value !== null);
    return mayHaveNumbers ? { json: text } : value;
  } catch {
    return text;
  }
}

function objectCell(value: DuckDBValue & object, type: DuckDBType, timezone: string): SqlCell {
  if ("isFinite" in value && !value.isFinite) {
    // Most such values print as a time, so the sign of their only field is read.
    const isBefore = Object.values(value).some((count: number | bigint) => count < 0);
    return isBefore ? "-infinity" : "infinity";
  }
  if ("toDouble" in value) return { digits: String(value) };
  if ("items" in value) {
    const itemType = "valueType" in type ? type.valueType : type;
    const items = value.items.map((item) => jsonOf(cellOf(item, itemType, timezone)));
    return { json: `[${items.join(",")}]` };
  }
  if ("entryTypes" in type && "entries" in value) {
    const values: DuckDBValue[] = Object.values(value.entries);
    if (type.entryNames[0] === "1") {
      const parts = values.map((one, index) =>
        cellOf(one, type.entryTypes[index] ?? type, timezone),
      );
      return { json: `[${parts.map(jsonOf).join(",")}]` };
    }
    const entries = type.entryTypes.map((entryType, index) => {
      const cell = cellOf(values[index] ?? null, entryType, timezone);
      return `${JSON.stringify(type.entryNames[index])}:${jsonOf(cell)}`;
    });
    return { json: `{${entries.join(",")}}` };
  }
  return timeOf(value, type.toString(), timezone) ?? String(value);
}

function timeOf(value: DuckDBValue & object, type: string, timezone: string): string | undefined {
  if ("seconds" in value) return isoMicros(value.seconds * 1_000_000n);
  if ("millis" in value) return isoMicros(value.millis * 1000n);
  if ("nanos" in value && type === "TIMESTAMP_NS") return isoNanos(value.nanos);
  if (!("micros" in value && type.startsWith("TIMESTAMP"))) return undefined;
  const micros = BigInt(value.micros);
  if (timezone === "UTC") return isoMicros(micros);
  if (type === "TIMESTAMP") return isoMicros(micros)?.replace("Z", "");
  const ms = Number(micros / 1000n);
  const ahead = Math.round(wallClock(ms, timezone) - ms);
  return isoMicros(micros + BigInt(ahead) * 1000n)?.replace("Z", offsetOf(ahead));
}

/** Returns how far a clock is ahead of UTC, as ISO 8601 has it. */
function offsetOf(aheadMs: number): string {
  const minutes = Math.floor(Math.abs(aheadMs) / 60_000);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${aheadMs < 0 ? "-" : "+"}${hour}:${minute}`;
}
