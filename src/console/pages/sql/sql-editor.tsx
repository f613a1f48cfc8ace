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

type Offer = { candidates: Candidate[]; chosen: number; word: string };

/** A field for a statement, coloured, with completion: arrows choose, Tab or Enter takes, Escape closes. */
export function SqlEditor({ sql, onInput, schema, wrong }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const paint = useRef<HTMLPreElement>(null);
  const [offer, setOffer] = useState<Offer>();
  const id = useId();
  const candidates = useMemo(() => (schema ? candidatesOf(schema) : []), [schema]);
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
    const found = isEnough ? matching(candidates, word) : [];
    setOffer(found.length > 0 ? { candidates: found, chosen: 0, word: word ?? "" } : undefined);
  };
  const take = (candidate: Candidate) => {
    const element = field.current;
    if (element === null || offer === undefined) return;
    const place = element.selectionStart;
    const start = place - offer.word.length;
    element.setRangeText(written(candidate), start, place, "end");
    onInput(element.value);
    setOffer(undefined);
    element.focus();
  };
  const choose = (by: number) => {
    if (offer === undefined) return;
    const length = offer.candidates.length;
    const chosen = (offer.chosen + by + length) % length;
    setOffer({ ...offer, chosen });
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
      Escape: () => setOffer(undefined),
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
          onBlur={() => setOffer(undefined)}
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
