import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useLoad } from "../../api/load.ts";
import { mayAsk } from "../../api/session.ts";
import { href } from "../../state/address.ts";
import { CONSOLE } from "../../state/base.ts";
import { project } from "../../state/project.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useInlineAnswer } from "./answer.ts";
import { find } from "./find.ts";
import { ownRows } from "./own-rows.ts";
import { type Row, sortedFor, withText } from "./row.ts";

/** How long the reader may pause while typing before the server is asked, in milliseconds. */
const TYPING_MS = 150;

/** Characters from which on the server is asked. */
const CHARS_MIN = 2;

/** The text once the reader pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The rows for a text, and whether more of them may come. */
function useRows(text: string, onHelp: () => void) {
  const settled = useSettled(text);
  const isAsked = settled.length >= CHARS_MIN;
  const found = useLoad(isAsked ? `find ${project.value?.id} ${settled}` : null, (signal) =>
    find(settled, signal),
  );
  const answer = useInlineAnswer(isAsked && mayAsk() ? settled : "");
  const own = withText(ownRows(onHelp), text);
  const question: Row = {
    key: "ask",
    icon: "insights",
    title: `Ask: ${text}`,
    note: answer ?? "Question",
    href: href("insights/new", { ask: text }),
  };
  const { data } = found;
  const isDone = data?.text === text || (found.problem !== undefined && settled === text);
  const missing = found.problem ? "The server" : data?.missing.join(", ");
  const problem = found.problem ?? data?.problem;
  const isLong = text.length >= CHARS_MIN;
  return {
    rows: [
      ...sortedFor(text, [...(isLong ? (data?.rows ?? []) : []), ...own]),
      ...(text !== "" && mayAsk() ? [question] : []),
    ],
    isWaiting: isLong && !isDone,
    problem: isLong && problem ? `Not searched: ${missing}. ${problem.message}` : undefined,
  };
}

/** The bar that opens anything by a part of its name, runs commands, and asks questions in words. */
export function Bar({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { route } = useLocation();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string>();
  const [eager, setEager] = useState<"here" | "new tab">();
  const { rows, isWaiting, problem } = useRows(typed.trim(), onHelp);
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === chosen),
  );
  const current = rows[at];
  const run = (row: Row | undefined, where: "here" | "new tab") => {
    if (row === undefined) return;
    if ("href" in row && where === "new tab") return void open(row.href, "_blank", "noopener");
    onClose();
    if ("run" in row) row.run();
    else if (row.href.startsWith(`${CONSOLE}/`)) route(row.href);
    else location.assign(row.href);
  };
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current?.key]);
  // Enter may come before what it means: it waits for the rows that are on their way.
  useEffect(() => {
    if (eager === undefined || isWaiting) return;
    setEager(undefined);
    if (problem === undefined) run(current, eager);
  });
  const steer = (event: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.isComposing || (to === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    const where = event.ctrlKey || event.metaKey ? "new tab" : "here";
    if (to !== undefined) setChosen(rows.at(to % Math.max(1, rows.length))?.key);
    else if (isWaiting && chosen === undefined) setEager(where);
    else run(current, where);
  };
  const field = (
    <input
      type="text"
      class="bar-field"
      autofocus
      autocomplete="off"
      spellcheck={false}
      role="combobox"
      aria-label="Search, or ask a question"
      aria-autocomplete="list"
      aria-expanded={rows.length > 0}
      aria-controls={`${id}-rows`}
      aria-activedescendant={current && `${id}-${at}`}
      aria-busy={isWaiting}
      placeholder="Search, or ask a question"
      value={typed}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        setChosen(undefined);
        setEager(undefined);
      }}
      onKeyDown={steer}
    />
  );
  return (
    <Dialog title="Search" head={field} onClose={onClose} isWide>
      <div class="bar-rows" role="listbox" aria-label="Results" id={`${id}-rows`} ref={list}>
        {rows.map((row, index) => (
          <Option
            key={row.key}
            id={`${id}-${index}`}
            row={row}
            isChosen={index === at}
            onClose={onClose}
          />
        ))}
      </div>
      {rows.length === 0 && !isWaiting && <p class="caption">No results</p>}
      {problem !== undefined && (
        <p class="caption bad" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

function Option(props: { row: Row; id: string; isChosen: boolean; onClose: () => void }) {
  const { row, id, isChosen, onClose } = props;
  const common = {
    id,
    role: "option" as const,
    "aria-selected": isChosen,
    tabIndex: -1,
    class: "menu-item",
  };
  const content = (
    <>
      <Icon name={row.icon} />
      <span class="bar-title">{row.title}</span>
      <span class="caption">{row.note}</span>
    </>
  );
  if ("href" in row) {
    return (
      <a {...common} href={row.href} onClick={onClose}>
        {content}
      </a>
    );
  }
  const run = () => {
    onClose();
    row.run();
  };
  return (
    <button type="button" {...common} onClick={run}>
      {content}
    </button>
  );
}
