import type { Schemas } from "../../api/client.ts";
import { href } from "../../state/address.ts";
import { clock, day, eventTitle, shortTime } from "../../state/format.ts";
import type { Column } from "../../ui/table.tsx";
import { Wrapping } from "../../ui/wrapping.tsx";

type EventRow = Schemas["Event"];

/** Where an event happened: the path of a page, or the name of a screen. */
function whereOf({ properties }: EventRow): string {
  const place = properties["$pathname"] ?? properties["$screen_name"] ?? properties["$current_url"];
  return typeof place === "string" ? place : "";
}

/** The columns of lists of events. */
export const EVENT_COLUMNS: readonly Column<EventRow>[] = [
  {
    key: "event",
    title: "Event",
    cell: ({ event }) => (
      <span title={event}>
        <Wrapping text={eventTitle(event)} />
      </span>
    ),
  },
  {
    key: "person",
    title: "Person",
    isExtra: true,
    cell: (event) => <PersonLink event={event} />,
  },
  {
    key: "where",
    title: "Page or screen",
    isExtra: true,
    cell: (event) => <Wrapping text={whereOf(event)} />,
  },
  {
    key: "time",
    title: "Time",
    width: "160px",
    cell: ({ timestamp }) => (
      <time dateTime={timestamp} title={`${day(timestamp)} ${clock(timestamp)}`}>
        {shortTime(timestamp)}
      </time>
    ),
  },
];

/** Leads to the person of an event, named by the distinct id that the event came with. */
function PersonLink({ event }: { event: EventRow }) {
  const id = <Wrapping text={event.distinct_id} />;
  if (!event.person_id) return <span class="faint">{id}</span>;
  return <a href={href(`persons/${event.person_id}`)}>{id}</a>;
}
