import { useState } from "preact/hooks";
import { type Answer, ask, type TableAnswer, tableIn } from "../../api/ask.ts";
import { api, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { inNodesOf, innerQuery, type Query } from "../../api/query.ts";
import { DataTable } from "../../charts/data-table.tsx";
import { type NumberTable, rawRows } from "../../charts/series.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { clock, counted } from "../../state/format.ts";
import type { Comparison } from "../../state/intervals.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CsvButton } from "../../ui/csv.tsx";
import { PeriodChoice } from "../../ui/period/period-picker.tsx";
import { CodeBlock } from "../../ui/properties.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../index.ts";
import { type Annotations, useAnnotations } from "./annotations.tsx";
import { isList, isSql, tableOf } from "./answer-table.ts";
import { Builder } from "./builder/builder.tsx";
import {
  comparisonOf,
  FIRST_QUERY,
  KINDS,
  kindName,
  missingIn,
  periodOf,
  readQuery,
  withComparison,
  withPeriod,
} from "./query-state.ts";
import { Result } from "./result.tsx";
import { Rows } from "./rows.tsx";
import { SaveTools } from "./save.tsx";
import { useSteps } from "./use-steps.ts";
import { Warnings } from "./warnings.tsx";
import { type Asked, isWords, useWords, Words } from "./words.tsx";

/** The editor of one question. Asking saves nothing: the question is in the address. */
export function InsightPage({ params }: PageProps) {
  const shortId = params["short_id"] ?? "new";
  const isNew = shortId === "new";
  const loaded = useLoad(isNew ? null : `insight ${shortId}`, (signal) =>
    api.get("insights/{short_id}/", { path: { short_id: shortId }, signal }),
  );
  const { query } = useAddress();
  const insight = loaded.data;
  const asked =
    readQuery(query["q"]) ?? (isNew ? FIRST_QUERY : (insight?.query as Query | undefined));
  if (asked === undefined || (!isNew && insight === undefined)) {
    return (
      <>
        <PageHead title="Insight" above={{ title: "Insights", href: href("insights") }} />
        {loaded.problem?.status === 404 ? (
          <Empty icon="insights" title="This insight doesn't exist or was deleted">
            <ButtonLink href={href("insights", { shown: "deleted" })}>Deleted insights</ButtonLink>
          </Empty>
        ) : (
          <Load of={loaded} skeleton={<Skeleton rows={1} height={480} />}>
            {() => null}
          </Load>
        )}
      </>
    );
  }
  return (
    <Editor
      query={innerQuery(asked)}
      words={query["ask"]}
      insight={insight}
      onSaved={loaded.replace}
    />
  );
}

/** The answer to a question, which appears together with its annotations. */
function useAnswer(key: string | null, query: Query, insight: number | undefined) {
  const asked = useLoad(key, (signal) => ask(query, signal));
  const annotations = useAnnotations(asked.data, insight);
  // Above the chart of an older question, a failure could be overlooked.
  const isHidden = asked.problem !== undefined || annotations.isAwaited;
  return { answer: isHidden ? { ...asked, data: undefined } : asked, annotations };
}

const NOT_UNDERSTOOD = "The question is not understood";

/** The name of a question: its sentence, its own words over another period, or its kind. */
function nameOf(query: Query, { data, isLoading }: Loaded<Answer>): string {
  // While it loads, the answer is that of the question before.
  if (!isLoading && data?.sentence) return data.sentence;
  return isWords(query) ? (query.query ?? "") : kindName(query);
}

/** The query that an answer understood from words; any other query as it is. */
function understoodQuery(query: Query, { data, isLoading }: Loaded<Answer>): Query {
  return isWords(query) && data && !isLoading ? data.query : query;
}

/** The sentence of an answer without its dates; empty until it has come. */
function saidBy({ data, isLoading }: Loaded<Answer>): string {
  if (data === undefined || isLoading) return "";
  return data.sentence || (data.explanation ?? "").replace(/(?: \([^()]*\))?\.$/, "");
}

/** The fields of a question; without them where the words are refused, as they would belong to another question. */
function QuestionPart(props: {
  query: Query;
  isRefused: boolean;
  isAwaited: boolean;
  onChange: (next: Query) => void;
}) {
  const { query, isRefused, isAwaited, onChange } = props;
  if (!isRefused && !isAwaited && !isBuilt(query) && !isList(query)) return null;
  return (
    <section class="panel" aria-label="Builder">
      {isAwaited && <Skeleton height={32} />}
      {isRefused && <p class="caption">The fields appear once the words are understood.</p>}
      {!isAwaited && !isRefused && <Builder query={query} onChange={onChange} />}
    </section>
  );
}

/** Whether the builder makes such queries. */
const isBuilt = ({ kind }: Query) => KINDS.some(({ value }) => value === kind);

/** The comparison of a trend, and how to change it. */
function comparedBy(query: Query, onChange: (query: Query) => void) {
  const { kind, interval = "day" } = query;
  if (kind !== "TrendsQuery") return undefined;
  const change = (next: Comparison) => onChange(withComparison(query, next));
  return { value: comparisonOf(query), interval, onChange: change };
}

function Editor(props: {
  query: Query;
  /** Words that were typed elsewhere, instead of the query. */
  words: string | undefined;
  insight: Schemas["Insight"] | undefined;
  onSaved: (insight: Schemas["Insight"]) => void;
}) {
  const { query: sent, insight } = props;
  const { draft, keep } = useSteps();
  const key = JSON.stringify(sent);
  const [typed, setTyped] = useState<{ words: string; key: string }>();
  const change = (next: Query, { words, isRun }: Asked = { isRun: false }) => {
    const q = JSON.stringify(next);
    setTyped(words === undefined ? undefined : { words, key: q });
    draft(q);
    if (isRun) keep();
  };
  const choose = (next: Query) => change(next, { isRun: true });
  const words = useWords({
    ...{ query: sent, first: props.words, onQuery: change },
    name:
      key === JSON.stringify(innerQuery((insight?.query ?? {}) as Query))
        ? insight?.name
        : undefined,
  });
  const isRefused = words.reading?.query === null;
  const missing = isRefused ? NOT_UNDERSTOOD : missingIn(sent);
  const { answer, annotations } = useAnswer(missing ? null : key, sent, insight?.id);
  const query = understoodQuery(sent, answer);
  return (
    <>
      <PageHead
        title={insight?.name ?? "New insight"}
        above={{ title: "Insights", href: href("insights") }}
        lead={insight?.description}
      >
        <SaveTools
          insight={insight}
          query={insight ? inNodesOf(insight.query as Query, query) : query}
          name={typed?.key === key ? typed.words : (insight?.name ?? nameOf(query, answer))}
          missing={missing}
          isOpen={missing !== undefined || words.isAhead || isWords(query)}
          onChange={props.onSaved}
        />
      </PageHead>
      {!isSql(query) && <Words of={words} said={saidBy(answer)} onQuery={change} />}
      <div class="editor">
        <QuestionPart
          query={query}
          isRefused={isRefused}
          isAwaited={isWords(query) && !answer.data && !answer.problem}
          onChange={choose}
        />
        <Panel
          title="Answer"
          tools={
            !isRefused &&
            (isBuilt(query) || query.kind === "EventsQuery") && (
              <PeriodChoice
                period={periodOf(query)}
                onPeriod={(period) => choose(withPeriod(query, period))}
                comparison={comparedBy(query, choose)}
              />
            )
          }
        >
          {missing ? (
            <Empty icon="insights" title={missing} />
          ) : (
            <Load of={answer} skeleton={<Skeleton height={480} />}>
              {(data) => {
                const rows = tableIn(data);
                const name = insight?.name || "insight";
                return rows ? (
                  <RowsPart answer={rows} table={tableOf(data)} name={name} />
                ) : (
                  <AnswerTabs answer={data} insight={insight} annotations={annotations} />
                );
              }}
            </Load>
          )}
        </Panel>
      </div>
    </>
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

function AnswerTabs(props: {
  answer: Answer;
  insight: Schemas["Insight"] | undefined;
  annotations: Annotations;
}) {
  const { answer, insight, annotations } = props;
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
