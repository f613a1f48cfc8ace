import { insteadOfPath } from "../../core/values/instead.ts";

/** Characters of a path that a sentence repeats. */
const PATH_CHARS_MAX = 100;

/** The paths that exporters of OTLP add to an address. */
const OTLP = /\/v1\/(?:logs|metrics|traces)\/?$/;

/** The path in place of an unknown one, as a sentence, and whether it is a path of senders. */
export type Meant = { detail: string; isOfSender: boolean };

/**
 * Returns a function that says which path an unknown one was meant to be, and undefined where it cannot tell. These are
 * read: a path below a prefix that a proxy did not take off or that a client got with its host, doubled slashes, other
 * letter cases, a path of the API without its project, and one of OTLP, which is below `/i`. `sdk` and `api` are patterns
 * of routes.
 */
export function meantPath({
  sdk,
  api,
}: {
  sdk: readonly string[];
  api: readonly string[];
}): (request: Request) => Meant | undefined {
  const ofSdk = matcher(sdk);
  const ofApi = matcher(api);
  return ({ url, method }) => {
    const { pathname } = new URL(url);
    if (pathname.length > 10 * PATH_CHARS_MAX) return undefined;
    const path = pathname.replace(/\/{2,}/g, "/");
    const own = ofSdk(path) ?? ofApi(path);
    if (own === pathname) return undefined;
    if (own !== undefined) return { detail: said(own), isOfSender: ofSdk(path) !== undefined };
    const otlp = path.startsWith("/api/") ? undefined : OTLP.exec(path)?.[0];
    if (otlp !== undefined) return { detail: said(`/i${otlp}`), isOfSender: true };
    const meant = withoutPrefix(path, { ofSdk, ofApi });
    // A path that PostHog sends to may be like one that is read here.
    const isSent = method !== "GET" && insteadOfPath(path) !== "";
    return meant ?? (isSent ? undefined : withProject(path, ofApi));
  };
}

/** Spells a known path as its pattern does; undefined of another one. */
type Match = (path: string) => string | undefined;

/** A path below a prefix. Parts of the API's own paths are names and ids, and no prefix. */
function withoutPrefix(
  path: string,
  { ofSdk, ofApi }: { ofSdk: Match; ofApi: Match },
): Meant | undefined {
  for (const { index: start } of [...path.matchAll(/\//g)].slice(1)) {
    const prefix = path.slice(0, start);
    if (prefix.toLowerCase().startsWith("/api/")) return undefined;
    const sender = ofSdk(path.slice(start));
    const meant = sender ?? ofApi(path.slice(start));
    if (meant === undefined) continue;
    const detail = `${said(meant)} It has the prefix ${cut(prefix)}, which a proxy must take off, and which is no part of the host of an SDK.`;
    return { detail, isOfSender: sender !== undefined };
  }
  return undefined;
}

/** A path of the API without its project, or with its first part in the singular, as PostHog's oldest clients ask. */
function withProject(path: string, ofApi: Match): Meant | undefined {
  const [, first, rest = "/"] = /^\/api\/([\w-]+)(\/.*)?$/i.exec(path) ?? [];
  if (first === undefined) return undefined;
  for (const part of [first, `${first}s`]) {
    const meant = ofApi(`/api/${part}${rest}`) ?? ofApi(`/api/environments/0/${part}${rest}`);
    const shown = meant?.replace("/environments/0/", "/environments/<project_id>/");
    if (shown !== undefined) return { detail: said(shown), isOfSender: false };
  }
  return undefined;
}

/** Finds the pattern of a path in any letter case. */
function matcher(patterns: readonly string[]): Match {
  const known = patterns.map((pattern) => {
    const source = pattern.replace(/\/$/, "").replace(/:\w+/g, "[^/]+").replace("*", ".+");
    return { expected: new RegExp(`^${source}/?$`, "i"), parts: pattern.split("/") };
  });
  return (path) => {
    const found = known.find(({ expected }) => expected.test(path));
    if (found === undefined) return undefined;
    const spelled = ({ parts }: { parts: string[] }, part: string, at: number) =>
      /^[:*]/.test(parts[at] ?? "") ? part : parts[at] || part;
    return path
      .split("/")
      .map((part, at) => spelled(found, part, at))
      .join("/");
  };
}

const said = (path: string) => `Not found. The path ${cut(path)} is meant.`;

const cut = (path: string) =>
  path.length <= PATH_CHARS_MAX ? path : `${path.slice(0, PATH_CHARS_MAX - 1)}…`;
