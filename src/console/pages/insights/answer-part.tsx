import { useState } from "preact/hooks";
import { type Answer, type TableAnswer, tableIn } from "../../api/ask.ts";
import type { Schemas } from "../../api/client.ts";
import type { Loaded } from "../../api/load.ts";
import { DataTable } from "../../charts/data-table.tsx";
import { type NumberTable, rawRows } from "../../charts/series.ts";
import { href } from "../../state/address.ts";
import { clock, counted } from "../../state/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CsvButton } from "../../ui/csv.tsx";
import { CodeBlock } from "../../ui/properties.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { Annotations } from "./annotations.tsx";
import { isSql, tableOf } from "./answer-table.ts";
import { Result } from "./result.tsx";
import { Rows } from "./rows.tsx";
import { Warnings } from "./warnings.tsx";

type AnswerProps<T> = { of: T; insight: Schemas["Insight"] | undefined; annotations: Annotations };

/** The answer once it is there: rows, or numbers in their views. */
export function AnswerPart({ of, ...props }: AnswerProps<Loaded<Answer>>) {
  return (
    <Load of={of} skeleton={<Skeleton height={480} />}>
      {(data) => {
        const rows = tableIn(data);
        const name = props.insight?.name || "insight";
        if (!rows) return <AnswerTabs of={data} {...props} />;
        return <RowsPart answer={rows} table={tableOf(data)} name={name} />;
      }}
    </Load>
  );
}

/** Rows: those of a statement are changed on the page for SQL. */
function RowsPart(props: { answer: TableAnswer; table: NumberTable; name: string }) {
  const { answer, table, name } = props;
  const { query, explanation = "", results, calculated_at } = answer;
  return (
    <>
      <Warnings of={answer.warnings} />
      <Rows answer={answer} title={explanation || "Rows"} />
      <footer class="answer-foot">
        <p class="caption grow">
          <bdi>{explanation}</bdi> {counted(results.length, "row")}
          {calculated_at && `, updated ${clock(calculated_at)}`}.
        </p>
        {isSql(query) ? (
          <ButtonLink icon="sql" href={href("sql", { q: query.query })}>
            Open in SQL
          </ButtonLink>
        ) : (
          <CsvButton name={name} rows={rawRows(table)} />
        )}
      </footer>
    </>
  );
}

const TABS = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
  { value: "sql", label: "SQL" },
] as const;

function AnswerTabs({ of: answer, insight, annotations }: AnswerProps<Answer>) {
  const [tab, setTab] = useState<(typeof TABS)[number]["value"]>("chart");
  const { explanation, sql } = answer;
  const table = tableOf(answer);
  return (
    <>
      <Warnings of={answer.warnings} />
      <Tabs label="Views of the answer" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "chart" && (
          <Result
            answer={answer}
            title={explanation}
            height={320}
            insight={insight?.id}
            annotations={annotations}
          />
        )}
        {tab === "table" && <DataTable title={explanation} table={table} />}
        {tab === "sql" && <CodeBlock text={sql} label="SQL that finds the same numbers" />}
      </Tabs>
      <footer class="answer-foot">
        <p class="caption grow">
          <bdi>{explanation}</bdi> Updated {clock(answer.calculated_at)} in{" "}
          {Math.round(answer.elapsed_ms)} ms.
        </p>
        {tab === "sql" ? (
          <ButtonLink icon="sql" href={href("sql", { q: sql })}>
            Open in SQL
          </ButtonLink>
        ) : (
          <CsvButton name={insight?.name || "insight"} rows={rawRows(table)} />
        )}
      </footer>
    </>
  );
}
