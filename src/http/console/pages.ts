import { Failure } from "../../core/values/failure.ts";
import { ownValue } from "../../core/values/json.ts";
import { problem } from "../answer/errors.ts";
import { type PageRoute, pagesOf } from "../operation/route.ts";
import type { AskFor } from "../request/asked.ts";
import { prefersType, takesGzip } from "../request/preferences.ts";
import { type Asset, EMBLEMS, FONT, SCRIPTS, STYLE } from "./assets.ts";
import { knownAnswers } from "./known.ts";
import { shell } from "./shell.ts";

/** Only files of this server are loaded, and no text becomes a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The headers of each answer of the console to the browser, whose address is `url`. */
export function consoleHeaders({ protocol, hostname }: URL): Record<string, string> {
  // Browsers refuse this header elsewhere, and log an error.
  const isSecure = protocol === "https:" || LOOPBACK.test(hostname);
  return {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    ...(isSecure ? { "cross-origin-opener-policy": "same-origin" } : {}),
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Seconds for which a browser keeps a file whose name changes with its content. */
const ASSET_MAX_AGE_S = 31_536_000;

type Needs = {
  version: string;
  /** The public address of a request. */
  address: (request: Request) => URL;
  ask: AskFor;
};

type Context = { request: Request; params: Record<string, string> };

/** The page of the console with its script and style, and the way to it from the root. */
export function consolePages({ version, address, ask }: Needs): PageRoute[] {
  const knownOf = knownAnswers(ask);
  const assets = new Map([...SCRIPTS, EMBLEMS, STYLE, FONT].map((asset) => [asset.name, asset]));
  const page = async ({ request }: Context) => {
    const url = address(request);
    const known = await knownOf(request);
    return new Response(shell(baseOf(request, url), version, known), {
      headers: {
        ...consoleHeaders(url),
        "cache-control": known === undefined ? "no-cache" : "no-store",
        "content-type": "text/html; charset=utf-8",
      },
    });
  };
  return pagesOf({
    "/": ({ request }: Context) => {
      const vary = { vary: "Accept" };
      if (!prefersType(request.headers.get("accept"), "text/html", "application/json")) {
        return problem(new Failure("not_found", "Not found."), vary);
      }
      const location = `${baseOf(request, address(request))}/console/`;
      return new Response(null, { status: 303, headers: { ...vary, location } });
    },
    // Addresses of PostHog's pages, as its tools print them.
    "/project/*": ({ request }: Context) => {
      const url = new URL(request.url);
      const location = `${baseOf(request, address(request))}/console/${consolePath(url.pathname)}`;
      return new Response(null, { status: 303, headers: { location } });
    },
    "/console": page,
    "/console/*": page,
    "/console/api/*": () => {
      throw new Failure("not_found", "Not found.");
    },
    "/console/assets/:name": ({ request, params }: Context) => {
      const asset = assets.get(params["name"] ?? "");
      if (asset === undefined) throw new Failure("not_found", "Not found.");
      return assetAnswer(asset, request, consoleHeaders(address(request)));
    },
  });
}

/** The nouns of PostHog's addresses, with the pages of the console. A page of one thing ends in a slash. */
const PLACES: Readonly<Record<string, string>> = {
  ...{ dashboard: "dashboards/", dashboards: "dashboards", insights: "insights/" },
  ...{ person: "persons/", persons: "persons/", groups: "groups", replay: "playlists" },
  ...{ events: "events", activity: "events", sql: "sql", logs: "logs", settings: "settings" },
};

/** The page of the console for an address `/project/<id>/…` of PostHog; another one leads to the start of the project. */
function consolePath(pathname: string): string {
  const [, , project = "", noun = "", id = ""] = pathname.split("/");
  const start = /^\d+$/.test(project) ? `${project}/` : "";
  const place = ownValue(PLACES, noun);
  if (place === undefined) return start;
  const isOne = place.endsWith("/") && id !== "" && id !== "new";
  if (!isOne) return start + place.replace("/", "");
  // The console knows a person by the uuid or the integer id, and finds one by a distinct id.
  const isFound = place !== "persons/" || /^(?:\d+|[\da-f]{8}-[\da-f-]{27})$/i.test(id);
  return start + (isFound ? place + id : `persons?search=${id}`);
}

/** The path below which a proxy serves Hoglet. The public address has it before the path of the request. */
function baseOf({ url }: Request, { pathname }: URL): string {
  return pathname.slice(0, pathname.length - new URL(url).pathname.length);
}

function assetAnswer(
  { type, plain, gzipped }: Asset,
  { headers: requested }: Request,
  headers: Record<string, string>,
): Response {
  const zipped = takesGzip(requested) ? gzipped : undefined;
  return new Response(zipped ?? plain, {
    headers: {
      ...headers,
      "content-type": type,
      "cache-control": `public, max-age=${ASSET_MAX_AGE_S}, immutable`,
      vary: "Accept-Encoding",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
  });
}
