import { Failure } from "../core/values/failure.ts";
import { inTurnByKey } from "../core/values/in-turn.ts";
import { isObject, type JsonObject } from "../core/values/json.ts";
import type { Route } from "./operation/route.ts";
import type { Granted } from "./request/auth.ts";
import { checkVersion, versionOf } from "./request/versions.ts";

type Context = { request: Request; params: Record<string, string>; query?: object };

/** Runs one change of a thing after another, so that no change comes between the check of its version and itself. */
const changeInTurn = inTurnByKey();

/**
 * The parts of an operation that reads or changes one thing. `sibling` is the read of what it changes by PATCH, or the
 * change of what it reads; undefined for other operations.
 */
export function changesOf(
  route: Route,
  sibling: Route | undefined,
  address: (request: Request) => URL,
) {
  const fields = versionedFields(route, sibling);
  /** Reads the thing that a change is about; undefined if it is deleted. */
  const current = async (context: Context, granted: Granted): Promise<JsonObject | undefined> => {
    const { request } = context;
    const query = { ...context.query, format: undefined };
    const asked = { ...context, ...granted, query, url: address(request), signal: request.signal };
    try {
      const thing = await sibling?.handle(asked as unknown as Parameters<Route["handle"]>[0]);
      return isObject(thing) ? asJson(thing) : undefined;
    } catch (error) {
      if (error instanceof Failure && error.code === "not_found") return undefined;
      throw error;
    }
  };
  /** Runs a change if its header `If-Match` permits it, and any other operation at once. */
  const change = (run: () => Promise<unknown>, context: Context, granted: Granted) => {
    if (sibling === undefined || route.method !== "PATCH") return run();
    // One turn for all things of a kind: a thing may have several ids, such as a short one.
    const key = `${route.operationId} ${granted.project}`;
    return changeInTurn(key, async () => {
      const wanted = context.request.headers.get("if-match");
      const thing = wanted === null ? undefined : await current(context, granted);
      if (wanted !== null && thing !== undefined) checkVersion(wanted, thing, fields);
      return run();
    });
  };
  /** The `ETag` of an answer; undefined unless it is a thing that can be changed. */
  const etagOf = (handled: unknown) =>
    isObject(handled) && Object.hasOwn(handled, fields[0] ?? "")
      ? versionOf(asJson(handled), fields)
      : undefined;
  return { current, change, etagOf };
}

/** The fields of a thing that callers may read and write. */
function versionedFields(route: Route, sibling: Route | undefined): string[] {
  if (sibling === undefined) return [];
  const [read, change] = route.method === "GET" ? [route, sibling] : [sibling, route];
  const shown = read.response["properties"] ?? {};
  const written = Object.keys(change.body?.["properties"] ?? {});
  return written.filter((name) => Object.hasOwn(shown, name));
}

/** An answer as it is sent. */
const asJson = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value));
