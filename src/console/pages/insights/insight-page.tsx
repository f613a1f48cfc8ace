import { useState } from "preact/hooks";
import { type Answer, ask, type Query } from "../../api/ask.ts";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { DataTable } from "../../charts/data-table.tsx";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { inProject, zone } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { PeriodChoice } from "../../ui/period-picker.tsx";
import { CodeBlock } from "../../ui/properties.tsx";
import { Load, ProblemNote, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../index.ts";
import { Builder } from "./builder.tsx";
import { FIRST_QUERY, periodOf, readQuery, withPeriod } from "./query-state.ts";
import { Result, seriesOf } from "./result.tsx";

/** The editor of one question. Asking saves nothing: the question is in the address. */
export function InsightPage({ params }: PageProps) {
  const shortId = params["short_id"] ?? "new";
  const saved = useLoad(shortId === "new" ? null : `insight ${shortId}`, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/insights/{short_id}/", {
        params: { path: { ...inProject(), short_id: shortId } },
        signal,
      }),
    ),
  );
  const { query } = useAddress();
  const asked =
    readQuery(query["q"]) ??
    (shortId === "new" ? FIRST_QUERY : (saved.data?.query as Query | undefined));
  return (
    <>
      <PageHead
        title={saved.data?.name ?? (shortId === "new" ? "New insight" : "Insight")}
        above={{ title: "Insights", href: href("insights") }}
      />
      {asked === undefined ? (
        <Load of={saved} skeleton={<Skeleton rows={1} height={420} />}>
          {() => null}
        </Load>
      ) : (
        <Editor query={asked} words={saved.data?.name ?? ""} />
      )}
    </>
  );
}

function Editor({ query, words }: { query: Query; words: string }) {
  const { set } = useAddress();
  const change = (next: Query) => set({ q: JSON.stringify(next) });
  const answer = useLoad(JSON.stringify(query), (signal) => ask(query, signal));
  const isBuilt = query.kind.endsWith("Query") && !/HogQL|SQL|Words/.test(query.kind);
  const hasComparison = query.kind === "TrendsQuery";
  const isCompared = query.compareFilter?.compare === true;
  return (
    <>
      <Words first={words} onRead={change} />
      <div class="editor">
        {isBuilt && (
          <Panel title="Question">
            <Builder query={query} onChange={change} />
          </Panel>
        )}
        <Panel
          title="Answer"
          tools={
            isBuilt && (
              <PeriodChoice
                period={periodOf(query)}
                onPeriod={(period) => change(withPeriod(query, period))}
                {...(hasComparison && {
                  isCompared,
                  onCompared: (compare: boolean) =>
                    change({ ...query, compareFilter: { compare } }),
                })}
              />
            )
          }
        >
          <Load of={answer} skeleton={<Skeleton height={380} />}>
            {(data) => <AnswerTabs answer={data} />}
          </Load>
        </Panel>
      </div>
    </>
  );
}

/** A question in words. Its reading becomes the query of the builder. */
function Words({ first, onRead }: { first: string; onRead: (query: Query) => void }) {
  const [words, setWords] = useState(first);
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      onRead((await ask(words)).query);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <form class="words" onSubmit={submit}>
      <Field
        label="Question in words"
        isBare
        autocomplete="off"
        placeholder="visitors by country last 30 days"
        value={words}
        onInput={setWords}
      />
      <Button kind="primary" submit disabled={words.trim() === ""}>
        Ask
      </Button>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}

const TABS = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
  { value: "sql", label: "SQL" },
] as const;

function AnswerTabs({ answer }: { answer: Answer }) {
  const [tab, setTab] = useState<(typeof TABS)[number]["value"]>("chart");
  const title = answer.explanation ?? "The answer";
  return (
    <Tabs label="Views of the answer" tabs={TABS} value={tab} onChange={setTab}>
      {tab === "chart" && <Result answer={answer} title={title} />}
      {tab === "table" && (
        <DataTable title={title} columns={answer.columns} series={seriesOf(answer)} />
      )}
      {tab === "sql" && <CodeBlock text={answer.sql} label="SQL that finds the same numbers" />}
      <p class="caption">
        {answer.explanation ?? `Times in ${zone()}.`} Answered in {Math.round(answer.elapsed_ms)}{" "}
        ms.
      </p>
    </Tabs>
  );
}
