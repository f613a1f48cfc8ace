import type { Found, Plan } from "../../../core/ports/insights.ts";
import { funnelRow, funnelSql } from "./funnels.ts";
import { lifecycleRow, lifecycleSql } from "./lifecycle.ts";
import { pathsRow, pathsSql } from "./paths.ts";
import { retentionRow, retentionSql } from "./retention.ts";
import { stickinessRow, stickinessSql } from "./stickiness.ts";
import type { Row, Statement, Target } from "./target.ts";
import { trendsOrder, trendsRow, trendsSql } from "./trends.ts";

/** The statements of a query, and the way from their rows to the result. */
export type Compiled = {
  /** One statement for each series and period; else one. */
  statements: ((target: Target) => Statement)[];
  /** Columns by which the rows of several statements are ordered together. */
  order: string;
  resultOf: (rows: Row[][]) => Found[Plan["query"]["kind"]];
};

/** Compiles a query of any kind. */
export function compiled(plan: Plan): Compiled {
  const { query, period } = plan;
  const places = new Map<unknown, number>(period.buckets.map((bucket, at) => [bucket, at]));
  const one = (statement: (target: Target) => Statement, read: (row: Row) => unknown) => ({
    statements: [statement],
    order: "",
    resultOf: ([rows = []]: Row[][]) =>
      rows.map(read).filter((row) => row !== undefined) as Found["FunnelsQuery"],
  });
  switch (query.kind) {
    case "TrendsQuery": {
      const trends = { ...plan, query };
      return {
        statements: trendsSql(trends),
        order: trendsOrder(trends),
        resultOf(all) {
          const rows = all.map((some) => some.map(trendsRow));
          const { length } = query.series;
          return { current: rows.slice(0, length), previous: rows.slice(length) };
        },
      };
    }
    case "FunnelsQuery":
      return one(
        (target) => funnelSql(target, query, period),
        (row) => funnelRow(row, query.steps.length),
      );
    case "RetentionQuery":
      return one(
        (target) => retentionSql(target, query, period),
        (row) => retentionRow(row, places),
      );
    case "PathsQuery":
      return one((target) => pathsSql(target, query, period), pathsRow);
    case "LifecycleQuery":
      return one(
        (target) => lifecycleSql(target, query, period),
        (row) => lifecycleRow(row, places),
      );
    case "StickinessQuery":
      return {
        statements: stickinessSql(query, period),
        order: "series, intervals",
        resultOf: (all) => all.map((some) => some.map(stickinessRow)),
      };
  }
}
