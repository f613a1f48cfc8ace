import { SQL_FUNCTIONS, SQL_WINDOW_FUNCTIONS } from "../../../src/stores/duckdb/sql/allowed.ts";
import type { Choices } from "./random-choices.ts";
import {
  AGGREGATES,
  ARGUMENTS,
  badExpressions,
  CALLS,
  callsIn,
  EDGES,
  KINDS,
  type Kind,
  LETTERS,
  LITERALS,
  MATCHES,
  TYPES,
  WINDOWS,
} from "./random-parts.ts";

/** A column that an expression may name. */
export type Column = { name: string; kind: Kind };

/** Columns in reach, and the queries of WITH by name. */
export type Reach = { columns: readonly Column[]; ctes: readonly Cte[] };

/** A query of WITH, with its columns. */
export type Cte = { name: string; columns: readonly Column[] };

/** Makes a query with one column for each kind. */
type MakeQuery = (kinds: readonly Kind[], reach: Reach, depth: number) => string;

/** Names of functions that need no quotes. */
const NAMES = [...SQL_FUNCTIONS.keys()].filter((name) => /^[a-z_0-9]+$/.test(name));

/** Makes expressions of each kind, aggregates and windows. */
export function randomExpressions(choices: Choices, files: string, query: MakeQuery) {
  const { pick, chance, several, bad, badShare } = choices;

  /** Fills the letters of a call with expressions. */
  const filled = (call: string, reach: Reach, depth: number): string => {
    const [, name = "", args = "", tail = ""] = /^(\w+)\((.*)\)([^)]*)$/.exec(call) ?? [];
    const made = args.replace(/(?<![\w'])[twrbmsjl](?![\w'(])/g, (letter) =>
      expression(LETTERS[letter] ?? "text", reach, depth - 1),
    );
    return `${name}(${made})${tail}`;
  };

  const over = (reach: Reach, depth: number): string => {
    const of = (kind: Kind) => expression(kind, reach, Math.min(1, depth - 1));
    const some = () => several(2, () => of(pick(KINDS)));
    const direction = () => pick(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
    const unit = pick(["ROWS", "RANGE", "GROUPS"]);
    const kind = unit === "RANGE" ? pick<Kind>(["whole", "time", "real", "span"]) : "whole";
    const bound = () => of(kind === "time" ? "span" : kind);
    const frame = () =>
      pick([
        () => "UNBOUNDED PRECEDING AND CURRENT ROW",
        () => "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        () => `UNBOUNDED PRECEDING AND ${bound()} ${pick(["PRECEDING", "FOLLOWING"])}`,
        () => `${bound()} PRECEDING AND ${bound()} ${pick(["PRECEDING", "FOLLOWING"])}`,
        () => `${bound()} FOLLOWING AND ${chance(0.5) ? "UNBOUNDED" : bound()} FOLLOWING`,
        () => `CURRENT ROW AND ${bound()} FOLLOWING`,
        () => `${bound()} PRECEDING AND CURRENT ROW`,
      ])();
    const isFramed = chance(0.6);
    const order = () => (isFramed && unit === "RANGE" ? of(kind) : some().join(", "));
    return [
      chance(0.5) ? `PARTITION BY ${some().join(", ")}` : "",
      isFramed || chance(0.5) ? `ORDER BY ${order()}${direction()}` : "",
      isFramed ? `${unit} BETWEEN ${frame()}` : "",
    ].join(" ");
  };

  const windowOf = (kind: Kind, reach: Reach, depth: number): string => {
    const call = chance(0.1)
      ? anyCall(reach, depth, [...SQL_WINDOW_FUNCTIONS])
      : filled(pick(callsIn(WINDOWS[kind])), reach, depth);
    const takesNulls = /^(lag|lead|first_value|last_value|nth_value)\(/.test(call);
    const nulls = takesNulls && chance(0.3) ? call.replace(/\)$/, " IGNORE NULLS)") : call;
    const isAggregate = /^(sum|min|max|avg|count|bool|bit|stddev|var|product|any)/.test(call);
    const filter =
      isAggregate && chance(0.15) ? ` FILTER (WHERE ${expression("truth", reach, 0)})` : "";
    return `${nulls}${filter} OVER (${over(reach, depth)})`;
  };

  const aggregateOf = (kind: Kind, reach: Reach, depth: number): string => {
    const call = filled(pick(callsIn(AGGREGATES[kind])), reach, depth);
    const isOrdered = !/\*|::/.test(call) && chance(0.1);
    const ordered = isOrdered
      ? call.replace(/\)$/, ` ORDER BY ${expression(pick(KINDS), reach, 0)})`)
      : call;
    return chance(0.15) ? `${ordered} FILTER (WHERE ${expression("truth", reach, 1)})` : ordered;
  };

  /** A call of any allowed function, mostly of kinds that it does not take. */
  const anyCall = (reach: Reach, depth: number, names: readonly string[] = NAMES): string => {
    const name = pick(names);
    const args = SQL_FUNCTIONS.get(name)?.args ?? 0;
    const count = Math.min(args, 1 + Math.floor(choices.random() * 4));
    const kind = pick(KINDS);
    const made = Array.from({ length: count }, () =>
      chance(0.3)
        ? pick(chance(0.5) ? ARGUMENTS : EDGES)
        : expression(chance(0.7) ? kind : pick(KINDS), reach, depth - 1),
    );
    return `${name}(${made.join(", ")})`;
  };

  const compared = (reach: Reach, depth: number): string => {
    const kind = pick(KINDS);
    const side = () => expression(kind, reach, depth - 1);
    const operator = pick(["=", "<", ">=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]);
    const [outer, inner] = [pick(["", "NOT "]), () => query([kind], reach, depth - 1)];
    return pick([
      () => `(${side()} ${operator} ${side()})`,
      () => `(${side()} BETWEEN ${side()} AND ${side()})`,
      () => `(${side()} ${outer}IN (${several(3, side).join(", ")}))`,
      () => `(${side()} ${outer}IN (${inner()}))`,
      () => `(${side()} ${pick(["=", "<", "<>"])} ${pick(["ANY", "ALL"])} (${inner()}))`,
      () => `(${outer}EXISTS (${query([kind, "text"], reach, depth - 1)}))`,
      () => `((${side()}, 1) ${pick(["=", "<", "IN"])} ((${side()}, 2)))`,
      () => `((${side()}, ${side()}) ${outer}IN (${query([kind, kind], reach, depth - 1)}))`,
      () => `(${side()} IS ${outer}NULL)`,
    ])();
  };

  const special = (kind: Kind, reach: Reach, depth: number): string => {
    const of = (one: Kind) => expression(one, reach, depth - 1);
    const makers: Record<Kind, (() => string)[]> = {
      text: [
        () => `(${of("text")} || ${of("text")})`,
        () => `${of("text")}[${of("whole")}:${of("whole")}]`,
        () => `${of("list")}[${of("whole")}]`,
        () => `(${of("json")}->>'${pick(["plan", "$.a", "/n", "x*", "$[0]", "$.a[#-1]"])}')`,
      ],
      whole: [
        () =>
          `(${of("whole")} ${pick(["+", "-", "*", "//", "%", "&", "|", "<<", ">>"])} ${of("whole")})`,
        () => `(- ${of("whole")})`,
        () => `extract(${pick(["day", "epoch", "isoyear", "microsecond"])} FROM ${of("time")})`,
      ],
      real: [() => `(${of("real")} ${pick(["+", "-", "*", "/", "%", "**"])} ${of("whole")})`],
      truth: [
        () => compared(reach, depth),
        () => compared(reach, depth),
        () => `(${of("truth")} ${pick(["AND", "OR"])} NOT ${of("truth")})`,
        () => `(${of("text")} ${pick(MATCHES)})`,
      ],
      time: [
        () =>
          `(${of("time")} ${pick(["+", "-"])} INTERVAL (${of("whole")}) ${pick(["DAY", "YEAR", "HOUR"])})`,
        () => `(${of("time")} - to_microseconds(${of("whole")}))`,
      ],
      span: [
        () => `(${of("time")} - ${of("time")})`,
        () => `(${of("span")} ${pick(["+", "-"])} ${of("span")})`,
        () => `(${of("span")} ${pick(["*", "//"])} ${of("whole")})`,
        () => `(- ${of("span")})`,
      ],
      json: [() => `(${of("json")}->${pick(["'a'", "0", "'$.a'", "-1"])})`],
      list: [
        () => `[${several(3, () => of("text")).join(", ")}]`,
        () => `${of("list")}[${of("whole")}:${of("whole")}]`,
      ],
    };
    return pick(makers[kind])();
  };

  function expression(kind: Kind, reach: Reach, depth: number): string {
    if (chance(badShare)) return bad(pick(badExpressions(files)));
    if (kind === "whole" && chance(0.1)) return pick(EDGES);
    const columns = reach.columns.filter((column) => column.kind === kind);
    if (depth <= 0 || chance(0.2)) {
      return columns.length > 0 && chance(0.75) ? pick(columns).name : pick(LITERALS[kind]);
    }
    const of = (one: Kind) => expression(one, reach, depth - 1);
    const cast = chance(0.5) ? "CAST" : "TRY_CAST";
    return pick([
      () => filled(pick(callsIn(CALLS[kind])), reach, depth),
      () => filled(pick(callsIn(CALLS[kind])), reach, depth),
      () => special(kind, reach, depth),
      () => special(kind, reach, depth),
      () => `CASE WHEN ${of("truth")} THEN ${of(kind)} ELSE ${of(kind)} END`,
      () => `(${query([kind], reach, depth - 1)})`,
      () => (kind === "list" ? of(kind) : `${cast}(${of(pick(KINDS))} AS ${pick(TYPES[kind])})`),
      () =>
        chance(0.1) && kind === "text" ? `TRY_CAST(${anyCall(reach, depth)} AS VARCHAR)` : of(kind),
    ])();
  }

  return { expression, aggregateOf, windowOf, anyCall };
}
