import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "./client.ts";
import { away } from "./connection.ts";
import { asProblem, type Problem } from "./problem.ts";
import { isSignedOut } from "./signed-out.ts";

/** How long something may take before the page says that it loads, in milliseconds. */
const QUICK_MS = 150;

/** The pause before a load that had no answer is tried again, in milliseconds. */
const RETRY_MS = 1000;

/** Something that is loaded for a page. Old data stay while new ones are loaded. */
export type Loaded<T> = {
  data: T | undefined;
  problem: Problem | undefined;
  /** It has been loading for so long that the page should show it. */
  isSlow: boolean;
  isLoading: boolean;
  /** Loads again. */
  reload(): void;
  /** Replaces the data, for example by the answer to a change. */
  replace(data: T): void;
};

type State<T> = {
  data?: T;
  /** The key that the data belong to. */
  of?: string;
  problem?: Problem;
  isSlow: boolean;
  isLoading: boolean;
};

/**
 * Loads when the page appears, when `key` changes, after a new sign-in, and when the server answers again. The signal aborts when the
 * page is left or loads again. A `key` of null loads nothing yet.
 */
export function useLoad<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isSlow: false, isLoading: key !== null });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isBlocked = isSignedOut.value;

  // `turn` asks for another load of the same.
  useEffect(() => {
    if (key === null || isBlocked) return;
    const leave = new AbortController();
    setState((old) => ({ ...old, isLoading: true, isSlow: false }));
    const slow = setTimeout(() => setState((old) => ({ ...old, isSlow: true })), QUICK_MS);
    latest
      .current(leave.signal)
      .then(
        (data) =>
          !leave.signal.aborted && setState({ data, of: key, isSlow: false, isLoading: false }),
      )
      .catch((error: unknown) => {
        if (leave.signal.aborted || isAbort(error)) return;
        const problem = asProblem(error);
        // Data of another key would stand under a period or a filter that is not theirs.
        setState((old) => ({
          ...(old.of === key ? { data: old.data, of: key } : {}),
          ...{ problem, isSlow: false, isLoading: false },
        }));
      })
      .finally(() => clearTimeout(slow));
    return () => {
      clearTimeout(slow);
      leave.abort();
    };
  }, [key, turn, isBlocked]);

  // A load that had no answer is tried again once the server has answered anything, and after a pause: an answer that
  // ends too early would otherwise be asked for without end.
  const isUnanswered = state.problem?.status === 0 && !state.isLoading && away.value === undefined;
  useEffect(() => {
    if (!isUnanswered) return;
    const timer = setTimeout(() => setTurn((last) => last + 1), RETRY_MS);
    return () => clearTimeout(timer);
  }, [isUnanswered]);

  return {
    data: state.data,
    problem: state.problem,
    isSlow: state.isSlow,
    isLoading: state.isLoading,
    reload: () => setTurn((last) => last + 1),
    replace: (data) =>
      setState({ data, ...(key !== null && { of: key }), isSlow: false, isLoading: false }),
  };
}

/** Loads as {@link useLoad} does, and again and again while the page is visible and `isHeld` does not stop it. */
export function usePolled<T>(
  key: string,
  everyMs: number,
  load: (signal: AbortSignal) => Promise<T>,
  isHeld: boolean | ((data: T) => boolean) = false,
): Loaded<T> {
  const loaded = useLoad(key, load);
  const latest = useRef(loaded);
  latest.current = loaded;
  const { data } = loaded;
  const isEnded = typeof isHeld === "boolean" ? isHeld : data !== undefined && isHeld(data);
  useEffect(() => {
    if (isEnded) return;
    const timer = setInterval(() => {
      const isBusy = latest.current.isLoading;
      if (document.visibilityState === "visible" && !isBusy) latest.current.reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isEnded]);
  return loaded;
}
