import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Panel } from "../../layout/page-head.tsx";
import { type Filter, writeFilters } from "../../state/filters.ts";
import { eventTitle, moment } from "../../state/format.ts";
import { ListTable, useList } from "../../ui/list.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { EventDetail } from "../events/event-detail.tsx";

/** The filter that events of a group pass. */
export const ofGroup = (index: number, groupKey: string): Filter => ({
  key: `$group_${index}`,
  operator: "exact",
  value: groupKey,
  type: "event",
});

/** The events of a group, the newest first; a row opens in place. */
export function GroupEvents({ index, groupKey }: { index: number; groupKey: string }) {
  const { asked } = useList();
  const filters = writeFilters([ofGroup(index, groupKey)]) ?? "";
  const events = useLoad(`events ${filters} ${JSON.stringify(asked)}`, (signal) =>
    api.get("events/", { query: { ...asked, properties: [filters] }, signal }),
  );
  return (
    <Panel isFlush>
      <ListTable
        of={events}
        label="Events of the group"
        columns={COLUMNS}
        keyOf={({ uuid }) => uuid}
        detail={(event) => <EventDetail event={event} />}
        none={<Empty title="No stored events of this group" />}
      />
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
