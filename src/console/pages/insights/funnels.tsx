import { FunnelSteps } from "../../charts/funnel-steps.tsx";
import { NumberTile } from "../../charts/number-tile.tsx";
import { eventTitle } from "../../state/format.ts";
import { Empty } from "../../ui/states.tsx";
import { funnelViz, nameOf } from "./answer-table.ts";
import { stepPick } from "./picks.ts";
import { OverTime, type PartProps, Plotted } from "./plotted.tsx";

/** A funnel: its steps, its conversion over time, or the times that persons took. */
export function Funnels(props: PartProps) {
  const viz = funnelViz(props.answer.query);
  if (viz === "trends") return <OverTime {...props} />;
  return viz === "time_to_convert" ? <Times {...props} /> : <Steps {...props} />;
}

function Steps({ answer, title, onPick }: PartProps) {
  return (
    <div class="stack">
      {answer.results.map((line, at) => (
        <div key={at}>
          {line.breakdown_value !== null && <h3>{nameOf(line, true)}</h3>}
          <FunnelSteps
            title={title}
            steps={answer.columns.map((label, step) => ({
              label: eventTitle(label),
              count: line.data[step] ?? 0,
              seconds: line.average_conversion_times?.[step] ?? null,
            }))}
            onPick={onPick && ((step) => onPick(stepPick(answer, line, step)))}
          />
        </div>
      ))}
    </div>
  );
}

/** The height of the chart below a number in a tile, in pixels. */
const TILE_HEIGHT = 160;

/** How many persons took how long, below their average or their median. */
function Times(props: PartProps) {
  const { results, query, columns } = props.answer;
  if (columns.length === 0) return <Empty icon="insights" title="No person has converted" />;
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
