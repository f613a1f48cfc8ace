import type { ComponentChildren } from "preact";

/** The words by which a statement is coloured, in lower case. */
export type Vocabulary = { words: ReadonlySet<string>; functions: ReadonlySet<string> };

const TOKEN =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$))|(\b\d+(?:\.\d+)?\b)|([A-Za-z_$][\w$]*)/g;

/** Longest statement that is coloured. */
const COLOURED_CHARS_MAX = 20_000;

/** A statement as elements, coloured by kind; `wrong` is underlined wherever it stands as a word. */
export function highlighted(
  sql: string,
  { words, functions }: Vocabulary,
  wrong: string | undefined,
): ComponentChildren {
  if (sql.length > COLOURED_CHARS_MAX) return sql;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of sql.matchAll(TOKEN)) {
    const [text, comment, string, name, number, word] = match;
    parts.push(sql.slice(at, match.index));
    at = match.index + text.length;
    const lower = word?.toLowerCase() ?? "";
    const kinds = [
      comment && "code-comment",
      string && "code-string",
      number && "code-value",
      words.has(lower) && "code-word",
      functions.has(lower) && sql[at] === "(" && "code-name",
      wrong !== undefined && (word ?? name?.slice(1, -1)) === wrong && "code-wrong",
    ].filter(Boolean);
    parts.push(
      kinds.length === 0 ? (
        text
      ) : (
        <span key={match.index} class={kinds.join(" ")}>
          {text}
        </span>
      ),
    );
  }
  return [...parts, sql.slice(at)];
}
