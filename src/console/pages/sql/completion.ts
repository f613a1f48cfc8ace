import type { components } from "../../api/types.ts";

/** A word that can be completed, with what it is. */
export type Candidate = { text: string; kind: "column" | "table" | "function" | "word" };

/** Candidates that are offered at most. */
export const OFFERED_MAX = 8;

/** All words of the schema, columns first: of equal beginnings the earlier is offered first. */
export function candidatesOf(schema: components["schemas"]["SqlSchema"]): Candidate[] {
  const columns = new Set(schema.tables.flatMap((table) => table.columns.map(({ name }) => name)));
  return [
    ...[...columns].map((text): Candidate => ({ text, kind: "column" })),
    ...schema.tables.map(({ name }): Candidate => ({ text: name, kind: "table" })),
    ...schema.words.map((text): Candidate => ({ text, kind: "word" })),
    ...schema.functions.map((text): Candidate => ({ text, kind: "function" })),
  ];
}

/** The word before a place in a statement; undefined where none is being typed, as in a text or a comment. */
export function wordBefore(sql: string, place: number): string | undefined {
  const before = sql.slice(0, place);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const isText = (line.replaceAll("''", "").match(/'/g)?.length ?? 0) % 2 === 1;
  if (isText || line.includes("--")) return undefined;
  return /[A-Za-z_$][\w$]*$/.exec(before)?.[0];
}

/** The candidates that begin with a word, in any case; none if the word is already whole. */
export function matching(candidates: readonly Candidate[], word: string): Candidate[] {
  const wanted = word.toLowerCase();
  const found = candidates.filter(({ text }) => text.toLowerCase().startsWith(wanted));
  const isWhole = found.some(({ text }) => text.toLowerCase() === wanted);
  return isWhole ? [] : found.slice(0, OFFERED_MAX);
}

/** A candidate as it stands in a statement: names with other characters in quotes, functions with a bracket. */
export function written({ text, kind }: Candidate): string {
  if (kind === "function") return `${text}(`;
  return kind === "column" && !/^[A-Za-z_]\w*$/.test(text) ? `"${text}"` : text;
}
