import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { type Filter, writeFilters } from "../../state/filters.ts";
import { eventTitle, moment } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Pager, placeOf, readPlace, Table, writePlace } from "../../ui/table.tsx";
import { EventDetail } from "../events/event-detail.tsx";

const ROWS = 50;

/** The filter that events of a group pass. */
export const ofGroup = (index: number, groupKey: string): Filter => ({
  key: `$group_${index}`,
  operator: "exact",
  value: groupKey,
  type: "event",
});

/** The events of a group, the newest first; a row opens in place. */
export function GroupEvents({ index, groupKey }: { index: number; groupKey: string }) {
  const { query, set } = useAddress();
  const place = readPlace(query["page"]);
  const filters = writeFilters([ofGroup(index, groupKey)]) ?? "";
  const events = useLoad(`events ${filters} ${query["page"]}`, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/events/", {
        params: {
          path: inProject(),
          query: { limit: ROWS, properties: [filters], ...(place ?? {}) },
        },
        signal,
      }),
    ),
  );
  return (
    <Panel isFlush>
      <Load of={events} skeleton={<Skeleton rows={10} height={40} />}>
        {({ results, count, next }) => {
          if (results.length === 0) return <Empty title="No stored event belongs to this group" />;
          const following = placeOf(next);
          return (
            <>
              <Table
                label="Events of the group"
                columns={COLUMNS}
                rows={results}
                keyOf={({ uuid }) => uuid}
                open={query["open"]}
                onOpen={(open) => set({ open })}
                detail={(event) => <EventDetail event={event} />}
              />
              <Pager
                offset={place?.offset ?? 0}
                shown={results.length}
                count={count}
                onFirst={() => set({ page: "", open: "" }, { push: true })}
                onNext={
                  following &&
                  (() => set({ page: writePlace(following), open: "" }, { push: true }))
                }
              />
            </>
          );
        }}
      </Load>
    </Panel>
  );
}

const COLUMNS: readonly Column<Schemas["Event"]>[] = [
  { key: "event", title: "Event", cell: ({ event }) => eventTitle(event) },
  { key: "id", title: "Distinct id", isExtra: true, cell: ({ distinct_id }) => distinct_id },
  {
    key: "time",
    title: "Time",
    width: "176px",
    cell: ({ timestamp }) => <time dateTime={timestamp}>{moment(timestamp)}</time>,
  },
];
