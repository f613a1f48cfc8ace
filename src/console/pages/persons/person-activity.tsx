import { api, type Schemas } from "../../api/client.ts";
import type { Loaded } from "../../api/load.ts";
import { Panel } from "../../layout/page-head.tsx";
import { moment, valueText } from "../../state/format.ts";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";

type Activity = Schemas["Activity"];

/** Reads the changes of a person by users, the newest first. */
export async function readActivity(id: string, signal: AbortSignal): Promise<Activity[]> {
  const { results } = await api.get("persons/{id}/activity/", {
    path: { id },
    header: { Prefer: "return=representation" },
    signal,
  });
  return results;
}

/** Changes of a person by users, the newest first. */
export function PersonActivity({ activity }: { activity: Loaded<Activity[]> }) {
  return (
    <Load of={activity} skeleton={<Skeleton rows={4} height={40} />}>
      {(results) =>
        results.length === 0 ? (
          <Empty icon="tasks" title="No user has changed this person" />
        ) : (
          <Panel isFlush>
            <ul class="rows">
              {results.map((one) => (
                <Entry key={one.id} entry={one} />
              ))}
            </ul>
          </Panel>
        )
      }
    </Load>
  );
}

function Entry({ entry }: { entry: Activity }) {
  const by = entry.user.is_system ? "Hoglet" : (entry.user.email ?? entry.user.first_name);
  return (
    <li>
      <div class="grow">
        <b>{entry.activity.replaceAll("_", " ")}</b>
        {entry.detail.changes.map(({ field, before, after }) => (
          <p class="caption" key={field}>
            {field}: {valueText(before ?? null)} → {valueText(after ?? null)}
          </p>
        ))}
      </div>
      <span class="caption">
        {by}, {moment(entry.created_at)}
      </span>
    </li>
  );
}
