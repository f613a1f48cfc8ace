import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { bestOf } from "../../state/best-properties.ts";
import { clock, counted, day, duration, eventTitle } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { EventDetail } from "../events/event-detail.tsx";

type EventRow = Schemas["Event"];

/** Events that are loaded at first, and with each "Show more". */
const STEP = 100;

/** Events of one session, the newest first. */
type Visit = { key: string; events: EventRow[] };

/** Events that follow each other in one session are one visit; events without a session by the day. */
function visitsOf(events: readonly EventRow[]): Visit[] {
  const visits: Visit[] = [];
  for (const event of events) {
    const key = String(event.properties["$session_id"] ?? day(event.timestamp));
    const last = visits.at(-1);
    if (last?.key === key) last.events.push(event);
    else visits.push({ key, events: [event] });
  }
  return visits;
}

/** The events of a person by sessions, the newest first; an event opens in place. */
export function Timeline({ personId }: { personId: string }) {
  const [limit, setLimit] = useState(STEP);
  const events = useLoad(`timeline ${personId} ${limit}`, (signal) =>
    api.get("events/", { query: { person_id: personId, limit }, signal }),
  );
  return (
    <Load of={events} skeleton={<Skeleton rows={8} height={40} />}>
      {({ results, count }) => (
        <>
          {results.length === 0 && <Empty title="No stored events of this person" />}
          {visitsOf(results).map(({ key, events: ofVisit }) => (
            <VisitPanel key={`${key}${ofVisit[0]?.uuid}`} events={ofVisit} />
          ))}
          {results.length < count && limit < 1000 && (
            <Button onClick={() => setLimit(Math.min(1000, limit + STEP))}>
              {`Show more of ${counted(count, "event")}`}
            </Button>
          )}
        </>
      )}
    </Load>
  );
}

function VisitPanel({ events }: { events: readonly EventRow[] }) {
  const { query, set } = useAddress();
  const newest = events[0];
  const oldest = events.at(-1);
  if (newest === undefined || oldest === undefined) return null;
  const length = Date.parse(newest.timestamp) - Date.parse(oldest.timestamp);
  const isSession = newest.properties["$session_id"] !== undefined;
  return (
    <Panel
      isFlush
      title={day(newest.timestamp)}
      tools={
        <span class="caption">
          {counted(events.length, "event")}
          {isSession && `, session of ${duration(length)}`}
        </span>
      }
    >
      <ul class="rows timeline">
        {events.map((event) => {
          const isOpen = query["open"] === event.uuid;
          return (
            <li key={event.uuid} class={isOpen ? "open" : undefined}>
              <button
                type="button"
                class="row-button"
                data-row
                aria-expanded={isOpen}
                onClick={() => set({ open: isOpen ? "" : event.uuid })}
              >
                <Icon name={isOpen ? "down" : "right"} />
                <time dateTime={event.timestamp}>{clock(event.timestamp)}</time>
                <span>{eventTitle(event.event)}</span>
                <span class="faint">
                  <bdi>{bestOf(event).join(" · ")}</bdi>
                </span>
              </button>
              {isOpen && <EventDetail event={event} isOnPerson />}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
