/** Characters of a path that a sentence repeats. */
const PATH_CHARS_MAX = 100;

/** The paths that exporters of OTLP add to an address. */
const OTLP = /\/v1\/(?:logs|metrics|traces)\/?$/;

/**
 * Returns a function that says which path an unknown one was meant to be: it ends in a path for SDKs, below a prefix
 * that a proxy did not take off or that an SDK got with its host; or it is of OTLP, which is below `/i`. The function
 * returns a sentence, and undefined for any other path. `sdkPaths` are patterns of routes.
 */
export function meantPath(sdkPaths: readonly string[]): (request: Request) => string | undefined {
  const patterns = sdkPaths.map((path) =>
    path.replace(/\/$/, "").replace(/:\w+/g, "[^/]+").replace("*", ".+"),
  );
  const known = new RegExp(`^(?:${patterns.join("|")})/?$`);
  return (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/") || pathname.length > 10 * PATH_CHARS_MAX) return undefined;
    const otlp = OTLP.exec(pathname)?.[0];
    if (otlp !== undefined) return said(`/i${otlp}`);
    const starts = [...pathname.matchAll(/\//g)].map(({ index }) => index).slice(1);
    const start = starts.find((at) => known.test(pathname.slice(at)));
    if (start === undefined) return undefined;
    const prefix = pathname.slice(0, start);
    return `${said(pathname.slice(start))} It has the prefix ${cut(prefix)}, which a proxy must take off, and which is no part of the host of an SDK.`;
  };
}

const said = (path: string) => `Not found. The path ${cut(path)} is meant.`;

const cut = (path: string) =>
  path.length <= PATH_CHARS_MAX ? path : `${path.slice(0, PATH_CHARS_MAX - 1)}…`;
