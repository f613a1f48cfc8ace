import type { IconName } from "../../ui/icon.tsx";

/** Something that the bar leads to or does. */
export type Row = {
  key: string;
  icon: IconName;
  title: string;
  /** Its kind, such as "Dashboard", or a detail. */
  note: string;
} & ({ href: string } | { run: () => void });

/** How well a title fits to a text: the whole of it, its beginning, the beginning of a word, a part, or not at all. */
function distance(title: string, text: string): number {
  const [name, part] = [title.toLowerCase(), text.toLowerCase()];
  if (name === part) return 0;
  if (name.startsWith(part)) return 1;
  if (name.includes(` ${part}`)) return 2;
  return name.includes(part) ? 3 : 4;
}

/** The rows whose title has a text in it. */
export const withText = (rows: readonly Row[], text: string): Row[] =>
  rows.filter(({ title }) => distance(title, text) < 4);

/** The rows in the order in which they fit to a text; among equals the first stays first. */
export const sortedFor = (text: string, rows: readonly Row[]): Row[] =>
  text === ""
    ? [...rows]
    : rows.toSorted((one, other) => distance(one.title, text) - distance(other.title, text));
