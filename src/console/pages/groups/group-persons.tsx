import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { moment, number } from "../../state/format.ts";
import { ListTable, ROWS, useList } from "../../ui/list.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Wrapping } from "../../ui/wrapping.tsx";
import { ofGroup } from "./group-events.tsx";

type Row = { person: Schemas["Person"] | null; events: number; lastAt: string };

/** Persons with an event of a group, those with most such events first. */
async function personsOf(index: number, groupKey: string, offset: number, signal: AbortSignal) {
  const source = {
    kind: "TrendsQuery",
    series: [{ kind: "EventsNode", event: null, math: "dau" }],
    dateRange: { date_from: "all" },
    properties: [ofGroup(index, groupKey)],
  };
  const query: object = {
    kind: "ActorsQuery",
    source: { kind: "InsightActorsQuery", source, series: 0 },
    limit: ROWS,
    offset,
  };
  const answer = (await api.post("query/", {
    body: { query: query as Schemas["QueryAsked"]["query"] },
    signal,
  })) as Schemas["InsightActors"];
  const results = answer.results.map(
    ([person, events, lastAt]) => ({ person, events, lastAt }) as unknown as Row,
  );
  const next = answer.hasMore ? { offset: offset + ROWS, cursor: "" } : undefined;
  return { results, count: answer.count, next };
}

/** The persons of a group, each with its events of the group. */
export function GroupPersons({ index, groupKey }: { index: number; groupKey: string }) {
  const offset = useList().place?.offset ?? 0;
  const persons = useLoad(`persons of ${index} ${groupKey} ${offset}`, (signal) =>
    personsOf(index, groupKey, offset, signal),
  );
  return (
    <Panel isFlush>
      <ListTable
        of={persons}
        label="People in the group"
        columns={COLUMNS}
        keyOf={({ person }) => person?.uuid ?? ""}
        none={<Empty icon="persons" title="No people in this group" />}
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "person",
    title: "Person",
    cell: ({ person }) =>
      person ? (
        <a href={href(`persons/${person.uuid}`)} data-row>
          <Wrapping text={person.name} />
        </a>
      ) : (
        <span class="faint">without a person</span>
      ),
  },
  {
    key: "events",
    title: "Events",
    width: "88px",
    isNumber: true,
    cell: ({ events }) => number(events),
  },
  {
    key: "last",
    title: "Latest",
    width: "176px",
    isExtra: true,
    cell: ({ lastAt }) => moment(lastAt),
  },
];
