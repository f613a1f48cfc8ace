import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "../../api/client.ts";
import { type LiveEvent, type LiveMessage, type LiveStats, readLive } from "../../api/live.ts";
import { asProblem } from "../../api/problem.ts";
import { isSignedOut } from "../../api/signed-out.ts";
import { pause } from "../../api/slots.ts";
import { counted } from "../../state/format.ts";

/** Rows of the live list. They stay where they are, and only their content changes. */
export const LIVE_ROWS = 40;

/** The pauses before the next attempt to read the stream, in seconds; the last one is repeated. */
const PAUSES_S = [1, 2, 4, 8, 16, 30];

/** The live list: its events, the newest first, and how the stream does. */
export type Live = {
  events: readonly LiveEvent[];
  stats: LiveStats | undefined;
  /** A sentence on the stream or on dropped events; empty if all is well. */
  message: string;
  /** Events that came while the list was held. */
  held: number;
  /** How many times the stream has begun. After each, the stored events may have some that it did not. */
  begun: number;
  /** Adds stored events, the newest first. */
  merge(stored: readonly LiveEvent[]): void;
  /** Shows the events that came while the list was held. */
  show(): void;
  /** Reads the stream again after it has ended. */
  again(): void;
  hasEnded: boolean;
};

type Rows = { events: readonly LiveEvent[]; waiting: readonly LiveEvent[]; held: number };

/** Why the server ended the stream, and whether it may be read again. */
const ENDS: Record<string, { sentence: string; isFinal: boolean }> = {
  shutting_down: { sentence: "The server stops.", isFinal: false },
  authentication_failed: { sentence: "The session has ended.", isFinal: true },
  permission_denied: { sentence: "The key of this session may not read events.", isFinal: true },
  not_found: { sentence: "The project is gone.", isFinal: true },
};

const BROKEN = { sentence: "The connection broke.", isFinal: false };

const EMPTY: Rows = { events: [], waiting: [], held: 0 };

/** The events of the first list, then of the second, each once, at most LIVE_ROWS. */
function joined(first: readonly LiveEvent[], second: readonly LiveEvent[]): LiveEvent[] {
  const known = new Set(first.map(({ uuid }) => uuid));
  return [...first, ...second.filter(({ uuid }) => !known.has(uuid))].slice(0, LIVE_ROWS);
}

/** Adds the stored events that are missing. While the list is held, newer ones wait. */
function merged(old: Rows, stored: readonly LiveEvent[], isHeld: boolean): Rows {
  const known = new Set([...old.events, ...old.waiting].map(({ uuid }) => uuid));
  const missing = stored.filter(({ uuid }) => !known.has(uuid));
  const newest = old.events[0]?.timestamp;
  if (!isHeld || newest === undefined) {
    return { ...old, events: newestFirst([...old.events, ...missing]) };
  }
  const newer = missing.filter(({ timestamp }) => timestamp > newest);
  const waiting = newestFirst([...old.waiting, ...newer]);
  return { ...old, waiting, held: old.held + newer.length };
}

const newestFirst = (events: LiveEvent[]): LiveEvent[] =>
  events
    .sort((a, b) => Number(a.timestamp < b.timestamp) - Number(a.timestamp > b.timestamp))
    .slice(0, LIVE_ROWS);

const shown = ({ events, waiting }: Rows): Rows => ({
  ...EMPTY,
  events: joined(waiting, events),
});

/** Whether the page is visible now. */
function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isVisible;
}

/** Reads the stream again and again until the signal aborts. Resolves after an end that is final. */
async function follow(
  event: string | undefined,
  on: {
    begin: () => void;
    message: (message: LiveMessage) => void;
    trouble: (sentence: string) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let hasBegun = false;
  const take = (message: LiveMessage) => {
    if (failures > 0) on.trouble("");
    failures = 0;
    if (!hasBegun) on.begin();
    hasBegun = true;
    on.message(message);
  };
  for (;;) {
    hasBegun = false;
    const end = await endOf(readLive(event, take, signal));
    if (signal.aborted) return;
    if (end.isFinal) return on.trouble(end.sentence);
    const seconds = PAUSES_S[Math.min(failures, PAUSES_S.length - 1)] ?? 1;
    failures += 1;
    on.trouble(`${end.sentence} Trying again in ${seconds} s.`);
    await pause(seconds * 1000, signal).catch(() => {});
  }
}

/** How an attempt to read the stream ended. */
async function endOf(reading: Promise<string | undefined>): Promise<typeof BROKEN> {
  try {
    const reason = await reading;
    if (reason === "authentication_failed") isSignedOut.value = true;
    return ENDS[reason ?? ""] ?? BROKEN;
  } catch (error) {
    if (isAbort(error)) return BROKEN;
    const { status, message } = asProblem(error);
    return { sentence: message, isFinal: status >= 400 && status < 429 };
  }
}

/**
 * Follows the events of a name, or all, while the page is visible and the user is signed in. While `isHeld`,
 * the list stays as it is.
 */
export function useLive(event: string | undefined, isHeld: boolean): Live {
  const [rows, setRows] = useState<Rows>(EMPTY);
  const [stats, setStats] = useState<LiveStats>();
  const [message, setMessage] = useState("");
  const [hasEnded, setEnded] = useState(false);
  const [turn, setTurn] = useState(0);
  const [begun, setBegun] = useState(0);
  const isVisible = useIsVisible();
  const isBlocked = isSignedOut.value;
  const holding = useRef(isHeld);
  holding.current = isHeld;

  const take = (sent: LiveMessage) => {
    if (sent.event === "stats") {
      setStats(sent.data);
      // Events that no message had are new, too.
      const { hidden } = sent.data;
      if (holding.current && hidden > 0) setRows((old) => ({ ...old, held: old.held + hidden }));
    } else if (sent.event === "warning") {
      setMessage(`${counted(sent.data.count, "event")}: ${sent.data.meaning}`);
    } else {
      setRows((old) => {
        const waiting = joined(sent.data, old.waiting);
        const next = { ...old, waiting, held: old.held + sent.data.length };
        return holding.current ? next : shown(next);
      });
    }
  };

  // `turn` asks for the stream again.
  useEffect(() => {
    if (!isVisible || isBlocked) return;
    const leave = new AbortController();
    setEnded(false);
    setMessage("");
    const on = {
      begin: () => setBegun((last) => last + 1),
      message: take,
      trouble(sentence: string) {
        setMessage(sentence);
        if (sentence !== "") setStats(undefined);
      },
    };
    follow(event, on, leave.signal).finally(() => !leave.signal.aborted && setEnded(true));
    return () => {
      leave.abort();
      setStats(undefined);
    };
  }, [event, isVisible, isBlocked, turn]);

  useEffect(() => {
    if (!isHeld) setRows((old) => (old.waiting.length === 0 ? old : shown(old)));
  }, [isHeld]);

  return {
    events: rows.events,
    stats,
    message,
    held: rows.held,
    hasEnded,
    begun,
    merge: (stored) => setRows((old) => merged(old, stored, holding.current)),
    show: () => setRows(shown),
    again: () => setTurn((last) => last + 1),
  };
}
