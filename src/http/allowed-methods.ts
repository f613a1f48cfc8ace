import type { Elysia } from "elysia";
import { Failure } from "../core/values/failure.ts";
import { orInstead, problem } from "./answer/errors.ts";
import { corsHeaders, preflight } from "./request/cors.ts";

/** Methods in the order of `Allow`; ALL is Elysia's name for any other one. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ALL"];

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
      const failure = new Failure("method_not_allowed", `Allowed here: ${allow.join(", ")}.`);
      return problem(orInstead(failure, new URL(request.url).pathname), {
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
