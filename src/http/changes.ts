import { Failure } from "../core/values/failure.ts";
import { inTurnByKey } from "../core/values/in-turn.ts";
import { isObject, type JsonObject } from "../core/values/json.ts";
import type { Route, Thing } from "./operation/route.ts";
import type { Granted } from "./request/auth.ts";
import { checkConditions, checkVersion, versionOf } from "./request/versions.ts";

type Context = { request: Request; params: Record<string, string>; query?: object };

/** Runs one change of a thing after another, so that no change comes between the check of its version and itself. */
const changeInTurn = inTurnByKey();

/** The parts of an operation that reads, changes or deletes one thing; `thing` is undefined for any other one. */
export function changesOf(
  route: Route,
  thing: Thing | undefined,
  address: (request: Request) => URL,
) {
  const fields = thing === undefined ? [] : versionedFields(thing);
  /** Reads the thing that a change is about; undefined if it is deleted. */
  const current = async (context: Context, granted: Granted): Promise<JsonObject | undefined> => {
    const { request } = context;
    const query = { ...context.query, format: undefined };
    const asked = { ...context, ...granted, query, url: address(request), signal: request.signal };
    try {
      const read = await thing?.read.handle(asked as unknown as Parameters<Route["handle"]>[0]);
      return isObject(read) ? asJson(read) : undefined;
    } catch (error) {
      if (error instanceof Failure && error.code === "not_found") return undefined;
      throw error;
    }
  };
  /** Runs a change if its header `If-Match` permits it, and any other operation at once. */
  const change = (run: () => Promise<unknown>, context: Context, granted: Granted) => {
    // Some operations are always refused (contract 4.4).
    if (route.method === "GET" || route.status === 405) return run();
    checkConditions(context.request);
    const wanted = context.request.headers.get("if-match");
    if (thing === undefined) {
      if (wanted !== null) throw new Failure("invalid_input", NOT_VERSIONED, "If-Match");
      return run();
    }
    // One turn for all things of a kind: a thing may have several ids, such as a short one.
    const key = `${thing.patch.operationId} ${granted.project}`;
    return changeInTurn(key, async () => {
      const now = wanted === null ? undefined : await current(context, granted);
      if (wanted !== null && now !== undefined) checkVersion(wanted, now, fields);
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

const NOT_VERSIONED =
  "Only PATCH and DELETE of one thing that GET reads with an ETag can have If-Match. Send this without it.";

/** The fields of a thing that callers may read and write. */
function versionedFields({ read, patch }: Thing): string[] {
  const shown = read.response["properties"] ?? {};
  const written = Object.keys(patch.body?.["properties"] ?? {});
  return written.filter((name) => Object.hasOwn(shown, name));
}

/** An answer as it is sent. */
const asJson = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value));
