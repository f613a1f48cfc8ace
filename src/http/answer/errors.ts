import { NotFoundError, ParseError, ValidationError } from "elysia";
import type { Log } from "../../core/ports/log.ts";
import { Failure, isDiskFull, isOutOfDescriptors, serverError } from "../../core/values/failure.ts";
import { insteadOfPath } from "../../core/values/instead.ts";

/** The advice for a path without advice of its own. */
const OTHER_PATHS = "GET /openapi.json has the paths of this server.";

/** The answer for a failure: its envelope, status and headers. */
export function problem(
  failure: Failure,
  headers: Record<string, string> = {},
  envelope: object = failure.problem,
): Response {
  return Response.json(envelope, {
    status: failure.status,
    headers: { ...headersOf(failure), ...headers },
  });
}

/** The answer for a failure as text: its sentence, and below it each question that it offers on a line. */
export function textProblem(failure: Failure): Response {
  const detail = failure.message.replace(OFFERS, (offers) =>
    offers.replace(/^ /, "\n\n").replace(/;? ?"((?:[^"\\]|\\.)*)"\.?/g, "\n  $1"),
  );
  const headers = { ...headersOf(failure), "content-type": "text/plain; charset=utf-8" };
  return new Response(`${detail}\n`, { status: failure.status, headers });
}

/** Questions in quotes at the end of a sentence that refuses another. */
const OFFERS = / [^".]+:(?:;? "(?:[^"\\]|\\.)*")+\.$/;

/** Whether a request asks for text, its failures included: by its parameter `format`. */
export const asksForText = ({ url }: Request): boolean =>
  url.includes("txt") && new URL(url).searchParams.get("format") === "txt";

function headersOf({ status, retryAfterS }: Failure): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    // Bun reads the rest of a body until the connection closes, also of one for which there is no room.
    ...(status === 408 || status === 503 ? { connection: "close" } : {}),
    ...(status === 503 || status === 429 ? { "retry-after": String(retryAfterS) } : {}),
  };
}

/**
 * Returns the failure that a caller sees for any thrown value. An error other than a full disk
 * (decision 66) or too many connections (decision 151) is a bug: the log has it with the id of the request, and the caller sees only the id.
 * `path` is of the request: one of PostHog's API that has no route says what to ask instead.
 */
export function failureOf(thrown: unknown, requestId: string, log: Log, path = ""): Failure {
  if (thrown instanceof NotFoundError) {
    return new Failure("not_found", `Not found. ${insteadOfPath(path) || OTHER_PATHS}`);
  }
  if (thrown instanceof Failure) return orInstead(thrown, path);
  if (thrown instanceof ParseError) {
    return thrown.cause instanceof Failure
      ? thrown.cause
      : new Failure("parse_error", "The body is not valid JSON.");
  }
  if (thrown instanceof ValidationError && thrown.type !== "response") {
    return orInstead(invalid(thrown), path);
  }
  if (thrown instanceof Error && isDiskFull(thrown)) {
    log.warn("disk full; request refused", { request_id: requestId, error: thrown });
    return new Failure("unavailable", "The disk is full: nothing changes until there is space.");
  }
  if (thrown instanceof Error && isOutOfDescriptors(thrown)) {
    log.warn("no descriptor is free; request refused", { request_id: requestId, error: thrown });
    return new Failure("unavailable", "Too many files and connections are open. Try again.");
  }
  log.error("request failed", { request_id: requestId, error: thrown });
  return serverError(requestId);
}

/** A failure, or what to ask instead if the path has a name of PostHog's API in the place of an id. */
export function orInstead(failure: Failure, path: string): Failure {
  const instead = [400, 404, 405].includes(failure.status) ? insteadOfPath(path, "below") : "";
  return instead === "" ? failure : new Failure("not_found", `Not found. ${instead}`);
}

/** Without the message of Elysia, which repeats the value. A wrong kind comes before fields of other kinds. */
function invalid(error: ValidationError): Failure {
  const all = error.all.filter((one) => "path" in one);
  const first = all.find(({ path }) => path.endsWith("/kind")) ?? all[0];
  const attr = first?.path.split("/").filter(Boolean).join("__") || null;
  if (first !== undefined && first.value === undefined) {
    return new Failure("required", "This field is required.", attr);
  }
  const choices = first === undefined ? [] : choicesOf(first.schema);
  const expected = first === undefined ? "" : expectedIn(first.schema);
  const detail =
    expected === ""
      ? "The value has the wrong type or form: /openapi.json has the right one."
      : `${expected[0]?.toUpperCase()}${expected.slice(1)} is expected.`;
  const isChoice = choices.length > 0 && typeof first?.value === "string";
  return new Failure(isChoice ? "invalid_choice" : "invalid_input", detail, attr);
}

type Schema = Record<string, unknown>;

/** Returns what a schema takes, in words; empty of one that words do not say. */
function expectedIn(schema: Schema): string {
  const { anyOf, type, multipleOf, items, required } = schema;
  const choices = choicesOf(schema);
  if (choices.length > 0) return `one of ${choices.join(", ")}`;
  if (Array.isArray(anyOf)) {
    const parts = anyOf.map(expectedIn);
    return parts.includes("") ? "" : parts.join(" or ");
  }
  const whole = type === "number" && multipleOf === 1;
  const word = EXPECTED[whole ? "integer" : String(type)] ?? "";
  if (type === "array") {
    // Of a list of objects or of several types, the plain word is clearer.
    const inner = /^an? ([a-z ]*(?:text|number))$/.exec(expectedIn(items as Schema))?.[1];
    return inner === undefined ? word : `${word} of ${inner}s`;
  }
  const names = type === "object" && Array.isArray(required) ? required : [];
  return names.length === 0 ? word : `${word} with ${names.join(", ")}`;
}

/** The types of JSON Schema in words. */
const EXPECTED: Readonly<Record<string, string>> = {
  ...{ string: "a text", integer: "a whole number", number: "a number", null: "null" },
  ...{ boolean: "either true or false", array: "a list", object: "an object" },
};

/** The texts between which a schema lets one choose; empty for any other schema. */
function choicesOf({ anyOf, enum: words }: Schema): string[] {
  const choices = Array.isArray(anyOf) ? anyOf.map((choice) => choice.const) : (words ?? []);
  return Array.isArray(choices) && choices.every((word) => typeof word === "string") ? choices : [];
}
