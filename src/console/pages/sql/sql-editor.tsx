import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { announce } from "../../ui/live-region.tsx";
import { type Candidate, candidatesOf, matching, wordBefore, written } from "./completion.ts";
import { highlighted } from "./highlight.tsx";

type EditorProps = {
  sql: string;
  onInput: (sql: string) => void;
  schema: Schemas["SqlSchema"] | undefined;
  /** A word that the last answer complained about. */
  wrong: string | undefined;
};

/** The word being completed, and which of its candidates is chosen. */
type Completed = { word: string; chosen: number };

/** The candidates for a word being completed: there are some once the schema has come, which may be later. */
function offerOf(candidates: readonly Candidate[], completed: Completed | undefined) {
  if (completed === undefined) return undefined;
  const found = matching(candidates, completed.word);
  return found.length > 0 ? { ...completed, candidates: found } : undefined;
}

type Offer = NonNullable<ReturnType<typeof offerOf>>;

/** A field for a statement, coloured, with completion: arrows choose, Tab or Enter takes, Escape closes. */
export function SqlEditor({ sql, onInput, schema, wrong }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const paint = useRef<HTMLPreElement>(null);
  const [completed, setCompleted] = useState<Completed>();
  const id = useId();
  const candidates = useMemo(() => (schema ? candidatesOf(schema) : []), [schema]);
  const offer = offerOf(candidates, completed);
  const vocabulary = useMemo(
    () => ({
      words: new Set(schema?.words.map((word) => word.toLowerCase())),
      functions: new Set(schema?.functions.map((name) => name.toLowerCase())),
    }),
    [schema],
  );
  const complete = (text: string, place: number, isAsked: boolean) => {
    const word = wordBefore(text, place);
    const isEnough = word !== undefined && (isAsked || word.length >= 2);
    setCompleted(isEnough ? { word, chosen: 0 } : undefined);
  };
  const take = (candidate: Candidate) => {
    const element = field.current;
    if (element === null || offer === undefined) return;
    const place = element.selectionStart;
    const start = place - offer.word.length;
    element.setRangeText(written(candidate), start, place, "end");
    onInput(element.value);
    setCompleted(undefined);
    element.focus();
  };
  const choose = (by: number) => {
    if (offer === undefined) return;
    const length = offer.candidates.length;
    const chosen = (offer.chosen + by + length) % length;
    setCompleted({ word: offer.word, chosen });
    announce(offer.candidates[chosen]?.text ?? "");
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      return complete(sql, field.current?.selectionStart ?? 0, true);
    }
    const chosen = offer?.candidates[offer.chosen];
    if (chosen === undefined || event.ctrlKey || event.metaKey) return;
    const does: Record<string, () => void> = {
      ArrowDown: () => choose(1),
      ArrowUp: () => choose(-1),
      Tab: () => take(chosen),
      Enter: () => take(chosen),
      Escape: () => setCompleted(undefined),
    };
    if (!Object.hasOwn(does, event.key)) return;
    event.preventDefault();
    does[event.key]?.();
  };
  return (
    <div class="sql-editor">
      <div class="sql-paper">
        <pre ref={paint} aria-hidden="true">
          {highlighted(sql, vocabulary, wrong)}
          {"\n"}
        </pre>
        <textarea
          ref={field}
          aria-label="SQL"
          aria-autocomplete="list"
          aria-controls={offer && `${id}-offer`}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          rows={8}
          value={sql}
          onInput={(event) => {
            const { value, selectionStart } = event.currentTarget;
            onInput(value);
            complete(value, selectionStart, false);
          }}
          onKeyDown={press}
          onBlur={() => setCompleted(undefined)}
          onScroll={(event) => {
            if (paint.current) paint.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      {offer && <Offered id={`${id}-offer`} offer={offer} onTake={take} />}
    </div>
  );
}

function Offered(props: { id: string; offer: Offer; onTake: (candidate: Candidate) => void }) {
  const { candidates, chosen } = props.offer;
  return (
    <div class="offer" role="listbox" id={props.id} aria-label="Completions">
      {candidates.map((candidate, at) => (
        <div
          key={`${candidate.kind}${candidate.text}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          // The field keeps the focus: the list closes when it is lost.
          onPointerDown={(event) => {
            event.preventDefault();
            props.onTake(candidate);
          }}
        >
          <code>{candidate.text}</code>
          <span class="caption">{candidate.kind}</span>
        </div>
      ))}
    </div>
  );
}
