import { askForTile } from "../../api/ask.ts";
import { usePolled } from "../../api/load.ts";
import { href } from "../../state/address.ts";
import { number } from "../../state/format.ts";

/** How long ago a person may have sent the last event, and how often the page asks, in milliseconds. */
const ONLINE_MS = 5 * 60_000;
const EVERY_MS = 60_000;

/** The people with an event of the last five minutes, as a way to the live events. */
export function Online() {
  const { data } = usePolled("online", EVERY_MS, (signal) => {
    const since = new Date(Date.now() - ONLINE_MS).toISOString();
    const query = {
      // Without it, the whole day of that time would count.
      ...{ kind: "TrendsQuery", dateRange: { date_from: since, explicitDate: true } },
      ...{ series: [{ event: null, math: "dau" }], trendsFilter: { display: "BoldNumber" } },
    };
    return askForTile(query, signal, {});
  });
  const count = data?.results[0]?.aggregated_value;
  return (
    <a
      class={data ? "online" : "online invisible"}
      href={href("events", { live: "1" })}
      title="People with an event in the last 5 minutes"
    >
      <span class={count ? "dot good" : "dot"} />
      {number(count)} online
    </a>
  );
}
