import type { Breakdown } from "../../../core/queries/breakdown.ts";
import type { Funnel } from "../../../core/queries/funnel.ts";

/** The part of a funnel that says which value of the breakdown a person counts for. */
export type Attributed = Pick<Funnel, "breakdown" | "attribution">;

/** Whose attempts are compared: a person's, or with a breakdown those of a person in a line. */
export const ownerIn = ({ breakdown }: Pick<Funnel, "breakdown">): string =>
  breakdown === null ? "person_id" : "person_id, breakdown, is_other";

/** Returns PARTITION BY of the events that follow each other. */
export function partitionIn({ breakdown, attribution: { by, step } }: Attributed): string {
  const isEach = breakdown !== null && (by === "all_events" || (step ?? 0) > 0);
  return `PARTITION BY person_id${isEach ? ", breakdown" : ""}`;
}

/** Whether a person has one value, that of its first or last event of a step that has one. */
export const isTouch = ({ attribution: { by } }: Attributed): boolean =>
  by === "first_touch" || by === "last_touch";

/** Returns the condition that an event has a value of a breakdown. */
export function hasValue({ by }: Breakdown, value = "breakdown"): string {
  if (by.length === 1) return `${value} IS NOT NULL`;
  return `(${by.map((_, at) => `${value}[${at + 1}] IS NOT NULL`).join(" OR ")})`;
}

/**
 * Returns the table `matched` of events with the value that they count for, from the same table with the value of each
 * event, which `scanned` returns by its name.
 */
export function attributedSql(funnel: Funnel, scanned: (name: string) => string): string[] {
  const { steps, breakdown, attribution } = funnel;
  const { by, step } = attribution;
  if (breakdown === null || by === "all_events" || step === 0) return [scanned("matched")];
  if (step !== null) {
    const is = `is_${step + 1}`;
    const none =
      breakdown.by.length === 1 ? "value" : `coalesce(value, [${breakdown.by.map(() => "NULL")}])`;
    return [
      scanned("scanned"),
      `valued AS (\n  SELECT DISTINCT person_id, breakdown AS value FROM scanned WHERE ${is}\n)`,
      `matched AS (
  -- Each value that a person has at the step has a funnel of its own.
  SELECT * EXCLUDE (value)
    REPLACE (${none} AS breakdown, ${is} AND breakdown IS NOT DISTINCT FROM value AS ${is})
  FROM scanned LEFT JOIN valued USING (person_id)
)`,
    ];
  }
  const any = steps.map((_, index) => `is_${index + 1}`).join(" OR ");
  const order = by === "first_touch" ? "t, seq" : "t DESC, seq DESC";
  const place = `CASE WHEN (${any}) AND ${hasValue(breakdown)} THEN 0 WHEN ${any} THEN 1 ELSE 2 END`;
  return [
    scanned("scanned"),
    `matched AS (
  SELECT * REPLACE (first_value(breakdown) OVER (PARTITION BY person_id
    ORDER BY ${place}, ${order}) AS breakdown)
  FROM scanned
)`,
  ];
}
