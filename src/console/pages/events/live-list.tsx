import { useEffect, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import type { LiveEvent } from "../../api/live.ts";
import { useLoad, usePolled } from "../../api/load.ts";
import { type Filter, writeFilters } from "../../state/filters.ts";
import { number } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { type Names, useNames } from "../../ui/person/names.ts";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { eventColumns } from "./event-columns.tsx";
import { EventDetail } from "./event-detail.tsx";
import { LIVE_ROWS, type Live, useLive } from "./use-live.ts";

/** A place of the list, and the event that it shows now. */
type Row = { at: number; event: LiveEvent };

const columnsOf = (names: Names): readonly Column<Row>[] =>
  eventColumns(names).map((column) => ({ ...column, cell: ({ event }) => column.cell(event) }));

type LiveListProps = {
  /** The name of the events; undefined for all. */
  event: string | undefined;
  filters: readonly Filter[];
  onFilter: (filter: Filter) => void;
};

/** How long the name of an event must stay the same before another stream begins, in milliseconds. */
const SETTLED_MS = 400;

/** Events as they are stored. While the name of the event is typed, the last list stays. */
export function LiveList({ event, filters, onFilter }: LiveListProps) {
  const [settled, setSettled] = useState(event);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(event), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [event]);
  const Shown = filters.length === 0 ? Rows : FilteredRows;
  return <Shown key={settled} event={settled} filters={filters} onFilter={onFilter} />;
}

/** How often the list is read again while it has filters, in milliseconds. */
const EVERY_MS = 2000;

/** The newest events that pass filters of properties. A stream has too few properties for them, so the list is read again. */
function FilteredRows({ event, filters, onFilter }: LiveListProps) {
  const [isPointed, setPointed] = useState(false);
  const [open, setOpen] = useState<string>();
  const isHeld = isPointed || open !== undefined;
  const key = JSON.stringify([event, filters]);
  const events = usePolled(key, EVERY_MS, (signal) => readNewest(event, filters, signal), isHeld);
  const rows = events.data?.results ?? [];
  const names = useNames(rows.map(({ person_id }) => person_id));
  return (
    <div
      class="live"
      onPointerEnter={({ pointerType }) => setPointed(pointerType === "mouse")}
      onPointerLeave={() => setPointed(false)}
    >
      <div class="live-bar">
        <output class="live-message">{isHeld ? "Paused while you read" : ""}</output>
      </div>
      <Load of={events} skeleton={<Skeleton rows={12} height={40} />}>
        {() =>
          rows.length === 0 ? (
            <Empty icon="start" title="Waiting for events that match these filters" />
          ) : (
            <Table
              label="Live events"
              columns={eventColumns(names)}
              rows={rows}
              keyOf={({ uuid }) => uuid}
              open={open}
              onOpen={setOpen}
              detail={(one) => <EventDetail event={one} onFilter={onFilter} />}
            />
          )
        }
      </Load>
    </div>
  );
}

/** The list stays as it is while the pointer or the focus is on it. */
function Rows({ event, onFilter }: LiveListProps) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [open, setOpen] = useState<string>();
  const isHeld = isPointed || isFocused || open !== undefined;
  const live = useLive(event, isHeld);
  const names = useNames(live.events.map(({ person_id }) => person_id));
  const recent = useRecent(event, live.begun);
  const { data } = recent;
  useEffect(() => {
    if (data !== undefined) live.merge(data.results);
  }, [data]);
  const show = () => {
    setOpen(undefined);
    live.show();
    // The button is gone now, and keys go on from the heading.
    focusHeading();
  };
  return (
    <div
      onPointerEnter={({ pointerType }) => setPointed(pointerType === "mouse")}
      onPointerLeave={() => setPointed(false)}
    >
      <LiveBar live={live} isHeld={isHeld} onShow={show} />
      <div class="live" onFocusIn={() => setFocused(true)} onFocusOut={() => setFocused(false)}>
        <Load of={recent} skeleton={<Skeleton rows={12} height={40} />}>
          {() =>
            live.events.length === 0 ? (
              <Empty icon="start" title="Waiting for events" />
            ) : (
              <Table
                label="Live events"
                columns={columnsOf(names)}
                rows={live.events.map((one, at) => ({ at, event: one }))}
                keyOf={({ at }) => String(at)}
                open={open}
                onOpen={setOpen}
                detail={(row) => <LiveDetail uuid={row.event.uuid} onFilter={onFilter} />}
              />
            )
          }
        </Load>
      </div>
    </div>
  );
}

/** The newest stored events. They fill the list at the beginning, and what a stream has missed. */
const useRecent = (event: string | undefined, begun: number) =>
  useLoad(`recent ${event} ${begun}`, (signal) => readNewest(event, [], signal));

function readNewest(event: string | undefined, filters: readonly Filter[], signal: AbortSignal) {
  const properties = writeFilters(filters);
  const given = { ...(event && { event }), ...(properties && { properties: [properties] }) };
  return api.get("events/", { query: { limit: LIVE_ROWS, ...given }, signal });
}

/** Rate, lag, and how the stream does. Nothing in it moves when a number changes. */
function LiveBar({ live, isHeld, onShow }: { live: Live; isHeld: boolean; onShow: () => void }) {
  const { stats, message, held, hasEnded } = live;
  const pausedText = isHeld && !hasEnded ? "Paused while you read" : "";
  return (
    <div class="live-bar">
      <span class="live-fact">{number(stats?.per_second)} events a second</span>
      <span class="live-fact">
        lag {stats === undefined ? "–" : `${(stats.lag_ms / 1000).toFixed(1)} s`}
      </span>
      <output class="live-message" title={message}>
        {message || pausedText}
      </output>
      {hasEnded && (
        <Button icon="refresh" onClick={live.again}>
          Try again
        </Button>
      )}
      {held > 0 && <Button onClick={onShow}>{`${number(held)} new`}</Button>}
    </div>
  );
}

/** The whole event: the stream has only a part of its properties. */
function LiveDetail({ uuid, onFilter }: { uuid: string; onFilter: (filter: Filter) => void }) {
  const event = useLoad(`event ${uuid}`, (signal) =>
    api.get("events/{uuid}/", { path: { uuid }, signal }),
  );
  return (
    <Load of={event} skeleton={<Skeleton rows={4} height={32} />}>
      {(one) => <EventDetail event={one} onFilter={onFilter} />}
    </Load>
  );
}
