import { bucket, decimalsOf, withUnit } from "../state/format.ts";
import type { NumberTable } from "./series.ts";
import { SmallMark } from "./small-mark.tsx";

/** Numbers as a table, in a box that scrolls. */
export function DataTable({ title, table }: { title: string; table: NumberTable }) {
  const { head, rows, unitAt, isSmallAt } = table;
  const decimals = head.map((_, at) => decimalsOf(rows.map((row) => row[at])));
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */
    <section class="table-frame scroll" tabIndex={0} aria-label={title}>
      <table class="table">
        <thead>
          <tr>
            {head.map((name, at) => (
              <th scope="col" class={at === 0 ? undefined : "number"} key={at}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], line) => (
            <tr key={line}>
              <th scope="row">{bucket(String(name))}</th>
              {cells.map((cell, at) => (
                <td class="number" key={at}>
                  {isSmallAt?.(line, at + 1) && <SmallMark />}
                  {typeof cell === "string"
                    ? cell
                    : withUnit(cell, unitAt?.(line, at + 1), decimals[at + 1])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
