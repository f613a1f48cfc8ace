import type { Log } from "../../core/ports/log.ts";

/** Parts of a path that are logged; no route has more. */
export const ROUTE_PARTS_MAX = 8;

/** The status in the log if the client disconnected, as in the logs of nginx (decision 98). */
const CLIENT_DISCONNECTED = 499;

/** An answer; `ms` are the milliseconds until it began. */
type Answered = { request: Request; status: number; requestId: string; ms: number };

/**
 * Logs one line for each answer, with the id that the caller got (decision 98). Parts of the path that
 * are not in `paths`, those of the API, may name a person or key and are logged as `*`. Answers on the
 * paths `quiet` are not logged, and neither are reads with the header `quietHeader`: an open console reads all
 * the time.
 */
export function requestLog(
  log: Log,
  needs: { paths: readonly string[]; quiet: readonly string[]; quietHeader: string },
): (answered: Answered) => void {
  const words = new Set(needs.paths.flatMap((path) => path.split("/")));
  const unlogged = new Set(needs.quiet);
  const isQuietRead = ({ method, headers }: Request) =>
    method === "GET" && headers.has(needs.quietHeader);
  return ({ request, status, requestId, ms }) => {
    const path = (URL.parse(request.url)?.pathname ?? "").replace(/(?<=.)\/$/, "");
    if (unlogged.has(path) || (status < 400 && isQuietRead(request))) return;
    const facts = {
      request_id: requestId,
      method: request.method,
      route: routeOf(path, words),
      status: request.signal.aborted ? CLIENT_DISCONNECTED : status,
      ms: Math.round(ms * 10) / 10,
    };
    if (request.signal.aborted) log.info("client disconnected", facts);
    else log[levelOf(status)](status < 400 ? "request answered" : "request refused", facts);
  };
}

function levelOf(status: number): keyof Log {
  if (status < 400) return "info";
  return status < 500 ? "warn" : "error";
}

function routeOf(path: string, words: ReadonlySet<string>): string {
  const parts = path.split("/").slice(1);
  const logged = parts.slice(0, ROUTE_PARTS_MAX).map((part) => (words.has(part) ? part : "*"));
  return `/${logged.join("/")}${parts.length > ROUTE_PARTS_MAX ? "/..." : ""}`;
}

/**
 * Returns the id of a request, by which its answer is found in the log. The first part is of `seed`, so
 * that ids differ between starts; the second counts requests.
 */
export function requestIds(seed: string): (request: Request) => string {
  const start = seed.slice(-6);
  const ids = new WeakMap<Request, string>();
  let count = 0;
  return (request) => {
    const given = ids.get(request);
    if (given !== undefined) return given;
    count += 1;
    const id = `${start}-${count.toString(36)}`;
    ids.set(request, id);
    return id;
  };
}
