import { useState } from "preact/hooks";
import { type Answer, ask } from "../../api/ask.ts";
import { api, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { inNodesOf, innerQuery, type Query } from "../../api/query.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import type { Comparison } from "../../state/intervals.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PeriodChoice } from "../../ui/period/period-picker.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import type { PageProps } from "../index.ts";
import { useAnnotations } from "./annotations.tsx";
import { AnswerPart } from "./answer-part.tsx";
import { isList, isSql } from "./answer-table.ts";
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
import { SaveTools } from "./save.tsx";
import { useSteps } from "./use-steps.ts";
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

/** Whether it is still unknown how the answer understands words. */
const areWordsAsked = (query: Query, { data, problem }: Loaded<Answer>) =>
  isWords(query) && !data && !problem;

/** The query that an answer understood from words; any other query as it is. */
function understoodQuery(query: Query, { data, isLoading }: Loaded<Answer>): Query {
  return isWords(query) && data && !isLoading ? data.query : query;
}

/** The sentence of an answer without its dates; empty until it has come. */
function saidBy({ data, isLoading }: Loaded<Answer>): string {
  if (data === undefined || isLoading) return "";
  return data.sentence || (data.explanation ?? "").replace(/(?: \([^()]*\))?\.$/, "");
}

/** The fields of a question. Those of refused words would belong to another one. */
function QuestionPart(props: { isRefused: boolean; query: Query; onChange: (q: Query) => void }) {
  const { isRefused, ...builder } = props;
  if (isRefused || (!isBuilt(props.query) && !isList(props.query))) return null;
  return (
    <section class="panel" aria-label="Builder">
      <Builder {...builder} />
    </section>
  );
}

/** Whether the builder makes such queries. */
const isBuilt = ({ kind }: Query) => KINDS.some(({ value }) => value === kind);

/** The period of a question that is asked over one. */
function Dates({ query, onChange }: { query: Query; onChange: (next: Query) => void }) {
  if (!isBuilt(query) && query.kind !== "EventsQuery") return null;
  return (
    <PeriodChoice
      period={periodOf(query)}
      onPeriod={(period) => onChange(withPeriod(query, period))}
      comparison={comparedBy(query, onChange)}
    />
  );
}

/** The comparison of a trend, and how to change it. */
function comparedBy(query: Query, onChange: (query: Query) => void) {
  const { kind, interval = "day" } = query;
  if (kind !== "TrendsQuery") return undefined;
  const change = (next: Comparison) => onChange(withComparison(query, next));
  return { value: comparisonOf(query), interval, onChange: change };
}

/** The name of an insight, for the query that it has. */
const savedName = ({ name, query }: Schemas["Insight"], key: string) =>
  key === JSON.stringify(innerQuery(query as Query)) ? name : undefined;

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
    name: insight && savedName(insight, key),
  });
  const isRefused = words.reading?.query === null;
  const isFirst = words.isFirstAwaited;
  const missing = isRefused ? NOT_UNDERSTOOD : missingIn(sent);
  const { answer, annotations } = useAnswer(missing || isFirst ? null : key, sent, insight?.id);
  const query = understoodQuery(sent, answer);
  // Fields that come later would move the answer.
  const isAwaited = isFirst || areWordsAsked(query, answer);
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
      <div class="editor" key={String(isAwaited)}>
        {isAwaited ? (
          <Skeleton height={480} />
        ) : (
          <>
            <QuestionPart isRefused={isRefused} query={query} onChange={choose} />
            <Panel title="Answer" tools={!isRefused && <Dates query={query} onChange={choose} />}>
              {missing ? (
                <Empty icon="insights" title={missing} />
              ) : (
                <AnswerPart of={answer} insight={insight} annotations={annotations} />
              )}
            </Panel>
          </>
        )}
      </div>
    </>
  );
}
