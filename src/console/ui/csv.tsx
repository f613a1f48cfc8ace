import { valueText } from "../state/format.ts";
import { Button } from "./button.tsx";

type Cell = string | number | boolean | null | object;

/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: Cell): string {
  if (value === null) return "";
  // Sums of fractions have a rest of the calculation in their last digits.
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  const text = valueText(isFraction ? Number(value.toPrecision(12)) : value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Has the browser save a text as a file. */
export function saveFile(name: string, type: string, content: string | Blob): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** Saves rows as a CSV file, whose name leaves out what systems forbid in names. */
export function CsvButton({ name, rows }: { name: string; rows: readonly (readonly Cell[])[] }) {
  return (
    <Button
      icon="download"
      onClick={() =>
        saveFile(`${name.replace(/[\\/:*?"<>|]+/g, " ")}.csv`, "text/csv", csvOf(rows))
      }
    >
      CSV
    </Button>
  );
}
