import { number, percent } from "../state/format.ts";

/** The persons who began in one interval, and how many of them came back in each later one. */
export type Cohort = { label: string; values: readonly (number | null)[] };

/** Five depths of colour, by the share of the cohort. */
const depthOf = (share: number) => Math.min(5, 1 + Math.floor(share * 5));

/** Persons who came back: a row for each cohort, a column for each interval after its beginning. */
export function RetentionGrid(props: {
  title: string;
  interval: string;
  cohorts: readonly Cohort[];
  onPick?: ((cohort: number, interval: number) => void) | undefined;
}) {
  const width = Math.max(0, ...props.cohorts.map(({ values }) => values.length));
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */
    <section class="table-frame scroll" tabIndex={0} aria-label={props.title}>
      <table class="retention">
        <thead>
          <tr>
            <th scope="col">Began</th>
            <th scope="col" class="number">
              Persons
            </th>
            {Array.from({ length: width }, (_, at) => (
              <th scope="col" key={at}>
                {props.interval} {at}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.cohorts.map(({ label, values }, row) => (
            <tr key={row}>
              <th scope="row">{label}</th>
              <td class="number">{number(values[0])}</td>
              {Array.from({ length: width }, (_, at) => (
                <Cell
                  key={at}
                  value={values[at] ?? null}
                  of={values[0] ?? 0}
                  onPick={props.onPick && (() => props.onPick?.(row, at))}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell(props: { value: number | null; of: number; onPick: (() => void) | undefined }) {
  const { value, of, onPick } = props;
  if (value === null) return <td />;
  const share = of === 0 ? 0 : value / of;
  const text = of === 0 ? "–" : percent(Math.round(share * 100) / 100);
  return (
    <td class={`cell depth-${depthOf(share)}`} title={`${number(value)} of ${number(of)}`}>
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
