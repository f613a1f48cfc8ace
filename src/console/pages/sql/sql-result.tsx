import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { BarList } from "../../charts/bar-list.tsx";
import { Chart } from "../../charts/chart.tsx";
import { counted, number, valueText } from "../../state/format.ts";
import { CsvButton } from "../../ui/csv.tsx";
import { Empty } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";

/** The answer to a statement, and how long it took in milliseconds. */
export type SqlAnswer = Pick<
  Schemas["QueryAnswer"],
  "columns" | "types" | "results" | "hasMore"
> & { ms: number };

/** Rows that are shown; the file has all of the answer. */
const ROWS_SHOWN = 1000;

/** Bars that are shown. */
const BARS_SHOWN = 50;

const TABS = [
  { value: "grid", label: "Rows" },
  { value: "chart", label: "Chart" },
] as const;

const isNumeric = (type: string | undefined) =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL)/.test(type ?? "");

const isTime = (type: string | undefined) => /^(TIMESTAMP|DATE)/.test(type ?? "");

/** The rows of an answer, as a grid, and as a chart if they have a name or a time and a number. */
export function SqlResult({ answer }: { answer: SqlAnswer }) {
  const [tab, setTab] = useState<(typeof TABS)[number]["value"]>("grid");
  const { columns, results, ms } = answer;
  if (results.length === 0) return <Empty icon="sql" title="No rows" />;
  return (
    <>
      <Tabs label="Views of the answer" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "grid" ? <Grid answer={answer} /> : <SqlChart answer={answer} />}
      </Tabs>
      <footer class="answer-foot">
        <p class="caption grow">
          {counted(results.length, "row")} in {Math.round(ms)} ms
          {results.length > ROWS_SHOWN && `, of which the first ${number(ROWS_SHOWN)} are shown`}.
        </p>
        <CsvButton name="rows" rows={[columns, ...(results as (string | null)[][])]} />
      </footer>
    </>
  );
}

/** The rows of an answer. */
export function Grid(props: { answer: Omit<SqlAnswer, "ms"> }) {
  const { columns, types, results, hasMore } = props.answer;
  const classes = types.map(([, type]) => (isNumeric(type) ? "number" : undefined));
  return (
    <>
      {hasMore && (
        <p class="caption">
          More rows follow the first {number(results.length)}: write a larger LIMIT, or OFFSET{" "}
          {results.length}.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section class="table-frame scroll" tabIndex={0} aria-label="Rows">
        <table class="table grid">
          <thead>
            <tr>
              {columns.map((column, at) => (
                <th scope="col" key={at} class={classes[at]} title={types[at]?.[1]}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.slice(0, ROWS_SHOWN).map((row, line) => (
              <tr key={line}>
                {row.map((value, at) => (
                  <td key={at} class={classes[at]}>
                    {value === null ? <span class="faint">null</span> : valueText(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Numbers over the first column that is a time, or by the first that is a text. */
function SqlChart({ answer: { columns, types, results } }: { answer: SqlAnswer }) {
  const kinds = types.map(([, type]) => type);
  const numbers = kinds.flatMap((type, at) => (isNumeric(type) ? [at] : []));
  const time = kinds.findIndex(isTime);
  const name = kinds.findIndex((type) => !isNumeric(type));
  const first = numbers[0];
  if (first === undefined || name === -1) {
    return <Empty icon="chart" title="A chart needs a name or a time, and a number" />;
  }
  const numeric = (value: unknown) => (value === null ? null : Number(value));
  if (time !== -1) {
    const rows = results.toSorted((a, b) => String(a[time]).localeCompare(String(b[time])));
    return (
      <Chart
        height={260}
        title={`${columns[first]} by ${columns[time]}`}
        columns={rows.map((row) => plainTime(row[time]))}
        series={numbers.map((at) => ({
          label: columns[at] ?? "",
          data: rows.map((row) => numeric(row[at])),
        }))}
      />
    );
  }
  const bars = results.slice(0, BARS_SHOWN).map((row, line) => ({
    key: String(line),
    label: valueText(row[name]),
    value: numeric(row[first]) ?? 0,
  }));
  return <BarList title={`${columns[first]} by ${columns[name]}`} bars={bars} />;
}

/** A time without its zone and its empty parts, as charts have it. */
const plainTime = (value: unknown): string =>
  String(value)
    .replace(/(:\d{2})\.\d+Z?$/, "$1")
    .replace(/[T ]00:00(:00)?Z?$/, "");
