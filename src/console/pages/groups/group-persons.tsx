import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment, number } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { ofGroup } from "./group-events.tsx";

const ROWS = 100;

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
  const answer = (await read(
    api.POST("/api/environments/{project_id}/query/", {
      params: { path: inProject() },
      body: { query: query as Schemas["QueryAsked"]["query"] },
      signal,
    }),
  )) as Schemas["InsightActors"];
  const rows = answer.results.map(
    ([person, events, lastAt]) => ({ person, events, lastAt }) as unknown as Row,
  );
  return { rows, count: answer.count, hasMore: answer.hasMore };
}

/** The persons of a group, each with its events of the group. */
export function GroupPersons({ index, groupKey }: { index: number; groupKey: string }) {
  const { query, set } = useAddress();
  const offset = Number(query["page"]) || 0;
  const persons = useLoad(`persons of ${index} ${groupKey} ${offset}`, (signal) =>
    personsOf(index, groupKey, offset, signal),
  );
  return (
    <Panel isFlush>
      <Load of={persons} skeleton={<Skeleton rows={10} height={40} />}>
        {({ rows, count, hasMore }) =>
          rows.length === 0 ? (
            <Empty icon="persons" title="No person has an event of this group" />
          ) : (
            <>
              <Table
                label="Persons of the group"
                columns={COLUMNS}
                rows={rows}
                keyOf={({ person }) => person?.uuid ?? ""}
              />
              <Pager
                offset={offset}
                shown={rows.length}
                count={count}
                onFirst={() => set({ page: "" }, { push: true })}
                onNext={
                  hasMore ? () => set({ page: String(offset + ROWS) }, { push: true }) : undefined
                }
              />
            </>
          )
        }
      </Load>
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
          {person.name}
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
