import { bucket, number } from "../state/format.ts";
import type { NumberTable } from "./series.ts";

/** Numbers as a table, in a box that scrolls. */
export function DataTable({ title, table: { head, rows } }: { title: string; table: NumberTable }) {
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
                  {typeof cell === "string" ? cell : number(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
