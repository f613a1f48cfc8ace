import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ask, type TableAnswer, tableIn } from "../../api/ask.ts";
import type { Schemas } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { eventTitle, moment, number, valueText } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { PersonCell } from "../../ui/person/person-cell.tsx";
import { Empty, ProblemNote } from "../../ui/states.tsx";
import { Wrapping } from "../../ui/wrapping.tsx";
import { Grid } from "../sql/sql-result.tsx";
import { isSql } from "./answer-table.ts";
import { columnTitle } from "./query-facts.ts";

/** The rows of a list of persons or events, or of a statement in SQL. */
export function Rows({ answer, title }: { answer: TableAnswer; title: string }) {
  if (isSql(answer.query)) return <Grid answer={answer as unknown as Schemas["QueryAnswer"]} />;
  if (answer.results.length === 0) {
    return <Empty icon={iconOf(answer)} title="No results match these conditions" />;
  }
  // More rows belong to the answer that they were loaded for.
  return <List key={`${answer.calculated_at}${answer.explanation}`} first={answer} title={title} />;
}

const iconOf = ({ query }: TableAnswer) => (query.kind === "EventsQuery" ? "events" : "persons");

function List({ first, title }: { first: TableAnswer; title: string }) {
  const [answer, setAnswer] = useState(first);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { query, results } = answer;
  const columns = columnsOf(answer);
  const more = async () => {
    setLoading(true);
    setProblem(undefined);
    try {
      const offset = (first.offset ?? 0) + results.length;
      const next = tableIn(await ask({ ...query, offset }));
      if (next) setAnswer({ ...next, query, results: [...results, ...next.results] });
    } catch (error) {
      setProblem(asProblem(error));
    }
    setLoading(false);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section class="table-frame scroll" tabIndex={0} aria-label={title}>
        <table class="table">
          <thead>
            <tr>
              {columns.map(({ title: head, isNumber }, at) => (
                <th scope="col" key={at} class={isNumber ? "number" : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((row, line) => (
              <tr key={line}>
                {columns.map(({ at, isNumber, cell }, place) => (
                  <td key={place} class={isNumber ? "number" : undefined}>
                    {cell(row[at])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {problem && <ProblemNote problem={problem} />}
      {answer.hasMore && (
        <p>
          <Button disabled={isLoading} onClick={more}>
            Load more
          </Button>
        </p>
      )}
    </>
  );
}

type Shown = {
  title: string;
  /** The place of its values in a row. */
  at: number;
  isNumber?: boolean;
  cell: (value: unknown) => ComponentChildren;
};

const columnsOf = ({ columns, types, query }: TableAnswer): Shown[] =>
  columns.flatMap((name, at): Shown[] => {
    const title = columnTitle(name);
    if (name === "*") return eventColumns(at);
    if (name === "count()") return [{ title, at, isNumber: true, cell: numberCell }];
    const isOfPerson = query.kind === "ActorsQuery" && name === "id";
    const cell = isOfPerson ? idCell : CELLS[name];
    const isTime = /^TIMESTAMP/.test(types?.[at]?.[1] ?? "");
    return [{ title, at, cell: cell ?? (isTime ? timeCell : plainCell) }];
  });

/** A whole event: its name, its person and its time. */
function eventColumns(at: number): Shown[] {
  const of =
    (field: string, cell: Shown["cell"]): Shown["cell"] =>
    (event) =>
      cell((event as Record<string, unknown> | null)?.[field]);
  const person: Shown["cell"] = (event) => {
    const { person_id, distinct_id } = (event ?? {}) as Record<string, unknown>;
    return <PersonCell id={valueText(person_id)} name={valueText(distinct_id)} />;
  };
  return [
    { title: "Event", at, cell: of("event", eventCell) },
    { title: "Person", at, cell: person },
    { title: "Time", at, cell: of("timestamp", timeCell) },
  ];
}

const NONE = <span class="faint">none</span>;

const plainCell: Shown["cell"] = (value) =>
  value == null ? NONE : <Wrapping text={valueText(value)} />;

const numberCell: Shown["cell"] = (value) => number(value as number | null);

const eventCell: Shown["cell"] = (value) =>
  value == null ? NONE : <bdi title={valueText(value)}>{eventTitle(valueText(value))}</bdi>;

const timeCell: Shown["cell"] = (value) =>
  typeof value === "string" ? <time dateTime={value}>{moment(value)}</time> : NONE;

const personCell: Shown["cell"] = (value) => {
  if (typeof value !== "object" || value === null) return plainCell(value);
  const { id, uuid, name } = value as { id?: number | null; uuid?: string; name?: string | null };
  const given = { id: String(id ?? uuid ?? ""), name: name || (uuid ?? "") };
  return <PersonCell {...given} {...(uuid ? { uuid } : {})} />;
};

const idCell: Shown["cell"] = (id) => <PersonCell id={valueText(id)} name={valueText(id)} />;

const CELLS: Record<string, Shown["cell"]> = {
  ...{ person: personCell, person_id: idCell, event: eventCell, last_at: timeCell },
};
