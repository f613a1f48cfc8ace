import type { Clock } from "../domain/time.ts";
import type { Log } from "../log.ts";

/** Refused requests that are logged within a minute; of the others it is told how many there were. */
export const REFUSALS_PER_MINUTE_MAX = 60;

const MINUTE_MS = 60_000;

/** What an answer was given to. */
type Answered = { request: Request; status: number; requestId: string };

/**
 * Logs answers from 400 on, by the id that the caller was told (decision 56). Of the path, what may
 * name a person or key is not logged: only the words of `paths`, those of the API, are.
 */
export function requestLog(
  log: Log,
  now: Clock,
  paths: readonly string[],
): (answered: Answered) => void {
  const words = new Set(paths.flatMap((path) => path.split("/")));
  let minute = { since: 0, logged: 0, left_out: 0 };
  return ({ request, status, requestId }) => {
    // A 500 is logged with its cause.
    if (status < 400 || status === 500) return;
    const at = now();
    if (Math.abs(at - minute.since) >= MINUTE_MS) {
      if (minute.left_out > 0) {
        log.warn("refused requests were not logged", { left_out: minute.left_out });
      }
      minute = { since: at, logged: 0, left_out: 0 };
    }
    if (minute.logged >= REFUSALS_PER_MINUTE_MAX) {
      minute.left_out += 1;
      return;
    }
    minute.logged += 1;
    const facts = { request_id: requestId, status, method: request.method };
    const path = (URL.parse(request.url)?.pathname ?? "").replace(/[^/]+/g, (part) =>
      words.has(part) ? part : "*",
    );
    log[status < 500 ? "warn" : "error"]("request refused", { ...facts, path });
  };
}
