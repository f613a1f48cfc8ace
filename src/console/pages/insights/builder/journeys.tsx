import type { Query, SeriesNode } from "../../../api/query.ts";
import {
  EVENTS,
  fixed,
  type Item,
  propertiesOf,
  type Source,
  valuesOf,
} from "../../../api/suggestions.ts";
import { eventTitle } from "../../../state/format.ts";
import { PickChip, toggled } from "../../../ui/pick/picker.tsx";
import { ANY_EVENT } from "../../../ui/pick/property-picker.tsx";
import { columnTitle } from "../query-facts.ts";
import { withField } from "./options.ts";
import { Node } from "./series.tsx";

type Props = { query: Query; onChange: (query: Query) => void };

type Entity = Omit<SeriesNode, "event"> & { id?: string | null; type?: string };

/** The first event of retention, and the return event. */
export function RetentionEvents({ query, onChange }: Props) {
  const entity = (field: string, of: string) => {
    const {
      id = "$pageview",
      type: _,
      kind: __,
      ...rest
    } = (query.retentionFilter?.[field] ?? {}) as Entity;
    return (
      <Node
        of={of}
        node={{ ...rest, event: id }}
        onChange={({ event, ...node }) =>
          onChange(
            withField(query, `retentionFilter.${field}`, { ...node, id: event, type: "events" }),
          )
        }
      />
    );
  };
  return (
    <>
      {entity("targetEntity", "Start event")}
      {entity("returningEntity", "Return event")}
    </>
  );
}

const PAGES = valuesOf("event", "$pathname");

/** Pages and events that paths lead over. */
const PLACES: Source = {
  key: "places",
  async load(search, signal) {
    const [pages, events] = await Promise.all([
      PAGES.load(search, signal),
      EVENTS.load(search, signal),
    ]);
    const own = events.items.filter(({ value }) => !value.startsWith("$"));
    return { items: [...pages.items, ...own], isWhole: pages.isWhole && events.isWhole };
  },
};

const PATH_TYPES: readonly Item[] = [
  { value: "$pageview", label: "Pages" },
  { value: "$screen", label: "Screens" },
  { value: "custom_event", label: "Events" },
];

/** Where paths begin and end, and the places that they have. */
export function PathFields({ query, onChange }: Props) {
  const filter = query.pathsFilter ?? {};
  const put = (field: string, value: unknown) =>
    onChange(withField(query, `pathsFilter.${field}`, isNone(value) ? undefined : value));
  const end = (field: "startPoint" | "endPoint", label: string) => {
    const place = String(filter[field] ?? "");
    return (
      <PickChip
        label={label}
        text={`${label}: ${place || "anywhere"}`}
        source={PLACES}
        chosen={[place]}
        anyText="Use"
        onChoose={(chosen) => put(field, chosen)}
        onRemove={place === "" ? undefined : () => put(field, "")}
      />
    );
  };
  const types = (filter["includeEventTypes"] ?? []) as string[];
  const excluded = (filter["excludeEvents"] ?? []) as string[];
  const typeName = (type: string) => PATH_TYPES.find(({ value }) => value === type)?.label ?? type;
  return (
    <>
      {end("startPoint", "Start")}
      {end("endPoint", "End")}
      <PickChip
        isMulti
        label="Places"
        text={types.map(typeName).join(", ") || "Pages, screens and events"}
        source={fixed("path types", PATH_TYPES)}
        chosen={types}
        onChoose={(type) => put("includeEventTypes", toggled(types, type))}
      />
      <PickChip
        isMulti
        label="Left out"
        text={`Left out: ${excluded.join(", ") || "none"}`}
        source={PLACES}
        chosen={excluded}
        anyText="Use"
        onChoose={(place) => put("excludeEvents", toggled(excluded, place))}
      />
    </>
  );
}

const isNone = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0);

const quoted = (name: string) => (/^[$\w]+$/.test(name) ? name : `\`${name}\``);

/** The columns of a list, by the kind of the query: its own ones, and then its properties. */
function columnsOf(kind: string): Source {
  const isPeople = kind === "ActorsQuery";
  const names = isPeople
    ? ["person", "id", "email", "created_at", "count()"]
    : ["*", "event", "person", "person_id", "distinct_id", "timestamp", "uuid", "count()"];
  const own = names.map((value) => ({ value, label: columnTitle(value) }));
  const properties = propertiesOf(isPeople ? "person" : "event");
  return {
    key: `columns ${kind}`,
    async load(search, signal) {
      const { items, isWhole } = await properties.load(search, signal);
      const more = items.map((item) => ({ ...item, value: `properties.${quoted(item.value)}` }));
      return { items: [...own, ...more], isWhole };
    },
  };
}

/** The event and the columns of a list of events or people. */
export function ListFields({ query, onChange }: Props) {
  const columns = [query.select ?? []].flat();
  const { event = null, kind } = query;
  const put = (field: string, value: unknown) =>
    onChange(withField(query, field, isNone(value) ? undefined : value));
  return (
    <>
      {kind === "EventsQuery" && (
        <PickChip
          label="Event"
          text={event === null ? "All events" : eventTitle(event)}
          source={ANY_EVENT}
          chosen={[event ?? ""]}
          anyText="Use"
          onChoose={(name) => put("event", name)}
        />
      )}
      <PickChip
        isMulti
        label="Columns"
        text={columns.map(columnTitle).join(", ") || "Usual columns"}
        source={columnsOf(kind)}
        chosen={columns}
        onChoose={(column) => put("select", toggled(columns, column))}
      />
    </>
  );
}
