import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { href } from "../../state/address.ts";
import type { Filter } from "../../state/filters.ts";
import { moment } from "../../state/format.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Properties } from "../../ui/properties.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const TABS = [
  { value: "properties", label: "Properties" },
  { value: "json", label: "JSON" },
] as const;

/** An opened event: its properties, each usable as a filter, and the whole of it as JSON. */
export function EventDetail(props: {
  event: Schemas["Event"];
  onFilter?: (filter: Filter) => void;
  /** Whether the page is already the event's person's own. */
  isOnPerson?: boolean;
}) {
  const { event, onFilter, isOnPerson } = props;
  const [tab, setTab] = useState<(typeof TABS)[number]["value"]>("properties");
  return (
    <div class="event-detail">
      <div class="cluster spread">
        <span class="caption">
          <bdi>{event.event}</bdi> · {moment(event.timestamp)} · <bdi>{event.distinct_id}</bdi>
        </span>
        {event.person_id && !isOnPerson && (
          <ButtonLink icon="persons" href={href(`persons/${event.person_id}`)}>
            Person
          </ButtonLink>
        )}
      </div>
      <Tabs label="Views of the event" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "json" ? (
          <JsonView value={event} label="The event as JSON" />
        ) : (
          <Properties
            properties={event.properties}
            none="This event has no properties."
            actions={(name, value) => onFilter && filterButton(name, value, onFilter)}
          />
        )}
      </Tabs>
    </div>
  );
}

function filterButton(name: string, value: unknown, onFilter: (filter: Filter) => void) {
  if (!["string", "number", "boolean"].includes(typeof value)) return null;
  const filter: Filter = { key: name, operator: "exact", type: "event", value: value as string };
  return (
    <Button
      kind="quiet"
      icon="filter"
      label={`Filter by ${name}`}
      onClick={() => onFilter(filter)}
    />
  );
}
