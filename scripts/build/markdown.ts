/** A page of parts with an empty line between them. */
export const pageOf = (...parts: readonly string[]): string => `${parts.join("\n\n")}\n`;

/** A table in Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replace(/ +\|/g, " |");
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}

/** A text as code; nothing of an empty one. */
export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

/** Names as code, with commas. */
export const listed = (names: readonly string[]): string => names.map(code).join(", ");
