import type { Elysia } from "elysia";
import type { Failure } from "../core/values/failure.ts";
import { problem } from "./answer/errors.ts";
import type { PageRoute, SdkRoute } from "./operation/route.ts";
import { corsHeaders } from "./request/cors.ts";
import { checkPath } from "./request/parameters.ts";

type FailureOf = (error: unknown, request: Request) => Failure;

/** Serves a route for SDKs, whose errors have CORS headers as well. */
export function mountSdk(app: Elysia, route: SdkRoute, failure: FailureOf): void {
  const handle = async (context: { request: Request; params: Record<string, string> }) => {
    const { request } = context;
    const cors = corsHeaders(request);
    try {
      checkPath(request.url);
      const response = await route.handle(request, context.params);
      for (const name in cors) response.headers.append(name, cors[name] ?? "");
      return response;
    } catch (error) {
      return problem(failure(error, request), cors);
    }
  };
  app.route(route.method, route.path, handle as () => Promise<Response>, { parse: "none" });
}

/** Serves the routes of pages; `allow` notes each. */
export function mountPages(
  app: Elysia,
  pages: readonly PageRoute[],
  allow: (path: string, method: string) => void,
): void {
  for (const { method, path, handle } of pages) {
    allow(path, method);
    app.route(method, path, handle as () => Promise<Response>, { parse: "none" });
  }
}
