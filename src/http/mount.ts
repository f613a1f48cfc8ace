import type { Elysia } from "elysia";
import type { Failure } from "../core/values/failure.ts";
import { problem } from "./answer/errors.ts";
import type { PageRoute, SdkRoute } from "./operation/route.ts";
import { corsHeaders, pathOf } from "./request/cors.ts";
import { checkPath } from "./request/parameters.ts";

type FailureOf = (error: unknown, request: Request) => Failure;

/** Notes a path and a method that are served. */
type Allow = (path: string, method: string) => void;

/**
 * Serves the routes for SDKs, whose errors have CORS headers as well. Returns the shortest way to their POST
 * routes, which get most requests: it answers a request by its path alone, and is undefined for any other
 * (decision 182).
 */
export function mountSdk(
  app: Elysia,
  routes: readonly SdkRoute[],
  allow: Allow,
  failure: FailureOf,
): (request: Request) => Promise<Response> | undefined {
  const direct = new Map<string, (request: Request) => Promise<Response>>();
  for (const route of routes) {
    const { method, path } = route;
    const handle = async (request: Request, params: Record<string, string>) => {
      const cors = corsHeaders(request);
      try {
        checkPath(request.url);
        const answer = await route.handle(request, params);
        if (!(answer instanceof Response)) {
          return new Response(answer.text, { headers: Object.assign(answer.headers, cors) });
        }
        for (const name in cors) answer.headers.append(name, cors[name] ?? "");
        return answer;
      } catch (error) {
        return problem(failure(error, request), cors);
      }
    };
    type Context = { request: Request; params: Record<string, string> };
    const inElysia = ({ request, params }: Context) => handle(request, params);
    app.route(method, path, inElysia as () => Promise<Response>, { parse: "none" });
    allow(path, method);
    if (method === "POST") direct.set(path, (request) => handle(request, {}));
  }
  return (request) =>
    request.method === "POST" ? direct.get(pathOf(request.url))?.(request) : undefined;
}

/** Serves the routes of pages; `allow` notes each. */
export function mountPages(app: Elysia, pages: readonly PageRoute[], allow: Allow): void {
  for (const { method, path, handle } of pages) {
    allow(path, method);
    app.route(method, path, handle as () => Promise<Response>, { parse: "none" });
  }
}
