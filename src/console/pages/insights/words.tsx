import { useEffect, useRef, useState } from "preact/hooks";
import { type Query, type Reading, readQuestion } from "../../api/ask.ts";
import { isAbort } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { Button } from "../../ui/button.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { missingIn } from "./query-state.ts";

/** How long a pause in typing lasts until the words are read, in milliseconds. */
const PAUSE_MS = 300;

type WordsState = {
  words: string;
  /** The last reading of typed words; undefined after a change of the builder. */
  reading: Reading | undefined;
  problem: Problem | undefined;
  type(words: string): void;
};

/**
 * Keeps words and query in step: typed words become the query after a pause, and any other change of the
 * query becomes words. Words that are not understood leave the query as it is.
 */
function useWords({ query, first, onQuery }: WordsProps): WordsState {
  const [words, setWords] = useState("");
  const [typed, setTyped] = useState<string>();
  const [reading, setReading] = useState<Reading>();
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
    setReading(undefined);
    setTyped(undefined);
    const built: Query = JSON.parse(key);
    // A query that is not whole yet cannot be said in words.
    if (missingIn(built)) return setWords("");
    readQuestion({ query: built }, leave.signal)
      .then(({ sentence }) => isTyping.current || setWords(sentence ?? ""))
      .catch((error: unknown) => isAbort(error) || isTyping.current || setWords(""));
    return () => leave.abort();
  }, [key]);

  useEffect(() => {
    if (typed === undefined || typed.trim() === "") return;
    const leave = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const found = await readQuestion({ words: typed }, leave.signal);
        setReading(found);
        setProblem(undefined);
        if (found.query === null) return;
        fromWords.current = JSON.stringify(found.query);
        latest.current(found.query, typed);
      } catch (error) {
        if (!isAbort(error)) setProblem(asProblem(error));
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [typed]);

  const type = (text: string) => {
    isTyping.current = true;
    setWords(text);
    setTyped(text);
  };
  useEffect(() => {
    if (first !== undefined) type(first);
  }, [first]);
  return { words, reading, problem, type };
}

type WordsProps = {
  query: Query;
  /** Words that were typed elsewhere, to be read at once. */
  first: string | undefined;
  /** Called with another query, and with the words that were typed for it. */
  onQuery: (query: Query, words?: string) => void;
};

/** The question as a sentence. Words that are not understood are underlined, with questions that work. */
export function Words(props: WordsProps) {
  const { onQuery } = props;
  const { words, reading, problem, type } = useWords(props);
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
          placeholder="Ask, such as: visitors by country last 30 days"
          value={words}
          onInput={(event) => type(event.currentTarget.value)}
          onScroll={(event) => setScrolled(event.currentTarget.scrollLeft)}
        />
      </div>
      <div class="words-note" aria-live="polite">
        {reading && reading.query === null && (
          <>
            <span class="caption bad">{notUnderstood(words, unknown)}</span>
            {reading.suggestions.map((one) => (
              <Button key={one} kind="quiet" onClick={() => type(one)}>
                {one}
              </Button>
            ))}
          </>
        )}
        {reading?.query && others.length > 0 && (
          <>
            <span class="caption">Or did you mean</span>
            {others.map(({ sentence, query: other }) => (
              <Button key={sentence} kind="quiet" onClick={() => onQuery(other as Query)}>
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
  return parts.length === 0
    ? "This is no whole question yet. Try"
    : `Not understood: ${parts.join(", ")}. Try`;
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
