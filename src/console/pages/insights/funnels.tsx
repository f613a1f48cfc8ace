import { FunnelSteps } from "../../charts/funnel-steps.tsx";
import { NumberTile } from "../../charts/number-tile.tsx";
import { eventTitle } from "../../state/format.ts";
import { Empty } from "../../ui/states.tsx";
import { funnelViz, nameOf } from "./answer-table.ts";
import { stepPick } from "./picks.ts";
import { NoData, OverTime, type PartProps, Plotted } from "./plotted.tsx";

/** A funnel: its steps, its conversion over time, or the times that persons took. */
export function Funnels(props: PartProps) {
  const viz = funnelViz(props.answer.query);
  if (viz === "trends") return <OverTime {...props} />;
  return viz === "time_to_convert" ? <Times {...props} /> : <Steps {...props} />;
}

function Steps({ answer, title, onPick }: PartProps) {
  const { results, columns } = answer;
  if (!results.some(({ data }) => data[0])) return <NoData />;
  const lines = results.map((line) => ({
    label: line.breakdown_value === null ? "" : nameOf(line, true),
    counts: columns.map((_, step) => line.data[step] ?? 0),
    medians: line.median_conversion_times ?? [],
  }));
  const pick = (at: number, step: number) => {
    const line = results[at];
    if (line) onPick?.(stepPick(answer, line, step));
  };
  return (
    <FunnelSteps
      title={title}
      steps={columns.map(eventTitle)}
      lines={lines}
      onPick={onPick && pick}
    />
  );
}

/** The height of the chart below a number in a tile, in pixels. */
const TILE_HEIGHT = 160;

/** How many persons took how long, below their average or their median. */
function Times(props: PartProps) {
  const { results, query, columns } = props.answer;
  if (columns.length === 0) return <Empty icon="insights" title="No one has converted" />;
  const isMedian = query.funnelsFilter?.["timeToConvertAggregation"] === "median";
  const measure = isMedian ? "Median time" : "Average time";
  return (
    <div class="stack">
      <div class="number-row">
        {results.map((line, at) => (
          <NumberTile
            key={at}
            label={line.breakdown_value === null ? measure : `${measure}: ${nameOf(line, true)}`}
            value={line.aggregated_value}
            unit="seconds"
          />
        ))}
      </div>
      <Plotted {...props} kind="bars" height={props.height ?? TILE_HEIGHT} onPick={undefined} />
    </div>
  );
}
