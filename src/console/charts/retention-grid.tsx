import { number, percent } from "../state/format.ts";
import { averageOf, type Cohort, cellsOf } from "./cohorts.ts";

/** People who came back: a row for each cohort, a column for each interval after its beginning. */
export function RetentionGrid(props: {
  title: string;
  interval: string;
  cohorts: readonly Cohort[];
  /** Whether the interval of a cell has not ended. */
  isRunning: (cohort: number, at: number) => boolean;
  onPick?: ((cohort: number, at: number) => void) | undefined;
}) {
  const { cohorts, interval, isRunning, onPick } = props;
  const width = Math.max(0, ...cohorts.map(({ values }) => values.length));
  const places = Array.from({ length: width }, (_, at) => at);
  // All of a cohort are there at its beginning, so that this column would outshine the others.
  const later = places.slice(1).flatMap((at) => cellsOf(cohorts, at));
  const most = Math.max(0, ...later.map(({ value, of }) => value / of)) || 1;
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */
    <section class="table-frame scroll" tabIndex={0} aria-label={props.title}>
      <table class="retention">
        <thead>
          <tr>
            <th scope="col">Cohort</th>
            <th scope="col" class="number">
              People
            </th>
            {places.map((at) => (
              <th scope="col" key={at}>
                {interval} {at}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="average">
            <th
              scope="row"
              title="Everybody who came back by everybody who could, over finished intervals"
            >
              Average
            </th>
            <td class="number" />
            {places.map((at) => {
              const average = averageOf(cohorts, at, isRunning);
              return (
                <td key={at} title={average && ofText(average)}>
                  {average ? shareText(average) : ""}
                </td>
              );
            })}
          </tr>
          {cohorts.map(({ label, values }, row) => (
            <tr key={row}>
              <th scope="row">{label}</th>
              <td class="number">{number(values[0])}</td>
              {places.map((at) => (
                <Share
                  key={at}
                  value={values[at] ?? null}
                  of={values[0] ?? 0}
                  most={at === 0 ? undefined : most}
                  isRunning={isRunning(row, at)}
                  onPick={onPick && (() => onPick(row, at))}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Part = { value: number; of: number };

const ofText = ({ value, of }: Part) => `${number(value)} of ${number(of)}`;

const shareText = ({ value, of }: Part) => (of === 0 ? "–" : percent(value / of));

function Share(props: {
  value: number | null;
  of: number;
  /** The greatest share of all; undefined for a cell without a colour. */
  most: number | undefined;
  isRunning: boolean;
  onPick: (() => void) | undefined;
}) {
  const { value, of, most, isRunning, onPick } = props;
  if (value === null) return <td />;
  const text = shareText({ value, of });
  const depth = most === undefined || of === 0 ? 0 : value / of / most;
  const title = `${ofText({ value, of })}${isRunning ? " so far" : ""}`;
  return (
    <td class={isRunning ? "cell running" : "cell"} style={{ "--depth": depth }} title={title}>
      {onPick ? (
        <button type="button" onClick={onPick}>
          {text}
        </button>
      ) : (
        text
      )}
    </td>
  );
}
