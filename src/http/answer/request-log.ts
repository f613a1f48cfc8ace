import type { Log } from "../../core/ports/log.ts";

/** Parts of a path that are logged; what has more is no route. */
export const ROUTE_PARTS_MAX = 8;

/** What the log has instead of the status of an answer that nobody waited for, as other servers' (decision 98). */
const CALLER_GONE = 499;

/** What an answer was given to, and how long that took in milliseconds until it began. */
type Answered = { request: Request; status: number; requestId: string; ms: number };

/**
 * Logs answers, a line each, by the id that the caller was told (decision 98). Of the path, what may
 * name a person or key is not logged: only the words of `paths`, those of the API, are. `quiet` are
 * paths whose answers are nobody's question.
 */
export function requestLog(
  log: Log,
  { paths, quiet }: { paths: readonly string[]; quiet: readonly string[] },
): (answered: Answered) => void {
  const words = new Set(paths.flatMap((path) => path.split("/")));
  const left = new Set(quiet);
  return ({ request, status, requestId, ms }) => {
    const path = (URL.parse(request.url)?.pathname ?? "").replace(/(?<=.)\/$/, "");
    if (left.has(path)) return;
    const facts = {
      request_id: requestId,
      method: request.method,
      route: routeOf(path, words),
      status: request.signal.aborted ? CALLER_GONE : status,
      ms: Math.round(ms * 10) / 10,
    };
    if (request.signal.aborted) log.info("caller went away", facts);
    else log[levelOf(status)](status < 400 ? "request answered" : "request refused", facts);
  };
}

function levelOf(status: number): keyof Log {
  if (status < 400) return "info";
  return status < 500 ? "warn" : "error";
}

function routeOf(path: string, words: ReadonlySet<string>): string {
  const parts = path.split("/").slice(1);
  const shown = parts.slice(0, ROUTE_PARTS_MAX).map((part) => (words.has(part) ? part : "*"));
  return `/${shown.join("/")}${parts.length > ROUTE_PARTS_MAX ? "/..." : ""}`;
}

/**
 * Ids by which an answer is found in the log: a part that differs from start to start, taken
 * from `seed`, and a count. A request keeps its id.
 */
export function requestIds(seed: string): (request: Request) => string {
  const start = seed.slice(-6);
  const ids = new WeakMap<Request, string>();
  let count = 0;
  return (request) => {
    const known = ids.get(request);
    if (known !== undefined) return known;
    count += 1;
    const id = `${start}-${count.toString(36)}`;
    ids.set(request, id);
    return id;
  };
}
