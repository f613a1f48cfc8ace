import { t } from "elysia";
import { csvTable } from "../../core/values/csv.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Route } from "../operation/route.ts";
import { Streamed } from "./stream.ts";

/** The query parameter `format` (contract 4.1). */
export const Format = {
  format: t.Optional(
    t.Union([t.Literal("json"), t.Literal("csv")], {
      description:
        "By default the format that `Accept` prefers, else json. A column of csv is `properties.plan`; dots and backslashes in a key have a backslash before them. Beyond 16,384 columns, the rarest columns are together in `other`, as JSON.",
    }),
  ),
};

/** The query parameter `format` of an answer that is also a table as text. */
export const TextFormat = {
  format: t.Optional(
    t.Union([t.Literal("json"), t.Literal("txt")], {
      description: "By default json; txt is a table, with a bar in each row of numbers.",
    }),
  ),
};

/** The query parameter `format` of an answer that is also a CSV, and a table as text. */
export const TableFormat = {
  format: t.Optional(
    t.Union([t.Literal("json"), t.Literal("csv"), t.Literal("txt")], {
      description:
        "By default the format that `Accept` prefers, else json. csv has a line for each line of the answer, txt is a table, with a bar in each row of numbers.",
    }),
  ),
};

/** An answer as text. */
export function plainText(body: string): Response {
  return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** Whether a route can answer with CSV. */
export function hasTable({ query }: Pick<Route, "query">): boolean {
  return JSON.stringify(query?.properties["format"] ?? null).includes('"csv"');
}

/** Headers of CSV. A browser saves it and never shows it, because its content comes from outside. */
export const CSV_HEADERS = {
  "content-type": "text/csv; charset=utf-8",
  "content-disposition": "attachment",
};

/** An answer of CSV (RFC 4180), sent as its lines are read. */
export function csv(lines: AsyncIterable<string>): Streamed {
  return new Streamed(lines, CSV_HEADERS);
}

/** An answer of JSON with results that do not fit into memory together: `rest` follows those of the page. */
export function paged<T extends { results: unknown[] }>(
  { results, ...head }: T,
  rest: AsyncIterable<unknown[]>,
): Streamed {
  return new Streamed(jsonPage(head, results, rest), JSON_HEADERS);
}

/** The same headers as of `Response.json`. */
const JSON_HEADERS = { "content-type": "application/json;charset=utf-8" };

async function* jsonPage(head: object, results: unknown[], rest: AsyncIterable<unknown[]>) {
  const listed = (more: unknown[]) => more.map((one) => JSON.stringify(one)).join(",");
  yield `${JSON.stringify(head).slice(0, -1)},"results":[${listed(results)}`;
  for await (const more of rest) if (more.length > 0) yield `,${listed(more)}`;
  yield "]}";
}

/** An object in the requested format: as it is, or as a table of one row. */
export function formatted<T extends object>(
  format: "json" | "csv" | undefined,
  one: T,
  status: number,
): T | Response {
  if (format !== "csv") return one;
  const table = csvTable();
  table.add(one as JsonObject);
  const text = table.head() + table.line(one as JsonObject);
  return new Response(text, { status, headers: CSV_HEADERS });
}
