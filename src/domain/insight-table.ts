/** A line of numbers, one for each of some columns. */
type Line = {
  label: string;
  breakdown_value: string | null;
  data: readonly (number | null)[];
  aggregated_value: number | null;
};

/** Characters of the longest bar. */
const BAR_CHARS = 40;

/** Characters of a heading. */
const HEADING_CHARS_MAX = 200;

const CONTROLS = /\p{C}/gu;

/**
 * Lines of numbers as text: of each a heading, and a row per column with its number and a bar. The
 * longest bar of all is of the greatest number; negative numbers have none.
 */
export function insightTable(
  name: string,
  columns: readonly string[],
  lines: readonly Line[],
): string {
  const numbers = lines.flatMap(({ data }) => data.filter((value) => value !== null));
  const greatest = numbers.reduce((most, value) => Math.max(most, value), 0);
  const width = [...numbers, ...lines.map((line) => line.aggregated_value)].reduce<number>(
    (most, value) => Math.max(most, shown(value).length),
    1,
  );
  const row = (column: string, value: number | null) => {
    const bar = bars(value ?? 0, greatest);
    return `${column}  ${shown(value).padStart(width)}${bar === "" ? "" : `  ${bar}`}\n`;
  };
  const [first = ""] = columns;
  const tables = lines.map(({ label, breakdown_value, data, aggregated_value }) => {
    const heading = breakdown_value === null ? label : `${label}: ${breakdown_value}`;
    const rows = columns.map((column, at) => row(column, data[at] ?? null));
    const whole = `${"all".padEnd(first.length)}  ${shown(aggregated_value).padStart(width)}\n`;
    return `\n${plain(heading)}\n${rows.join("")}${whole}`;
  });
  return `${plain(name)}\n${tables.join("") || "\nNothing was found.\n"}`;
}

/** Without line ends and whatever else moves a terminal's cursor. */
function plain(text: string): string {
  return [...text.replace(CONTROLS, " ")].slice(0, HEADING_CHARS_MAX).join("");
}

function shown(value: number | null): string {
  if (value === null) return "-";
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

function bars(value: number, greatest: number): string {
  if (!(value > 0)) return "";
  return "█".repeat(Math.max(1, Math.round((value / greatest) * BAR_CHARS)));
}
