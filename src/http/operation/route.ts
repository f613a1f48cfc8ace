import { type Static, type TSchema, t } from "elysia";
import type { Principal, Scope } from "../../core/access/key.ts";
import { Text } from "./schemas.ts";

type TObject<P extends Record<string, TSchema> = Record<string, TSchema>> = ReturnType<
  typeof t.Object<P>
>;

/** Asks another operation for the same caller. The caller would get the same answer, also of a failure. */
export type Ask = (asked: {
  method: "GET" | "POST";
  path: string;
  body?: object;
  /** Headers in place of those of the caller. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
}) => Promise<Response>;

/** The input of a handler, authorized and validated. */
export type Input<Path extends string, P extends TObject, Q extends TObject, B extends TSchema> = {
  principal: Principal;
  /** The project of `:project_id`; it exists, and the principal may see it. */
  project: Path extends `${string}/:project_id/${string}` ? number : undefined;
  params: Static<P>;
  query: Static<Q>;
  body: Static<B>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The public address of the request, for links in the answer. */
  url: URL;
  ask: Ask;
};

/** A management operation: its name, its scope, its input and its answer. */
export type Definition<
  Path extends string,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
> = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With a trailing slash; the path without it is served, too. */
  path: Path;
  scope: Scope;
  /** A text of `:id` for which any valid key will do. */
  openFor?: string;
  /** The name of the operation in generated clients. */
  operationId: string;
  /** One sentence, as an order: "List persons." */
  summary: string;
  /** Path parameters besides `:project_id`. */
  params?: P;
  query?: Q;
  body?: B;
  /** The status of success; 405 for an operation that is always refused. */
  status: 200 | 201 | 202 | 204 | 405;
  /** The answer has no body unless the caller prefers a representation (RFC 7240). */
  empty?: true;
  /** The media type of an answer that is a stream. */
  streams?: "text/event-stream" | "application/x-ndjson";
  /** The body of success; of an empty operation, the body of 200 if the caller prefers one. */
  response: TSchema;
  handle(input: Input<Path, P, Q, B>): Promise<unknown>;
};

/** A definition without the types of its shapes, for lists of routes. */
export type Route = Definition<string, TObject, TObject, TSchema>;

/** Defines an operation; `handle` gets values of its shapes. */
export function route<
  Path extends string,
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(definition: Definition<Path, P, Q, B>): Route {
  // The types of the shapes end here: the server checks values against them before it calls `handle`.
  return definition as unknown as Route;
}

/** Whether the body of a request is read; operations that are always refused read none. */
export const takesBody = ({ method, status }: Pick<Route, "method" | "status">): boolean =>
  status !== 405 && method !== "GET";

/** Whether a route is about one project. */
export function hasProject({ path }: Pick<Route, "path">): boolean {
  return path.includes("/:project_id/");
}

/** The operations that read and change one thing. */
export type Thing = { read: Route; patch: Route };

/** The thing that a route reads, changes or deletes; undefined for any other route. */
export function thingOf(route: Route, served: readonly Route[]): Thing | undefined {
  const { path, method, status } = route;
  if (!["GET", "PATCH", "DELETE"].includes(method) || status === 405) return undefined;
  const [read, patch] = ["GET", "PATCH"].map((by) =>
    served.find((one) => one.path === path && one.method === by),
  );
  return read && patch && { read, patch };
}

const ProjectId = Text(
  "1",
  "The id of the project, or `@current` for the first that the key may see.",
);

/** The shapes of the input of a route, for the checks of Elysia and for the OpenAPI document. */
export function shapesOf(route: Route) {
  const shapes: Record<string, TSchema> = { project_id: ProjectId, ...route.params?.properties };
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const params = Object.fromEntries(names.map((name) => [name, shapes[name] ?? t.String()]));
  return {
    ...(Object.keys(params).length === 0 ? {} : { params: t.Object(params) }),
    ...(route.query === undefined ? {} : { query: route.query }),
    ...(route.body === undefined ? {} : { body: route.body }),
  };
}

/** The description of a route for SDKs in the OpenAPI document. */
export type Documented = {
  operationId: string;
  summary: string;
  description: string;
  body: TSchema;
};

/** A text and its headers. */
export type SdkAnswer = { text: string; headers: Record<string, string> };

/** A public route that SDKs call from pages of any origin; each answer has CORS headers. */
export type SdkRoute = {
  method: "GET" | "POST";
  path: string;
  /** Returns an answer, or the parts of one of status 200, to which more headers are added at once. */
  handle(request: Request, params: Record<string, string>): Promise<Response | SdkAnswer>;
  /** Only the operations that the contract names have one. */
  documented?: Documented;
};

/** A route of Hoglet's own pages, outside of the OpenAPI document. */
export type PageRoute = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  handle(context: {
    request: Request;
    params: Record<string, string>;
  }): Response | Promise<Response>;
};

/** Routes of pages that are read by GET, by their paths. */
export const pagesOf = (pages: Record<string, PageRoute["handle"]>): PageRoute[] =>
  Object.entries(pages).map(([path, handle]) => ({ method: "GET", path, handle }));
