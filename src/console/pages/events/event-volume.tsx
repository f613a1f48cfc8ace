import { type Answer, ask } from "../../api/ask.ts";
import { useLoad } from "../../api/load.ts";
import { mayAsk } from "../../api/session.ts";
import { Chart } from "../../charts/chart.tsx";
import { Panel } from "../../layout/page-head.tsx";
import { dateRangeOf } from "../../state/bounds.ts";
import type { Filter } from "../../state/filters.ts";
import { intervalOver } from "../../state/intervals.ts";
import { spanOf } from "../../state/period.ts";
import { shiftDay } from "../../state/zoned-days.ts";
import { Load, Skeleton } from "../../ui/states.tsx";

/** The height of the chart, in pixels. */
const HEIGHT = 120;
const LEGEND_HEIGHT = 28;

/** The number of events over time, with the filters of the list. A bar narrows the period to its days. */
export function EventVolume(props: {
  period: string;
  event: string | undefined;
  filters: readonly Filter[];
  onPeriod: (period: string) => void;
}) {
  const { period, event = null, filters, onPeriod } = props;
  const interval = intervalOver("day", spanOf(period));
  const query = {
    ...{ kind: "TrendsQuery" as const, interval, dateRange: dateRangeOf(period) },
    series: [{ kind: "EventsNode" as const, event, math: "total" }],
    properties: [...filters],
  };
  const volume = useLoad(mayAsk() ? JSON.stringify(query) : null, (signal) => ask(query, signal));
  if (!mayAsk()) return null;
  const pick = ({ days = [] }: Answer["results"][number], column: number) => {
    const first = days[column]?.slice(0, 10);
    if (first !== undefined) onPeriod(`${first}..${shiftDay(first, interval === "week" ? 6 : 0)}`);
  };
  return (
    <Panel>
      <Load of={volume} skeleton={<Skeleton height={HEIGHT + LEGEND_HEIGHT} />}>
        {({ results: [line] }) =>
          line && (
            <Chart
              title="Events over time"
              kind="bars"
              columns={line.days ?? []}
              series={[{ label: "Events", data: line.data }]}
              interval={interval}
              height={HEIGHT}
              hasTable
              pickHint="Enter shows the events of an interval"
              onPick={interval === "hour" ? undefined : ({ column }) => pick(line, column)}
            />
          )
        }
      </Load>
    </Panel>
  );
}
