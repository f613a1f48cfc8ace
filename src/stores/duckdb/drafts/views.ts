import type { PropertyOf } from "../../../core/queries/query-fields.ts";
import { groupColumn, HOT_PROPERTIES } from "../../loads/event-lines.ts";
import { quoted } from "../engine/duckdb.ts";
import { isUtc, TIME } from "../insights/event-scan.ts";
import type { EventSource } from "../insights/target.ts";
import { type Bind, pointer } from "../lists/property-filter.ts";
import { draftCondition } from "./filter.ts";

/** Returns a value as a literal, as a person would write it. */
export const literal: Bind = (value, type = "VARCHAR") => {
  const text = String(value);
  switch (type) {
    case "VARCHAR":
      return quoted(text);
    case "TIMESTAMP":
      return `TIMESTAMP '${timeText(text)}'`;
    case "TIMESTAMPTZ":
      return `TIMESTAMPTZ ${quoted(text)}`;
    default:
      // A number with a point would be a DECIMAL, which is not the same number.
      return Number.isSafeInteger(Number(text)) ? text : `${quoted(text)}::${type}`;
  }
};

/** A time on a clock; at midnight only the day. */
function timeText(wall: string): string {
  const [day, time = ""] = wall.replace("Z", "").split("T");
  return /^[0:.]*$/.test(time) ? `${day}` : `${day} ${time}`;
}

/** Reads events from the public views (decision 81), on the clock of a zone. */
export function eventViews(timezone: string): () => EventSource {
  return () => {
    const joins = new Map<string, string>();
    const text = (of: PropertyOf, property: string): string => {
      if (of.type === "event") {
        const isColumn = HOT_PROPERTIES.some((name) => name === property);
        return isColumn ? `events."${property}"` : propertyText("events", property);
      }
      if (of.type === "person") {
        joins.set("persons", "LEFT JOIN persons ON persons.uuid = events.person_id");
        return propertyText("persons", property);
      }
      const { group_type_index: index } = of;
      const name = `group_${index}`;
      const on = `${name}.type_index = ${index} AND ${name}.key = events."${groupColumn(index)}"`;
      joins.set(name, `LEFT JOIN groups AS ${name} ON ${on}`);
      return propertyText(name, property);
    };
    return {
      wall: (period) =>
        isUtc(period) ? TIME : `(${TIME} AT TIME ZONE 'UTC' AT TIME ZONE ${quoted(timezone)})`,
      person: () => "events.person_id",
      text,
      passes: ({ of, filter }) => draftCondition(filter, text(of, filter.key), literal),
      isPlain: () => true,
      needs: () => ({ tables: [], joins: [...joins.values()], conditions: [] }),
    };
  };
}

/** The text of a property of a view. Only a plain key is also a path, where `$`, `.` and `/` have meanings. */
export function propertyText(table: string, key: string): string {
  const isPlain = /^[A-Za-z_][\w ]*$/.test(key);
  return `(${table}.properties->>${quoted(isPlain ? key : pointer(key))})`;
}
