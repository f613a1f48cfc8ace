import { type Static, type TSchema, t } from "elysia";
import type { Principal, Scope } from "../../core/access/principal.ts";
import { Text } from "./schemas.ts";

type TObject<P extends Record<string, TSchema> = Record<string, TSchema>> = ReturnType<
  typeof t.Object<P>
>;

/** What a handler gets: everything is authenticated, authorised and validated. */
export type Input<Path extends string, P extends TObject, Q extends TObject, B extends TSchema> = {
  principal: Principal;
  /** The project of `:project_id`; it exists and the principal may see it. */
  project: Path extends `${string}/:project_id/${string}` ? number : undefined;
  params: Static<P>;
  query: Static<Q>;
  body: Static<B>;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  /** The request's address as the caller is known to reach it, for links in the answer. */
  url: URL;
};

/** One management operation: what it is called, who may call it, what goes in and out. */
export type Definition<
  Path extends string,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
> = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With a trailing slash; it is served without, too. */
  path: Path;
  scope: Scope;
  /** The name of the operation in generated clients. */
  operationId: string;
  /** One sentence in API voice. */
  summary: string;
  /** Path parameters beside `:project_id`. */
  params?: P;
  query?: Q;
  body?: B;
  /** The answer of success; 405 for what never succeeds. */
  status: 200 | 201 | 202 | 204 | 405;
  /** Answers with no body unless the caller prefers a representation (design: RFC 7240). */
  empty?: true;
  /** The body of success; of an empty operation, what it answers with 200 when that is preferred. */
  response: TSchema;
  handle(input: Input<Path, P, Q, B>): Promise<unknown>;
};

/** A definition whose shapes are forgotten, for lists of routes. */
export type Route = Definition<string, TObject, TObject, TSchema>;

/** States an operation; the shapes it names are what `handle` gets. */
export function route<
  Path extends string,
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(definition: Definition<Path, P, Q, B>): Route {
  // The one place where the shapes are dropped: the server checks them before it calls `handle`.
  return definition as unknown as Route;
}

/** Whether a route is about one project. */
export function hasProject({ path }: Pick<Route, "path">): boolean {
  return path.includes("/:project_id/");
}

const ProjectId = Text(
  "1",
  "The id of the project, or `@current` for the first that the key may see.",
);

/** What goes into a route, as Elysia takes it: for checking and for the document alike. */
export function shapesOf(route: Route) {
  const params = {
    ...(hasProject(route) ? { project_id: ProjectId } : {}),
    ...route.params?.properties,
  };
  return {
    ...(Object.keys(params).length === 0 ? {} : { params: t.Object(params) }),
    ...(route.query === undefined ? {} : { query: route.query }),
    ...(route.body === undefined ? {} : { body: route.body }),
  };
}

/** What the API's document says of a route for SDKs. */
export type Documented = {
  operationId: string;
  summary: string;
  description: string;
  body: TSchema;
};

/** A public route that SDKs call from pages of any origin; it answers CORS, errors included. */
export type SdkRoute = {
  method: "GET" | "POST";
  path: string;
  handle(request: Request, params: Record<string, string>): Promise<Response>;
  /** Given for the operations that the contract names. */
  documented?: Documented;
};
