import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { useEventNames } from "../../api/suggestions.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { type Filter, readFilters, writeFilters } from "../../state/filters.ts";
import { day } from "../../state/format.ts";
import { labelOf, timesOf } from "../../state/period.ts";
import { inProject, zone } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { FilterEditor } from "../../ui/filter-editor.tsx";
import { PeriodPicker, usePeriod } from "../../ui/period-picker.tsx";
import { Load, NothingInPeriod, NothingPasses, NothingYet, Skeleton } from "../../ui/states.tsx";
import { Pager, placeOf, readPlace, Table, writePlace } from "../../ui/table.tsx";
import { EVENT_COLUMNS } from "./event-columns.tsx";
import { EventDetail } from "./event-detail.tsx";
import { LiveList } from "./live-list.tsx";

/** Rows of a page of the list. */
const ROWS = 50;

const PERIOD = "30d";

/** Events, the newest first, with filters, or as they are stored; a row opens in place. */
export function EventsPage() {
  const { query, set } = useAddress();
  const filters = readFilters(query["filters"]);
  const isLive = query["live"] === "1";
  const change = (next: Filter[]) =>
    set({ filters: writeFilters(next), live: "", page: "", open: "" });
  const filterBy = (filter: Filter) => change([...filters, filter]);
  return (
    <>
      <PageHead title="Events" lead={`Times in ${zone()}`}>
        <Button
          kind="quiet"
          icon="start"
          pressed={isLive}
          onClick={() => set({ live: isLive ? "" : "1", page: "", open: "" })}
        >
          Live
        </Button>
        {!isLive && <PeriodPicker fallback={PERIOD} />}
      </PageHead>
      <Panel isFlush>
        <div class="toolbar">
          <EventName
            value={query["event"] ?? ""}
            onChange={(event) => set({ event, page: "", open: "" })}
          />
          {!isLive && <FilterEditor filters={filters} onChange={change} />}
        </div>
        {isLive ? (
          <LiveList event={query["event"] || undefined} onFilter={filterBy} />
        ) : (
          <EventList onFilter={filterBy} />
        )}
      </Panel>
    </>
  );
}

function EventName({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const names = useEventNames(value);
  return (
    <Field
      label="Event"
      isBare
      type="search"
      placeholder="All events"
      autocomplete="off"
      value={value}
      suggestions={names}
      onInput={onChange}
    />
  );
}

/** The parameters of the list for the state that the address has. */
function useEventQuery() {
  const { query } = useAddress();
  const { period } = usePeriod(PERIOD);
  const filters = readFilters(query["filters"]);
  const place = readPlace(query["page"]);
  const event = query["event"] || undefined;
  const properties = writeFilters(filters);
  return {
    period,
    isFiltered: filters.length > 0 || event !== undefined,
    offset: place?.offset ?? 0,
    key: JSON.stringify([period, event, properties, query["page"]]),
    asked: () => ({
      limit: ROWS,
      ...timesOf(period, new Date()),
      ...(event ? { event } : {}),
      ...(properties ? { properties: [properties] } : {}),
      ...(place ?? {}),
    }),
  };
}

function EventList({ onFilter }: { onFilter: (filter: Filter) => void }) {
  const { query, set } = useAddress();
  const { period, isFiltered, offset, key, asked } = useEventQuery();
  const events = useLoad(key, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/events/", {
        params: { path: inProject(), query: asked() },
        signal,
      }),
    ),
  );
  return (
    <Load of={events} skeleton={<Skeleton rows={12} height={40} />}>
      {({ results, count, next }) => {
        if (results.length === 0 && isFiltered) {
          return <NothingPasses onRemove={() => set({ filters: "", event: "", page: "" })} />;
        }
        if (results.length === 0) return <NoEvents period={period} />;
        const following = placeOf(next);
        return (
          <>
            <Table
              label="Events"
              columns={EVENT_COLUMNS}
              rows={results}
              keyOf={({ uuid }) => uuid}
              open={query["open"]}
              onOpen={(open) => set({ open })}
              detail={(event) => <EventDetail event={event} onFilter={onFilter} />}
            />
            <Pager
              offset={offset}
              shown={results.length}
              count={count}
              onFirst={() => set({ page: "", open: "" }, { push: true })}
              onNext={
                following && (() => set({ page: writePlace(following), open: "" }, { push: true }))
              }
            />
          </>
        );
      }}
    </Load>
  );
}

/** Nothing in the period, or nothing ever: the newest event of all says which. */
function NoEvents({ period }: { period: string }) {
  const { setPeriod } = usePeriod(PERIOD);
  const newest = useLoad("newest event", (signal) =>
    read(
      api.GET("/api/environments/{project_id}/events/", {
        params: { path: inProject(), query: { limit: 1 } },
        signal,
      }),
    ),
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
