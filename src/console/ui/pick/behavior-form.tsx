import type { ComponentChildren } from "preact";
import { propertiesOf } from "../../api/suggestions.ts";
import type { Filter } from "../../state/filters.ts";
import { eventTitle, propertyTitle } from "../../state/format.ts";
import { Field, Select } from "../field.tsx";
import { PickChip } from "./picker.tsx";
import { ANY_EVENT } from "./property-picker.tsx";

const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

const HOW = choices({
  ...{ performed_event: "at least once", performed_event_multiple: "this many times" },
  ...{
    performed_event_first_time: "for the first time ever",
    performed_event_regularly: "regularly",
  },
  performed_event_sum: "with this sum",
});

const COMPARED = choices({
  ...{ gte: "at least", lte: "at most", gt: "more than", lt: "less than", exact: "exactly" },
});

const UNITS = choices({ day: "days", week: "weeks", month: "months", year: "years" });

const WHEN = choices({ period: "In the period shown", last: "In the last", dates: "Between" });

/** The fields that only some conditions have. */
const OWN_FIELDS: Record<string, readonly string[]> = {
  performed_event_multiple: ["operator", "operator_value", "time_value", "time_interval"],
  performed_event_sum: [
    "operator",
    "operator_value",
    "time_value",
    "time_interval",
    "sum_property",
  ],
  performed_event_regularly: ["min_periods", "time_interval"],
};

const DEFAULTS: Record<string, object> = {
  performed_event_multiple: { operator: "gte", operator_value: 2 },
  performed_event_sum: { operator: "gte", operator_value: 1 },
  performed_event_regularly: { min_periods: 2, time_interval: "week" },
};

/** The same condition about something else that people did, without the fields that this does not have. */
function withValue(filter: Filter, value: string): Filter {
  const own = OWN_FIELDS[value] ?? ["time_value", "time_interval"];
  const all = Object.values(OWN_FIELDS).flat();
  const kept = Object.entries(filter).filter(([name]) => !all.includes(name) || own.includes(name));
  return { ...DEFAULTS[value], ...Object.fromEntries(kept), value } as Filter;
}

const whenOf = ({ time_value, value, ...filter }: Filter) => {
  if (filter["explicit_datetime"] != null) return "dates";
  return time_value === undefined || value === "performed_event_regularly" ? "period" : "last";
};

function withWhen(filter: Filter, when: string): Filter {
  const { explicit_datetime: _, explicit_datetime_to: __, time_value: ___, ...rest } = filter;
  if (when === "dates") return { ...withoutUnit(rest), explicit_datetime: "-30d" };
  return when === "last" ? { ...rest, time_value: 30, time_interval: "day" } : withoutUnit(rest);
}

function withoutUnit(filter: Filter): Filter {
  const { time_interval: _, ...rest } = filter;
  return filter.value === "performed_event_regularly" ? filter : rest;
}

/** Whether a condition has all that it needs. */
export const isWholeBehavior = ({ value, ...filter }: Filter): boolean =>
  value !== "performed_event_sum" || Boolean(filter["sum_property"]);

type PartProps = { filter: Filter; onChange: (filter: Filter) => void };

/** One field of a condition: one of several values, a number, or a day. */
function Part(
  props: PartProps & { label: string; field: string; of: "number" | "date" | typeof HOW },
) {
  const { filter, onChange, label, field, of } = props;
  const set = (value: unknown) => onChange({ ...filter, [field]: value });
  const value = String(filter[field] ?? "");
  if (typeof of !== "string") {
    return <Select isBare label={label} value={value} choices={of} onChange={set} />;
  }
  if (of === "number") {
    const put = (text: string) => set(Number(text));
    return <Field isBare type="number" label={label} min="0" value={value} onInput={put} />;
  }
  const put = (text: string) => set(text === "" ? null : text);
  const example = "2026-11-01 or -30d";
  return <Field isBare label={label} placeholder={example} value={value} onInput={put} />;
}

/** How often people did it, or how much. */
function HowMuch(props: PartProps) {
  const { filter, onChange } = props;
  const { value } = filter;
  const sum = filter["sum_property"];
  return (
    <>
      {(value === "performed_event_multiple" || value === "performed_event_sum") && (
        <div class="pair">
          <Part {...props} label="Comparison" field="operator" of={COMPARED} />
          <Part {...props} label="Number" field="operator_value" of="number" />
        </div>
      )}
      {value === "performed_event_sum" && (
        <PickChip
          label="Numeric property"
          text={sum ? propertyTitle(String(sum)) : "none yet"}
          source={propertiesOf("event", true)}
          chosen={[String(sum ?? "")]}
          anyText="Use"
          onChoose={(name) => onChange({ ...filter, sum_property: name })}
        />
      )}
      {value === "performed_event_regularly" && (
        <div class="pair">
          <Part {...props} label="In at least so many" field="min_periods" of="number" />
          <Part {...props} label="Intervals" field="time_interval" of={UNITS.slice(0, 3)} />
        </div>
      )}
    </>
  );
}

/** When people did it. */
function When(props: PartProps) {
  const { filter, onChange } = props;
  const when = whenOf(filter);
  const isRegular = filter.value === "performed_event_regularly";
  return (
    <>
      <Select
        isBare
        label="When"
        value={when}
        choices={isRegular ? WHEN.filter((one) => one.value !== "last") : WHEN}
        onChange={(next) => onChange(withWhen(filter, next))}
      />
      {when === "last" && (
        <div class="pair">
          <Part {...props} label="Length" field="time_value" of="number" />
          <Part {...props} label="Unit" field="time_interval" of={UNITS} />
        </div>
      )}
      {when === "dates" && (
        <div class="pair">
          <Part {...props} label="From" field="explicit_datetime" of="date" />
          <Part {...props} label="To" field="explicit_datetime_to" of="date" />
        </div>
      )}
    </>
  );
}

/** The fields of a condition on what people did. `where` edits the filters of the events that count. */
export function BehaviorForm(props: PartProps & { where: ComponentChildren }) {
  const { filter, onChange, where } = props;
  const { key, value } = filter;
  return (
    <>
      <div class="pair">
        <Select
          isBare
          label="Who"
          value={String(filter["negation"] === true)}
          choices={choices({ false: "People with", true: "People without" })}
          onChange={(not) => onChange({ ...filter, negation: not === "true" })}
        />
        <PickChip
          label="Event"
          text={key === null ? "All events" : eventTitle(key)}
          source={ANY_EVENT}
          chosen={[key ?? ""]}
          anyText="Use"
          onChoose={(name) => onChange({ ...filter, key: name === "" ? null : name })}
        />
      </div>
      <Select
        isBare
        label="How often"
        value={String(value)}
        choices={HOW}
        onChange={(how) => onChange(withValue(filter, how))}
      />
      <HowMuch filter={filter} onChange={onChange} />
      <When filter={filter} onChange={onChange} />
      {where}
    </>
  );
}
