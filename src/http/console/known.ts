import type { AskFor } from "../request/asked.ts";
import { CONSOLE_HEADER } from "../request/session-cookie.ts";

/** The longest that the page waits for answers, in milliseconds; later ones its script asks for. */
export const KNOWN_WAIT_MS_MAX = 200;

/** The pages of the console, with the ids of a project and a dashboard in their path. */
const PLACE = /^\/console\/(\d+)(?:\/dashboards\/(\d+))?(?:\/|$)/;

/** The paths that the script of a page asks first, all of which are answered without the event store. */
function pathsOf(pathname: string): string[] {
  const [, project, dashboard] = PLACE.exec(pathname) ?? [];
  const own = `/api/environments/${project}/`;
  return [
    "/api/projects/?limit=1000",
    ...(project === undefined
      ? []
      : [
          `/api/projects/${project}/status/`,
          `${own}dashboards/?limit=100`,
          `${own}session_recording_playlists/?limit=1`,
        ]),
    ...(dashboard === undefined ? [] : [`${own}dashboards/${dashboard}/`]),
  ];
}

const SESSION = "/console/api/session/";

/**
 * Returns the answers that the script of a page asks first, as JSON by their paths, each with its `etag`, so that they come
 * with the page. `<` is escaped, so that no text ends the element that has them. Undefined without a session, and unless the
 * browser says that it opens the page by itself or from this server (decision 186).
 */
export function knownAnswers(ask: AskFor): (request: Request) => Promise<string | undefined> {
  const asked = async (request: Request, path: string, signal: AbortSignal) => {
    const headers = { [CONSOLE_HEADER]: "1", "sec-fetch-site": "same-origin" };
    const answer = await ask(request, { method: "GET", path, headers, signal });
    const [text, etag] = [await answer.text(), answer.headers.get("etag")];
    return answer.status === 200 ? `{"etag":${JSON.stringify(etag)},"body":${text}}` : undefined;
  };
  return async (request) => {
    if (!request.headers.has("cookie") || !isOpened(request)) return undefined;
    const leave = new AbortController();
    const signal = AbortSignal.any([request.signal, leave.signal]);
    const session = await asked(request, SESSION, signal);
    if (session === undefined || session.endsWith('"body":null}')) return undefined;
    const known = [`${JSON.stringify(SESSION)}:${session}`];
    const reading = pathsOf(new URL(request.url).pathname).map(async (path) => {
      const answer = await asked(request, path, signal);
      if (answer !== undefined && !leave.signal.aborted)
        known.push(`${JSON.stringify(path)}:${answer}`);
    });
    await Promise.race([Promise.allSettled(reading), Bun.sleep(KNOWN_WAIT_MS_MAX)]);
    leave.abort();
    return `{${known.join(",")}}`.replaceAll("<", "\\u003c");
  };
}

/** Whether a browser opens the page as a whole, and no page of another origin has led to it. */
const isOpened = ({ method, headers }: Request): boolean =>
  method === "GET" &&
  headers.get("sec-fetch-dest") === "document" &&
  /^(?:none|same-origin)$/.test(headers.get("sec-fetch-site") ?? "");
