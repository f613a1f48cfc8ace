import type { Elysia } from "elysia";
import { Failure } from "../core/values/failure.ts";
import { orInstead, problem } from "./answer/errors.ts";
import { corsHeaders, preflight } from "./request/cors.ts";

/** Methods in the order of `Allow`; ALL is Elysia's name for any other one. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ALL"];

/** Sentences that name another way, by the method and the end of the address. */
const INSTEAD: readonly (readonly [method: string, path: RegExp, instead: string])[] = [
  // PostHog has the answer to a query that still runs there.
  [
    "GET",
    /\/query\/[^/]+\/?$/,
    " No query is answered later: POST …/query/ with the query has the whole answer.",
  ],
  ["POST", /\/query\/[^/]+\/?$/, " POST …/query/ takes the queries of every kind."],
  ["POST", /\/events\/?$/, " Events are sent to POST /i/v0/e/ or POST /batch/."],
];

const insteadOf = (asked: string, pathname: string) =>
  INSTEAD.find(([method, path]) => method === asked && path.test(pathname))?.[2] ?? "";

/**
 * Answers 405 with `Allow` to each other method of a known path. Every method gets a route, because else
 * Elysia would use another path that has a parameter in this place.
 */
export function refuseOtherMethods(
  app: Elysia,
  allowed: ReadonlyMap<string, ReadonlySet<string>>,
  sdkPaths: ReadonlySet<string>,
): void {
  // A route may answer 405 in its own way.
  const mounted = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
  for (const [path, methods] of allowed) {
    const isSdk = sdkPaths.has(path);
    const isServed = (method: string) =>
      // Elysia answers HEAD wherever there is GET.
      methods.has(method === "HEAD" ? "GET" : method);
    const allow = METHODS.filter((method) => isServed(method) || (isSdk && method === "OPTIONS"));
    const refuse = ({ request }: { request: Request }) => {
      const { pathname } = new URL(request.url);
      const instead = insteadOf(request.method, pathname);
      const detail = `Allowed here: ${allow.join(", ")}.${instead}`;
      return problem(orInstead(new Failure("method_not_allowed", detail), pathname), {
        allow: allow.join(", "),
        ...(isSdk ? corsHeaders(request) : {}),
      });
    };
    for (const method of METHODS) {
      if (isServed(method) || mounted.has(`${method} ${path}`)) continue;
      const answer =
        isSdk && method === "OPTIONS"
          ? ({ request }: { request: Request }) => preflight(request)
          : refuse;
      app.route(method, path, answer as () => Response, { parse: "none" });
    }
  }
}
