import { randomChoices } from "./random-choices.ts";
import { type Column, type Reach, randomExpressions } from "./random-expressions.ts";
import { badStatements, badTables, EDGES, KINDS, type Kind, VIEWS } from "./random-parts.ts";

/** One statement; `isForbidden` says whether a part of it may not run, by how it was made. */
export type Statement = { text: string; isForbidden: boolean };

/** A table of FROM, and the columns that it adds. */
type Source = { sql: string; columns: readonly Column[] };

/** Set operations. */
const SETS = [
  ...["UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL"],
  ...["UNION BY NAME", "UNION ALL BY NAME"],
];

/** Share of whole statements that may not run. */
const BAD_STATEMENTS = 0.02;

/**
 * Makes random statements of every part of the grammar, some with a part that may not run. Kinds make most of them
 * well-typed, so that they reach the planner and the engine.
 */
export function randomStatements(seed: number, files: string): () => Statement {
  const choices = randomChoices(seed);
  const { pick, chance, several, bad, badShare } = choices;
  const { expression, aggregateOf, windowOf, anyCall } = randomExpressions(choices, files, query);
  let names = 0;
  const nextName = () => `t${names++}`;

  const join2 = (reach: Reach, depth: number): Source => {
    const left = source(reach, depth - 1);
    if (chance(0.15)) return lateral(left, reach, depth);
    const right = source(reach, depth - 1);
    const both = [...left.columns, ...right.columns];
    const type = pick(["", "", "LEFT ", "RIGHT ", "FULL ", "SEMI ", "ANTI "]);
    const kind = pick(KINDS);
    const side = ({ columns }: Source) => expression(kind, { ...reach, columns }, 1);
    const inner = { ...reach, columns: [...reach.columns, ...both] };
    const equal = () => pick(["=", "=", "<", ">=", "<>", "IS NOT DISTINCT FROM"]);
    const on = () =>
      pick([
        () => `${side(left)} ${equal()} ${side(right)}`,
        () => `${side(left)} = ${side(right)} AND ${expression("truth", inner, depth - 1)}`,
        () => expression("truth", inner, depth),
      ])();
    const columns = /SEMI|ANTI/.test(type) ? left.columns : both;
    return pick([
      () => ({ sql: `${left.sql} ${type}JOIN ${right.sql} ON ${on()}`, columns }),
      () => ({ sql: `${left.sql} ${type}JOIN ${right.sql} ON ${on()}`, columns }),
      () => ({ sql: `${left.sql} CROSS JOIN ${right.sql}`, columns: both }),
      () => ({ sql: `${left.sql} NATURAL ${type}JOIN ${right.sql}`, columns: [] }),
      () => ({ sql: `${left.sql} ${type}JOIN ${right.sql} USING (c0)`, columns }),
    ])();
  };

  const lateral = (left: Source, reach: Reach, depth: number): Source => {
    const inner = { ...reach, columns: [...reach.columns, ...left.columns] };
    const right = nested(inner, depth - 1);
    const type = pick([", LATERAL ", " CROSS JOIN LATERAL ", " LEFT JOIN LATERAL "]);
    const on = type.includes("LEFT") ? ` ON ${pick(["true", "1 = 1"])}` : "";
    return {
      sql: `${left.sql}${type}${right.sql}${on}`,
      columns: [...left.columns, ...right.columns],
    };
  };

  /** Columns `c0`, `c1` and so on of a query. */
  const named = (kinds: readonly Kind[], alias: string): Column[] =>
    kinds.map((kind, index) => ({ name: `${alias}.c${index}`, kind }));

  const nested = (reach: Reach, depth: number): Source => {
    const kinds = several(4, () => pick(KINDS));
    const alias = nextName();
    return { sql: `(${query(kinds, reach, depth)}) ${alias}`, columns: named(kinds, alias) };
  };

  const view = (): Source => {
    const alias = nextName();
    const name = pick(["events", "events", "events", "persons", "groups", "logs"]);
    const columns = Object.entries(VIEWS[name] ?? {}).flatMap(([kind, list]) =>
      list.map((one) => ({ kind: kind as Kind, name: one.replaceAll("@", alias) })),
    );
    const rows = pick(["0", "1", "3", "40", "100", "2500"]);
    const isWhole = chance(0.2);
    return { sql: isWhole ? `${name} ${alias}` : `(FROM ${name} LIMIT ${rows}) ${alias}`, columns };
  };

  const values = (reach: Reach): Source => {
    const kinds = several(3, () => pick(KINDS));
    const alias = nextName();
    const rows = several(
      4,
      () => `(${kinds.map((kind) => expression(kind, reach, 0)).join(", ")})`,
    );
    const list = kinds.map((_, index) => `c${index}`).join(", ");
    return { sql: `(VALUES ${rows.join(", ")}) ${alias}(${list})`, columns: named(kinds, alias) };
  };

  function source(reach: Reach, depth: number): Source {
    if (chance(badShare * 2)) return { sql: bad(pick(badTables(files))), columns: [] };
    if (depth <= 0) return view();
    return pick<() => Source>([
      view,
      view,
      () => nested({ ...reach, columns: [] }, depth - 1),
      () => join2({ ...reach, columns: [] }, depth),
      () => join2({ ...reach, columns: [] }, depth),
      () => values({ ...reach, columns: [] }),
      () => {
        if (reach.ctes.length === 0) return view();
        const { name, columns } = pick(reach.ctes);
        const alias = nextName();
        const renamed = columns.map((one) => ({ ...one, name: `${alias}.${one.name}` }));
        return { sql: `${name} ${alias}`, columns: renamed };
      },
    ])();
  }

  const limits = (reach: Reach): string => {
    const count = () =>
      pick(["1", "5", "100", "10%", "0", pick(EDGES), "(SELECT 3)", "0.5%", "'nan'::DOUBLE %"]);
    const order = pick(["1", "1 DESC", "ALL", "c0 NULLS FIRST", pick(EDGES)]);
    return [
      chance(0.25) ? `ORDER BY ${chance(0.6) ? order : expression(pick(KINDS), reach, 2)}` : "",
      chance(0.3) ? `LIMIT ${count()}` : "",
      chance(0.1) ? `OFFSET ${pick(["1", pick(EDGES), "(SELECT 1)"])}` : "",
    ].join(" ");
  };

  const selected = (items: readonly string[]) =>
    items.map((item, index) => `${item} AS c${index}`).join(", ");

  const plain = (kinds: readonly Kind[], reach: Reach, depth: number): string => {
    const from = source(reach, depth);
    const inner = { ...reach, columns: [...reach.columns, ...from.columns] };
    const item = (kind: Kind) =>
      chance(0.15) ? windowOf(kind, inner, depth) : expression(kind, inner, depth);
    const distinct = chance(0.2)
      ? pick(["DISTINCT ", "DISTINCT ON (1) ", `DISTINCT ON (${inner.columns[0]?.name ?? 1}) `])
      : "";
    const star = chance(0.03) ? pick([", *", ", * EXCLUDE (c0)", ", * REPLACE (1 AS c0)"]) : "";
    return [
      `SELECT ${distinct}${selected(kinds.map(item))}${star} FROM ${from.sql}`,
      chance(0.4) ? `WHERE ${expression("truth", inner, depth)}` : "",
      chance(0.1)
        ? `QUALIFY ${windowOf("whole", inner, depth)} <= ${expression("whole", inner, 1)}`
        : "",
      limits(inner),
    ].join(" ");
  };

  const grouped = (kinds: readonly Kind[], reach: Reach, depth: number): string => {
    const from = source(reach, depth);
    const inner = { ...reach, columns: [...reach.columns, ...from.columns] };
    const groups = several(3, () => pick(from.columns) ?? { name: "1", kind: "whole" });
    const keys = groups.map(({ name }) => name);
    const list = keys.join(", ");
    const by = pick([
      ...[list, list, `ROLLUP (${list})`, `CUBE (${list})`, "ALL", "", pick(EDGES)],
      ...[`GROUPING SETS ((${list}), (${keys[0]}), ())`, `${keys[0]}, ROLLUP (${list})`],
      ...[`GROUPING SETS (ROLLUP (${list}), CUBE (${keys.at(-1)}))`, `${list}, ${list}`],
    ]);
    const outside = {
      ...reach,
      columns: by === "" ? reach.columns : [...reach.columns, ...groups],
    };
    const item = (kind: Kind) =>
      pick([
        () => aggregateOf(kind, inner, depth),
        () => aggregateOf(kind, inner, depth),
        () => expression(kind, outside, 1),
        () => windowOf(kind, outside, 1),
        () =>
          `max(${aggregateOf(kind, inner, 1)}) OVER (ORDER BY ${aggregateOf(pick(KINDS), inner, 0)})`,
        () => `coalesce(${aggregateOf(kind, inner, 1)}, ${expression(kind, outside, 1)})`,
        () =>
          kind === "whole" && by !== "" ? `GROUPING(${keys[0]})` : aggregateOf(kind, inner, 1),
      ])();
    return [
      `SELECT ${selected(kinds.map(item))} FROM ${from.sql}`,
      chance(0.3) ? `WHERE ${expression("truth", inner, depth - 1)}` : "",
      by === "" ? "" : `GROUP BY ${by}`,
      chance(0.2)
        ? `HAVING ${aggregateOf("whole", inner, 1)} > ${expression("whole", outside, 1)}`
        : "",
      chance(0.1)
        ? `QUALIFY ${windowOf("whole", outside, 1)} <= ${aggregateOf("whole", inner, 0)}`
        : "",
      limits(outside),
    ].join(" ");
  };

  /** Parts of a query with one column for each kind. */
  function query(kinds: readonly Kind[], reach: Reach, depth: number): string {
    if (depth <= 0) {
      const from = view();
      const inner = { ...reach, columns: [...from.columns, ...reach.columns] };
      const items = kinds.map((kind) => expression(kind, inner, 0));
      return `SELECT ${selected(items)} FROM ${from.sql} ${pick(["LIMIT 1", "", "LIMIT 3"])}`;
    }
    let head = "";
    let inner = reach;
    if (chance(0.15)) {
      const own = several(3, () => pick(KINDS));
      const name = pick([nextName(), nextName(), "events", "persons"]);
      const columns = own.map((kind, index) => ({ kind, name: `c${index}` }));
      const how = pick(["", "", "MATERIALIZED ", "NOT MATERIALIZED "]);
      head = `WITH ${name} AS ${how}(${query(own, { ...reach, columns: [] }, depth - 1)}) `;
      // A view of this name is not in reach, so only the other names are used as queries.
      if (name.startsWith("t")) inner = { ...reach, ctes: [...reach.ctes, { name, columns }] };
    }
    const one = () => (chance(0.3) ? grouped : plain)(kinds, inner, depth - 1);
    if (chance(0.8)) return `${head}${one()}`;
    const sides = several(3, () => (chance(0.2) ? query(kinds, inner, depth - 1) : one()));
    const sets = sides.map((side) => ` ${pick(SETS)} (${side})`);
    return `${head}(${one()})${sets.join("")} ${limits(inner)}`;
  }

  const whole = (): string => {
    const nothing: Reach = { columns: [], ctes: [] };
    const kinds = several(4, () => pick(KINDS));
    if (chance(0.1))
      return `SELECT ${anyCall({ ...nothing, columns: view().columns.slice(0, 0) }, 2)}`;
    if (chance(0.1)) {
      const from = view();
      return `SELECT ${anyCall({ ...nothing, columns: from.columns }, 1)} FROM ${from.sql}`;
    }
    return query(kinds, nothing, pick([1, 2, 2, 3, 3, 4]));
  };

  return () => {
    names = 0;
    choices.takeForbidden();
    let text = whole();
    if (chance(BAD_STATEMENTS)) text = bad(pick(badStatements(files)));
    if (chance(BAD_STATEMENTS)) text = bad(`${text}; ${text}`);
    if (chance(0.1)) text = text.replace(/ /g, pick(["\n", " /* ; */ ", "\t", " -- x\n"]));
    return { text, isForbidden: choices.takeForbidden() };
  };
}
