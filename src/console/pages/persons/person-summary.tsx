import type { Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { quoted, select } from "../../api/select.ts";
import { may } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { moment, number, valueText } from "../../state/format.ts";
import { Emblem } from "../../ui/emblem/emblem.tsx";
import { Avatar } from "../../ui/person/person-cell.tsx";

type Person = Schemas["Person"];

/** Numbers of all events of a person. */
type Numbers = { events: number; visits: number; last: string | null };

async function numbersOf(uuid: string, signal: AbortSignal): Promise<Numbers> {
  const { results } = await select(
    `SELECT count(*), count(DISTINCT "$session_id"), max(timestamp) FROM events WHERE person_id = ${quoted(uuid)}`,
    signal,
  );
  const [events, visits, last] = results[0] ?? [];
  return { events: Number(events), visits: Number(visits), last: last ? String(last) : null };
}

/** Properties that say at a glance who a person is, by their label; the first that is set counts. */
const FACTS: readonly [label: string, ...properties: string[]][] = [
  ["Name", "name"],
  ["Plan", "plan"],
  ["Country", "$geoip_country_name", "$initial_geoip_country_name", "country"],
  ["Device", "$device_type", "$initial_device_type"],
  ["Browser", "$browser", "$initial_browser"],
  ["System", "$os", "$initial_os"],
];

type Fact = { label: string; value: string; property?: string };

function factsOf({ name, properties }: Person): Fact[] {
  return FACTS.flatMap(([label, ...keys]): Fact[] => {
    const property = keys.find((key) => (properties[key] ?? "") !== "");
    const value = property === undefined ? "" : valueText(properties[property]);
    // The heading has the name already.
    return property === undefined || value === name ? [] : [{ label, value, property }];
  });
}

/** A person at a glance: the properties that matter most, and numbers of all events. */
export function PersonSummary({ person }: { person: Person }) {
  const { uuid, name, created_at } = person;
  const mayCount = may("query:read");
  const { data } = useLoad(mayCount ? `summary ${uuid}` : null, (signal) =>
    numbersOf(uuid, signal),
  );
  const facts: Fact[] = [...factsOf(person), { label: "First seen", value: moment(created_at) }];
  const counted: Fact[] = [
    { label: "Last seen", value: data?.last ? moment(data.last) : "–" },
    { label: "Events", value: number(data?.events) },
    { label: "Visits", value: number(data?.visits) },
  ];
  return (
    <Panel>
      <div class="summary">
        <Avatar id={uuid} name={name} />
        <dl>
          {[...facts, ...(mayCount ? counted : [])].map(({ label, value, property }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd key={value}>
                {property && <Emblem property={property} value={value} />}
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Panel>
  );
}
