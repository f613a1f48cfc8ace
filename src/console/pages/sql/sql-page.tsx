import { useEffect, useRef, useState } from "preact/hooks";
import { api, isAbort, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { select } from "../../api/select.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { counted, duration, moment } from "../../state/format.ts";
import { project } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { CTRL, useKeys } from "../../ui/keys.ts";
import { Load, ProblemNote, Skeleton } from "../../ui/states.tsx";
import { SaveQuery } from "../insights/save.tsx";
import { draftOf, keepDraft, keepRun, runsChanged, runsOf } from "./drafts.ts";
import { SqlEditor } from "./sql-editor.tsx";
import { type SqlAnswer, SqlResult } from "./sql-result.tsx";

/** How long a statement runs before it can be cancelled, in milliseconds. */
const CANCEL_AFTER_MS = 2000;

const FIRST = `SELECT event, count(*) AS events, count(DISTINCT person_id) AS persons
FROM events
WHERE timestamp > now() - INTERVAL 7 DAY
GROUP BY event
ORDER BY events DESC`;

type RunState = {
  answer?: SqlAnswer;
  problem?: Problem;
  isRunning: boolean;
  canCancel: boolean;
};

/** Runs statements one after the other: a new one cancels the last. */
function useRuns() {
  const [state, setState] = useState<RunState>({ isRunning: false, canCancel: false });
  const current = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const run = async (sql: string) => {
    if (sql.trim() === "") return;
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    setState({ isRunning: true, canCancel: false });
    const slow = setTimeout(
      () => setState((old) => ({ ...old, canCancel: old.isRunning })),
      CANCEL_AFTER_MS,
    );
    const from = performance.now();
    const keep = (rows: number | null) =>
      keepRun(project.value?.id ?? 0, { sql, at: Date.now(), rows });
    try {
      const answered = await select(sql, control.signal);
      keep(answered.results.length);
      const answer = { ...answered, ms: performance.now() - from };
      setState({ answer, isRunning: false, canCancel: false });
    } catch (error) {
      if (isAbort(error) && current.current !== control) return;
      keep(null);
      const problem = isAbort(error) ? undefined : asProblem(error);
      setState({ problem, isRunning: false, canCancel: false });
    } finally {
      clearTimeout(slow);
    }
  };
  return { ...state, run, cancel: () => current.current?.abort() };
}

/** The word of a statement that an error is about: the first quoted one that it has. */
function wordOf(problem: Problem | undefined, sql: string): string | undefined {
  const quoted = [...(problem?.message.matchAll(/["'`]([\w$]+)["'`]/g) ?? [])];
  return quoted.map(([, word]) => word).find((word) => word !== undefined && sql.includes(word));
}

/** Statements over the project's tables, with completion and history. */
export function SqlPage() {
  const id = project.value?.id ?? 0;
  const { query } = useAddress();
  const [sql, setSql] = useState(() => query["q"] ?? (draftOf(id) || FIRST));
  const { run, cancel, answer, problem, isRunning, canCancel } = useRuns();
  const schema = useLoad("sql schema", (signal) => api.get("query/schema/", { signal }));
  const change = (text: string) => {
    setSql(text);
    keepDraft(id, text);
  };
  useKeys({ "Ctrl+Enter": () => run(sql) });
  return (
    <>
      <PageHead title="SQL" />
      <div class="sql">
        <div class="stack">
          <Panel>
            <SqlEditor
              sql={sql}
              onInput={change}
              schema={schema.data}
              wrong={wordOf(problem, sql)}
            />
            <div class="answer-foot">
              <span class="caption grow">
                <kbd>{CTRL}</kbd> <kbd>Enter</kbd> runs, <kbd>Ctrl</kbd> <kbd>Space</kbd> completes
              </span>
              {canCancel && <Button onClick={cancel}>Cancel</Button>}
              <SaveQuery query={{ kind: "HogQLQuery", query: sql }} name="" />
              <Button
                kind="primary"
                disabled={isRunning || sql.trim() === ""}
                onClick={() => run(sql)}
              >
                Run
              </Button>
            </div>
          </Panel>
          {(answer || problem || isRunning) && (
            <Panel>
              {isRunning && <Skeleton rows={6} height={40} />}
              {problem && <ProblemNote problem={problem} />}
              {answer && <SqlResult answer={answer} />}
            </Panel>
          )}
          <History project={id} onChoose={change} />
        </div>
        <Tables schema={schema} onChoose={(name) => change(`${sql}${name}`)} />
      </div>
    </>
  );
}

function Tables(props: { schema: Loaded<Schemas["SqlSchema"]>; onChoose: (name: string) => void }) {
  return (
    <Panel title="Tables">
      <Load of={props.schema} skeleton={<Skeleton rows={5} height={32} />}>
        {({ tables }) =>
          tables.map(({ name, columns }) => (
            <details key={name} class="sql-table">
              <summary>
                <code>{name}</code>
              </summary>
              <ul>
                {columns.map((column) => (
                  <li key={column.name} title={column.about ?? undefined}>
                    <button type="button" class="link" onClick={() => props.onChoose(column.name)}>
                      <code>{column.name}</code>
                    </button>
                    <span class="caption">{column.type.toLowerCase()}</span>
                  </li>
                ))}
              </ul>
            </details>
          ))
        }
      </Load>
    </Panel>
  );
}

/** Runs that are shown before "all". */
const RUNS_SHOWN = 5;

function History(props: { project: number; onChoose: (sql: string) => void }) {
  const [isAll, setAll] = useState(false);
  const runs = runsChanged.value >= 0 ? runsOf(props.project) : [];
  if (runs.length === 0) return null;
  return (
    <Panel title="History" isFlush>
      <ul class="rows">
        {runs.slice(0, isAll ? undefined : RUNS_SHOWN).map(({ sql, at, rows }) => (
          <li key={`${at}${sql}`}>
            <button type="button" class="link grow run" onClick={() => props.onChoose(sql)}>
              <code>{sql.replace(/\s+/g, " ").slice(0, 200)}</code>
            </button>
            <span class="caption" title={moment(at)}>
              {rows === null ? "failed" : counted(rows, "row")}, {duration(Date.now() - at)} ago
            </span>
          </li>
        ))}
      </ul>
      {runs.length > RUNS_SHOWN && !isAll && (
        <div class="pager">
          <Button kind="quiet" onClick={() => setAll(true)}>{`All ${runs.length} runs`}</Button>
        </div>
      )}
    </Panel>
  );
}
