import { useState } from "preact/hooks";
import {
  EVENTS,
  fixed,
  type Owner,
  propertiesOf,
  type Source,
  useGroupTypes,
} from "../../api/suggestions.ts";
import { METADATA } from "../../state/filter.ts";
import { Tabs } from "../tabs.tsx";
import { Picker } from "./picker.tsx";

const NAMES: Record<string, string> = {
  ...{ event: "Event", person: "Person", session: "Session", event_metadata: "Name, ID" },
  ...{ first_touch: "First value", behavioral: "Behavior", hogql: "Time", more: "More" },
};

/** Events that are counted, or all of them as an empty name. */
export const ANY_EVENT: Source = {
  key: "all events",
  async load(search, signal) {
    const { items, isWhole } = await EVENTS.load(search, signal);
    return { items: [{ value: "", label: "All events" }, ...items], isWhole };
  },
};

const OF_EVENTS = Object.entries(METADATA).map(([value, label]) => ({ value, label }));

/** Choices that are no property, by the tab that has them. */
const OTHERS: Record<string, Source> = {
  behavioral: ANY_EVENT,
  hogql: fixed("conditions", [
    { value: "toDayOfWeek(timestamp)", label: "Day of the week" },
    { value: "toHour(timestamp)", label: "Hour of the day" },
  ]),
  event_metadata: fixed("metadata", OF_EVENTS),
  more: fixed("breakdowns", [
    ...OF_EVENTS,
    { value: "dateName('weekday', timestamp)", label: "Day of the week" },
    { value: "toDayOfWeek(timestamp)", label: "Day of the week, as a number" },
    { value: "toHour(timestamp)", label: "Hour of the day" },
    { value: "toDate(timestamp)", label: "Day" },
    { value: "toStartOfWeek(timestamp)", label: "Week" },
    { value: "toStartOfMonth(timestamp)", label: "Month" },
  ]),
};

/** The choice of a property, in a tab for each owner; `group` stands for each type of groups. */
export function PropertyPicker(props: {
  owners: readonly Owner[];
  /** The present one. */
  owner?: Owner;
  name?: string | null;
  isNumber?: boolean;
  onChoose: (name: string, owner: Owner) => void;
}) {
  const { owners, name, isNumber, onChoose } = props;
  const types = useGroupTypes();
  const tabs = owners.flatMap((value) =>
    value === "group"
      ? types.map(({ group_type, group_type_index }) => ({
          value: `group:${group_type_index}`,
          label: `${group_type.charAt(0).toUpperCase()}${group_type.slice(1)}`,
        }))
      : [{ value, label: NAMES[value] ?? value }],
  );
  const [tab, setTab] = useState(props.owner ?? owners[0] ?? "event");
  const source = OTHERS[tab] ?? propertiesOf(tab, isNumber);
  const picker = (
    <Picker
      key={tab}
      label={tab === "behavioral" ? "Event" : "Property"}
      source={source}
      chosen={name == null || tab !== props.owner ? [] : [name]}
      {...(tab !== "session" && !(tab in OTHERS) && { anyText: "Use" })}
      onChoose={(chosen) => onChoose(chosen, tab)}
    />
  );
  if (owners.length === 1) return picker;
  return (
    <Tabs label="Property of" tabs={tabs} value={tab} onChange={setTab}>
      {picker}
    </Tabs>
  );
}
