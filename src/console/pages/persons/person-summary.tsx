import type { Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { quoted, select } from "../../api/select.ts";
import { may } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { moment, number, valueText } from "../../state/format.ts";
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

function factsOf({ name, properties }: Person): [label: string, value: string][] {
  return FACTS.flatMap(([label, ...keys]): [string, string][] => {
    const value = keys
      .map((key) => properties[key])
      .find((one) => one !== undefined && one !== null && one !== "");
    // The heading has the name already.
    return value === undefined || value === name ? [] : [[label, valueText(value)]];
  });
}

/** A person at a glance: the properties that matter most, and numbers of all events. */
export function PersonSummary({ person }: { person: Person }) {
  const { uuid, name, created_at } = person;
  const mayCount = may("query:read");
  const { data } = useLoad(mayCount ? `summary ${uuid}` : null, (signal) =>
    numbersOf(uuid, signal),
  );
  const facts = [...factsOf(person), ["First seen", moment(created_at)]];
  const counted = [
    ["Last seen", data?.last ? moment(data.last) : "–"],
    ["Events", number(data?.events)],
    ["Visits", number(data?.visits)],
  ];
  return (
    <Panel>
      <div class="summary">
        <Avatar id={uuid} name={name} />
        <dl>
          {[...facts, ...(mayCount ? counted : [])].map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Panel>
  );
}
