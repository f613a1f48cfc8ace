import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { askPage } from "../../api/page.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { type Filter, readFilters, writeFilters } from "../../state/filters.ts";
import { day, eventTitle } from "../../state/format.ts";
import { labelOf, timesOf } from "../../state/period.ts";
import { zone } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { FIRST_PAGE, ListTable, useList } from "../../ui/list.tsx";
import { PeriodPicker, usePeriod } from "../../ui/period/period-picker.tsx";
import { namesOf } from "../../ui/person/names.ts";
import { PickChip } from "../../ui/pick/picker.tsx";
import { ANY_EVENT } from "../../ui/pick/property-picker.tsx";
import { Load, NothingInPeriod, NothingPasses, NothingYet, Skeleton } from "../../ui/states.tsx";
import { eventColumns } from "./event-columns.tsx";
import { EventDetail } from "./event-detail.tsx";
import { EventVolume } from "./event-volume.tsx";
import { LiveList } from "./live-list.tsx";

const PERIOD = "30d";

/** Events, the newest or the oldest first, with filters, or as they are stored; a row opens in place. */
export function EventsPage() {
  const { query, set } = useAddress();
  const { period, setPeriod } = usePeriod(PERIOD);
  const filters = readFilters(query["filters"]);
  const isLive = query["live"] === "1";
  const change = (next: Filter[]) =>
    set({ filters: writeFilters(next), ...FIRST_PAGE }, { push: true });
  const filterBy = (filter: Filter) => change([...filters, filter]);
  return (
    <>
      <PageHead title="Events" lead={`Times in ${zone()}`}>
        <Button
          kind="quiet"
          icon="start"
          pressed={isLive}
          onClick={() => set({ live: isLive ? "" : "1", ...FIRST_PAGE })}
        >
          Live
        </Button>
        {!isLive && <PeriodPicker fallback={PERIOD} />}
      </PageHead>
      {!isLive && (
        <EventVolume
          period={period}
          event={query["event"] || undefined}
          filters={filters}
          onPeriod={setPeriod}
        />
      )}
      <Panel isFlush>
        <div class="toolbar">
          <EventName
            value={query["event"] ?? ""}
            onChange={(event) => set({ event, ...FIRST_PAGE })}
          />
          <FilterEditor filters={filters} onChange={change} />
        </div>
        {isLive ? (
          <LiveList event={query["event"] || undefined} filters={filters} onFilter={filterBy} />
        ) : (
          <EventList onFilter={filterBy} />
        )}
      </Panel>
    </>
  );
}

function EventName({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <PickChip
      label="Event"
      text={value === "" ? "All events" : eventTitle(value)}
      source={ANY_EVENT}
      chosen={[value]}
      anyText="Use"
      onChoose={onChange}
    />
  );
}

/** How the list is read in the state that the address has. */
function useEventQuery() {
  const { query, asked: asPaged } = useList();
  const { period } = usePeriod(PERIOD);
  const filters = readFilters(query["filters"]);
  const event = query["event"] || undefined;
  const isReversed = query["sort"] === "time";
  return {
    period,
    isFiltered: filters.length > 0 || event !== undefined,
    key: JSON.stringify([period, event, filters, asPaged, isReversed]),
    readPage(signal: AbortSignal) {
      const conditions = { ...timesOf(period, new Date()), ...(event ? { event } : {}) };
      if (isReversed) {
        const oldest = { kind: "EventsQuery", select: ["*"], orderBy: ["timestamp ASC"] };
        const query = { ...oldest, ...conditions, properties: filters };
        return askPage<Schemas["Event"]>(query, asPaged, signal);
      }
      const properties = writeFilters(filters);
      const given = { ...asPaged, ...conditions, ...(properties && { properties: [properties] }) };
      return api.get("events/", { query: given, signal });
    },
  };
}

function EventList({ onFilter }: { onFilter: (filter: Filter) => void }) {
  const { set } = useAddress();
  const { period, isFiltered, key, readPage } = useEventQuery();
  const events = useLoad(key, async (signal) => {
    const page = await readPage(signal);
    const ids = page.results.map(({ person_id }) => person_id);
    // Without names the list is still whole: people have their ids.
    const names = await namesOf(ids, signal).catch(() => new Map<string, string>());
    return { ...page, names };
  });
  return (
    <ListTable
      of={events}
      label="Events"
      columns={eventColumns(events.data?.names ?? new Map())}
      sortedBy="-time"
      keyOf={({ uuid }) => uuid}
      detail={(event) => <EventDetail event={event} onFilter={onFilter} />}
      none={
        isFiltered ? (
          <NothingPasses onRemove={() => set({ filters: "", event: "", ...FIRST_PAGE })} />
        ) : (
          <NoEvents period={period} />
        )
      }
    />
  );
}

/** Nothing in the period, or nothing ever: the newest event of all says which. */
function NoEvents({ period }: { period: string }) {
  const { setPeriod } = usePeriod(PERIOD);
  const newest = useLoad("newest event", (signal) =>
    api.get("events/", { query: { limit: 1 }, signal }),
  );
  return (
    <Load of={newest} skeleton={<Skeleton rows={4} height={40} />}>
      {({ results: [event] }) => {
        if (event === undefined) return <NothingYet />;
        const nearest = event.timestamp.slice(0, 10);
        return (
          <NothingInPeriod
            period={labelOf(period, new Date())}
            nearest={day(event.timestamp)}
            onShow={() => setPeriod(`${nearest}..${nearest}`)}
          />
        );
      }}
    </Load>
  );
}
