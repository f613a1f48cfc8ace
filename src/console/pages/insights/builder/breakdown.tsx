import type { Query } from "../../../api/query.ts";
import type { Owner } from "../../../api/suggestions.ts";
import { Add, Chip } from "../../../ui/pick/popover.tsx";
import { PropertyPicker } from "../../../ui/pick/property-picker.tsx";
import { partText } from "../query-facts.ts";

/** Most properties of a breakdown. */
const PARTS_MAX = 3;

/** Values of a new breakdown, as eyes follow no more lines. */
const VALUES_SHOWN = 5;

/** One property of a breakdown. */
type Part = { property: string; type?: string; group_type_index?: number; normalize_url?: boolean };

const OWNERS: readonly Owner[] = ["event", "person", "session", "group", "first_touch", "more"];

const METADATA = /^(?:event|person_id|distinct_id)$/;

/** The properties of a breakdown, from either of its forms. */
function partsIn({ breakdownFilter = {} }: Query): Part[] {
  const { breakdowns, breakdown, breakdown_type, breakdown_group_type_index } = breakdownFilter;
  const several = (breakdowns ?? []) as Part[];
  if (several.length > 0) return several;
  return [breakdown ?? []].flat().map((property) => ({
    property: String(property),
    ...(breakdown_type != null && { type: String(breakdown_type) }),
    ...(breakdown_group_type_index != null && {
      group_type_index: Number(breakdown_group_type_index),
    }),
    ...(breakdownFilter["breakdown_normalize_url"] === true && { normalize_url: true }),
  }));
}

/** The query broken down by these properties. One alone is in the form that all clients know. */
function withParts(query: Query, parts: readonly Part[]): Query {
  const { breakdownFilter = {}, funnelsFilter, ...rest } = query;
  const funnel = funnelsFilter === undefined ? {} : { funnelsFilter };
  const [one, ...others] = parts;
  if (one === undefined) return { ...rest, ...funnel };
  const kept = Object.entries(breakdownFilter).filter(
    ([name]) => !/^breakdowns?$|_type$|_type_index$|_normalize_url$/.test(name),
  );
  const isNatural = others.length === 0 && one.type === "hogql";
  const isNew = partsIn(query).length === 0 && !isNatural;
  const common = { ...(isNew && { breakdown_limit: VALUES_SHOWN }), ...Object.fromEntries(kept) };
  if (others.length > 0)
    return { ...rest, ...funnel, breakdownFilter: { ...common, breakdowns: parts } };
  const { property, type, group_type_index: index, normalize_url } = one;
  const single = {
    breakdown: property,
    ...(type !== undefined && { breakdown_type: type }),
    ...(index !== undefined && { breakdown_group_type_index: index }),
    ...(normalize_url && { breakdown_normalize_url: true }),
  };
  return { ...rest, ...funnel, breakdownFilter: { ...common, ...single } };
}

const ownerOf = ({ type = "event", group_type_index }: Part): Owner => {
  if (type === "group") return `group:${group_type_index ?? 0}`;
  return type === "hogql" || type === "event_metadata" ? "more" : type;
};

function partOf(property: string, owner: Owner): Part {
  const [type = "event", index] = owner.split(":");
  if (type === "more")
    return { property, type: METADATA.test(property) ? "event_metadata" : "hogql" };
  return { property, type, ...(index !== undefined && { group_type_index: Number(index) }) };
}

/** The properties by which a query is broken down, as chips. */
export function Breakdown({ query, onChange }: { query: Query; onChange: (query: Query) => void }) {
  const parts = partsIn(query);
  const put = (at: number, ...part: Part[]) =>
    onChange(withParts(query, parts.toSpliced(at, 1, ...part)));
  const picker = (at: number) => (close: () => void) => {
    const part = parts[at];
    return (
      <PropertyPicker
        owners={OWNERS}
        {...(part && { owner: ownerOf(part), name: part.property })}
        onChoose={(name, owner) => {
          close();
          put(at, partOf(name, owner));
        }}
      />
    );
  };
  return (
    <>
      {parts.map((part, at) => {
        const text = `by ${partText(part.property, part.type)}`;
        return (
          <Chip key={at} label="Break down by" text={text} onRemove={() => put(at)}>
            {picker(at)}
          </Chip>
        );
      })}
      {parts.length < PARTS_MAX && (
        <Add label="Break down by" text="Breakdown">
          {picker(parts.length)}
        </Add>
      )}
    </>
  );
}
