import type { Schemas } from "../../api/client.ts";
import { bestOf } from "../../state/best-properties.ts";
import { clock, day, eventTitle, shortTime } from "../../state/format.ts";
import type { Names } from "../../ui/person/names.ts";
import { PersonCell } from "../../ui/person/person-cell.tsx";
import type { Column } from "../../ui/table.tsx";
import { Wrapping } from "../../ui/wrapping.tsx";

type EventRow = Schemas["Event"];

/** The columns of lists of events; a person without a name in `names` has the distinct id of the event. */
export const eventColumns = (names: Names): readonly Column<EventRow>[] => [
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
    isBelow: true,
    cell: ({ person_id, distinct_id }) => (
      <PersonCell id={person_id} name={names.get(person_id) || distinct_id} />
    ),
  },
  {
    key: "details",
    title: "Details",
    isBelow: true,
    cell: (event) => <Wrapping text={bestOf(event).join(" · ")} />,
  },
  {
    key: "time",
    title: "Time",
    width: "152px",
    canSort: true,
    cell: ({ timestamp }) => (
      <time dateTime={timestamp} title={`${day(timestamp)} ${clock(timestamp)}`}>
        {shortTime(timestamp)}
      </time>
    ),
  },
];
