import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import type { Query } from "../../api/query.ts";
import { counted, moment, number } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PersonCell } from "../../ui/person/person-cell.tsx";
import { Load, ProblemNote, Skeleton } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { Pick } from "./picks.ts";

type Row = { person: Schemas["Person"] | null; count: number; last: string };

/** Rows of one request. */
const ROWS = 50;

function PersonName(props: { person: Row["person"]; others: number | undefined }) {
  const { person, others } = props;
  if (person === null) {
    return (
      <>{others === undefined ? "People" : counted(others, "person", "people")} without a profile</>
    );
  }
  return <PersonCell id={String(person.id)} uuid={person.uuid} name={person.name} isRow />;
}

const NUMBERS: Record<string, string> = {
  total: "Events",
  dau: "Events",
  weekly_active: "Events",
  monthly_active: "Events",
  unique_session: "Sessions",
};

/** The name of the numbers of the persons: of a sum, or of a question in words, they are no events. */
function numberName({ source: { source, series = 0 } }: Pick): string {
  const one = (source as Query | undefined)?.series?.[Number(series)];
  return (one && NUMBERS[one.math ?? "total"]) ?? "Number";
}

/** `others` is how many have no profile, once that is known. */
const columnsOf = (others: number | undefined, title: string): Column<Row>[] => [
  {
    key: "person",
    title: "Person",
    cell: ({ person }) => <PersonName person={person} others={others} />,
  },
  {
    key: "count",
    title,
    width: "88px",
    isNumber: true,
    cell: ({ count }) => number(count),
  },
  { key: "last", title: "Last", width: "176px", isExtra: true, cell: ({ last }) => moment(last) },
];

/** Asks for the persons of a number, from an offset on. */
async function askPersons(source: Pick["source"], offset: number, signal?: AbortSignal) {
  const answer = await api.post("query/", {
    body: { query: { kind: "ActorsQuery", source, limit: ROWS, offset } as never },
    signal,
  });
  const { results, count, hasMore } = answer as Schemas["InsightActors"];
  const rows = results.map(([person, events, last]) => ({ person, count: events, last }));
  return { count, hasMore, rows: rows as Row[] };
}

const profiled = (rows: readonly Row[]) => rows.filter(({ person }) => person !== null).length;

/** The persons of a number of an answer, in a dialog; as many as the number says. */
export function CountedPersons({ pick, onClose }: { pick: Pick; onClose: () => void }) {
  const { source } = pick;
  const persons = useLoad(JSON.stringify(source), (signal) => askPersons(source, 0, signal));
  const [problem, setProblem] = useState<Problem>();
  const more = async (known: readonly Row[]) => {
    setProblem(undefined);
    try {
      const next = await askPersons(source, known.length);
      persons.replace({ ...next, rows: [...known, ...next.rows] });
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <Dialog title={pick.title} isWide onClose={onClose}>
      <div class="counted-persons">
        <Load of={persons} skeleton={<Skeleton rows={8} height={40} />}>
          {({ rows, count, hasMore }) => (
            <>
              <p class="caption">{counted(count, "person", "people")}</p>
              {rows.length > 0 && (
                <Table
                  label={pick.title}
                  columns={columnsOf(
                    hasMore ? undefined : count - profiled(rows),
                    numberName(pick),
                  )}
                  rows={rows}
                  keyOf={({ person }) => String(person?.id ?? "")}
                />
              )}
              {problem && <ProblemNote problem={problem} />}
              {hasMore && <Button onClick={() => more(rows)}>Load more</Button>}
            </>
          )}
        </Load>
      </div>
    </Dialog>
  );
}
