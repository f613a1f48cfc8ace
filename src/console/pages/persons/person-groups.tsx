import { api } from "../../api/client.ts";
import type { Loaded } from "../../api/load.ts";
import { quoted, select } from "../../api/select.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { counted, moment } from "../../state/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";

type Membership = { type: string; index: number; key: string; events: number; lastAt: string };

/** The groups that events of a person name, those with the latest events first. */
export async function groupsOf(personId: string, signal: AbortSignal): Promise<Membership[]> {
  const types = await api.get("groups_types/", { signal });
  if (types.length === 0) return [];
  const parts = types.map(
    ({ group_type_index: index }) =>
      `SELECT ${index} AS type, "$group_${index}" AS key, count(*) AS events, max(timestamp) AS last
      FROM events WHERE person_id = ${quoted(personId)} AND "$group_${index}" != '' GROUP BY key`,
  );
  const { results } = await select(`${parts.join(" UNION ALL ")} ORDER BY last DESC`, signal);
  return results.map(([index, key, events, lastAt]) => ({
    type: types.find((one) => one.group_type_index === index)?.group_type ?? "",
    index: Number(index),
    key: String(key),
    events: Number(events),
    lastAt: String(lastAt),
  }));
}

/** The groups of a person: companies, teams, and others that their events belong to. */
export function PersonGroups({ groups }: { groups: Loaded<Membership[]> }) {
  return (
    <Load of={groups} skeleton={<Skeleton rows={3} height={40} />}>
      {(found) =>
        found.length === 0 ? (
          <Empty icon="groups" title="This person's events belong to no group">
            <ButtonLink href={href("groups")}>All groups</ButtonLink>
          </Empty>
        ) : (
          <Panel isFlush>
            <ul class="rows">
              {found.map(({ type, index, key, events, lastAt }) => (
                <li key={`${index} ${key}`}>
                  <a class="grow" href={href(`groups/${index}`, { key })}>
                    {key}
                  </a>
                  <span class="caption">
                    <bdi>{type}</bdi> · {counted(events, "event")} · {moment(lastAt)}
                  </span>
                </li>
              ))}
            </ul>
          </Panel>
        )
      }
    </Load>
  );
}
