import { useEffect, useRef, useState } from "preact/hooks";
import { type Reading, readQuestion } from "../../api/ask.ts";
import { isAbort } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import type { Query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { isList, isSql } from "./answer-table.ts";
import { missingIn } from "./query-state.ts";

/** How long a pause in typing lasts until the words are read, in milliseconds. */
const PAUSE_MS = 300;

/** The question in words, and how its words were read. */
export type WordsState = {
  words: string;
  /** The last reading of typed words; undefined after a change of the builder. */
  reading: Reading | undefined;
  /** Whether the words are typed, and not those of the query. */
  isTyped: boolean;
  /** Whether the words say another question than the query, or none that is understood. */
  isAhead: boolean;
  /** Whether the words that were typed elsewhere are still to be read. */
  isFirstAwaited: boolean;
  problem: Problem | undefined;
  type(words: string): void;
  /** Reads words at once, and makes their question a step of the history. */
  run(words: string): void;
};

/** Words that were typed or chosen. Words that are run make a step of the history. */
type Typed = { text: string; isRun: boolean };

/**
 * Keeps words and query in step: typed words become the query after a pause, and any other change of the
 * query becomes words. Words that are not understood leave the query as it is, and stay ahead of it.
 */
export function useWords({ query, first, name, onQuery }: WordsProps): WordsState {
  const [words, setWords] = useState("");
  const [typed, setTyped] = useState<Typed>();
  const [read, setRead] = useState<{ text: string; reading: Reading }>();
  const [problem, setProblem] = useState<Problem>();
  const key = JSON.stringify(query);
  const fromWords = useRef("");
  const isTyping = useRef(false);
  const latest = useRef(onQuery);
  latest.current = onQuery;

  useEffect(() => {
    if (fromWords.current === key) return;
    const leave = new AbortController();
    isTyping.current = false;
    fromWords.current = "";
    setRead(undefined);
    setProblem(undefined);
    setTyped(undefined);
    const built: Query = JSON.parse(key);
    if (isWords(built)) return setWords(built.query ?? "");
    // SQL and lists have no sentence, nor has a query that is not whole yet.
    if (isSql(built) || isList(built) || missingIn(built)) return setWords("");
    wordsFor(built, name, leave.signal)
      .then((found) => isTyping.current || setWords(found))
      .catch((error: unknown) => isAbort(error) || isTyping.current || setWords(""));
    return () => leave.abort();
  }, [key]);

  useEffect(() => {
    if (typed === undefined) return;
    const { text, isRun } = typed;
    if (text.trim() === "") return setRead(undefined);
    const leave = new AbortController();
    const timer = setTimeout(
      async () => {
        try {
          const found = await readQuestion({ words: text }, leave.signal);
          setRead({ text, reading: found });
          setProblem(undefined);
          if (found.query === null) return;
          fromWords.current = JSON.stringify(found.query);
          latest.current(found.query, { words: text, isRun });
        } catch (error) {
          if (!isAbort(error)) setProblem(asProblem(error));
        }
      },
      isRun || text === first ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [typed]);

  const put = (text: string, isRun: boolean) => {
    isTyping.current = true;
    setWords(text);
    setTyped({ text, isRun });
  };
  useEffect(() => {
    if (first !== undefined) put(first, false);
  }, [first]);
  const isUnderstood = read?.text === typed?.text && read?.reading.query !== null;
  return {
    words,
    reading: read?.reading,
    isTyped: typed !== undefined,
    isAhead: typed !== undefined && !isUnderstood,
    isFirstAwaited: !(!first?.trim() || read || problem) && (typed?.text ?? first) === first,
    problem,
    type: (text) => put(text, false),
    // The sentence of a built query is no other question.
    run: (text) => (typed !== undefined || text !== words) && put(text, true),
  };
}

/** The words of a query: the name that it has, if it asks for it, else its sentence. */
async function wordsFor(query: Query, name: string | undefined, signal: AbortSignal) {
  if (name) {
    const read = await readQuestion({ words: name }, signal).catch(() => undefined);
    if (read?.query && JSON.stringify(read.query) === JSON.stringify(query)) return name;
  }
  return (await readQuestion({ query }, signal)).sentence ?? "";
}

/** Whether a query has the words of a question, as old insights have it; the answer has their query. */
export const isWords = ({ kind }: Query): boolean => kind === "WordsQuery";

/** How a query came about: from which words, and whether it is a step of the history. */
export type Asked = { words?: string; isRun: boolean };

type WordsProps = {
  query: Query;
  /** Words that were typed elsewhere, to be read at once. */
  first: string | undefined;
  /** The name under which this query is saved. */
  name: string | undefined;
  /** Called with another query. */
  onQuery: (query: Query, asked: Asked) => void;
};

/** The question as a sentence. Words that are not understood are underlined, with questions that work. */
export function Words(props: {
  of: WordsState;
  /** The sentence of the answer, for a query that words cannot ask. */
  said: string;
  onQuery: WordsProps["onQuery"];
}) {
  const { onQuery } = props;
  const { reading, problem, isTyped, type, run } = props.of;
  const words = isTyped ? props.of.words : props.of.words || props.said;
  const [scrolled, setScrolled] = useState(0);
  const unknown = reading?.unknown ?? [];
  const others = reading?.readings.slice(1) ?? [];
  return (
    <section class="words" aria-label="Question in words">
      <div class="words-field">
        <div class="words-marks" aria-hidden="true">
          <span style={{ marginLeft: `${-scrolled}px` }}>{marked(words, unknown)}</span>
        </div>
        <input
          type="text"
          aria-label="Question"
          autocomplete="off"
          spellcheck={false}
          placeholder="Ask a question, e.g. visitors by country last 30 days"
          value={words}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && !event.isComposing && run(props.of.words)}
          onScroll={(event) => setScrolled(event.currentTarget.scrollLeft)}
        />
      </div>
      <div class="words-note" aria-live="polite">
        {reading && reading.query === null && (
          <>
            <span class="caption bad">{notUnderstood(words, unknown)}</span>
            {reading.suggestions.map((one) => (
              <Button key={one} kind="quiet" onClick={() => run(one)}>
                {one}
              </Button>
            ))}
          </>
        )}
        {reading?.query && others.length > 0 && (
          <>
            <span class="caption">Or did you mean</span>
            {others.map(({ sentence, query: other }) => (
              <Button
                key={sentence}
                kind="quiet"
                onClick={() => onQuery(other as Query, { isRun: true })}
              >
                {sentence}
              </Button>
            ))}
          </>
        )}
      </div>
      {problem && <ProblemNote problem={problem} />}
    </section>
  );
}

type Place = { start: number; end: number };

function notUnderstood(words: string, unknown: readonly Place[]): string {
  const parts = unknown.map(({ start, end }) => `“${words.slice(start, end)}”`);
  return parts.length === 0 ? "Keep typing, or try:" : `Not understood: ${parts.join(", ")}. Try`;
}

/** The text with its unknown words as marks. */
function marked(words: string, unknown: readonly Place[]) {
  const parts: (string | preact.JSX.Element)[] = [];
  let at = 0;
  for (const { start, end } of unknown) {
    parts.push(words.slice(at, start), <mark key={start}>{words.slice(start, end)}</mark>);
    at = end;
  }
  return [...parts, words.slice(at)];
}
