import { bucket, number } from "../state/format.ts";
import type { Series } from "./series.ts";

/** The numbers of a chart as a table: a row for each interval, a column for each line. */
export function DataTable(props: {
  title: string;
  columns: readonly string[];
  series: readonly Series[];
}) {
  const { title, columns, series } = props;
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */
    <section class="table-frame scroll" tabIndex={0} aria-label={title}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ label, isBefore }) => (
              <th scope="col" class="number" key={`${label}${isBefore}`}>
                {isBefore ? `${label}, before` : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map((column, at) => (
            <tr key={column}>
              <th scope="row">{bucket(column)}</th>
              {series.map(({ label, data, isBefore }) => (
                <td class="number" key={`${label}${isBefore}`}>
                  {number(data[at])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
