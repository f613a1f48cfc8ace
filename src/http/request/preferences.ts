import { t } from "elysia";
import type { Route } from "../operation/route.ts";

/** What a caller prefers of an answer that has no body by itself (RFC 7240 4.2). */
export type Preference = "minimal" | "representation";

/** The header by which a caller says so, for the API's document. */
export const PreferHeader = t.Object({
  Prefer: t.Optional(
    t.String({
      description:
        "`return=representation`: 200 with the result. `return=minimal`: no body (RFC 7240).",
      enum: ["return=minimal", "return=representation"],
    }),
  ),
});

/** What is between commas that are not in a quoted string. */
const PREFERENCES = /(?:"(?:\\.|[^"\\])*(?:"|$)|[^,"])+/g;

const RETURN = /^\s*return\s*=\s*"?([^";\s]*)"?\s*(?:;|$)/i;

/** The first `return` of the header `Prefer` (RFC 7240 2); undefined if it is none of the two. */
function preferenceOf({ headers }: Request): Preference | undefined {
  const preferences = headers.get("prefer")?.match(PREFERENCES) ?? [];
  const [first] = preferences.flatMap((preference) => RETURN.exec(preference)?.[1] ?? []);
  const value = first?.toLowerCase();
  return value === "minimal" || value === "representation" ? value : undefined;
}

/**
 * The answer to a request for what `handle` returned. An empty operation leaves that out unless
 * it is preferred, by the request or else `byDefault` (decision 44).
 */
export function answerOf(
  { status, empty }: Pick<Route, "status" | "empty">,
  request: Request,
  { result, byDefault }: { result: unknown; byDefault: Preference },
): Response {
  const represented = (code: number) =>
    result instanceof Response ? result : Response.json(result, { status: code });
  if (!empty) return represented(status);
  const asked = preferenceOf(request);
  const preference = asked ?? byDefault;
  const isMinimal = preference === "minimal";
  const response = isMinimal ? new Response(null, { status }) : represented(200);
  response.headers.append("vary", "Prefer");
  if (asked !== undefined || !isMinimal) {
    response.headers.set("preference-applied", `return=${preference}`);
  }
  return response;
}

const TABLE = "text/csv";
const JSON_TYPE = "application/json";

/** How well a type is accepted: `q` (0 to 1), and how closely the range that says so names it. */
type Accepted = { q: number; closeness: number };

/** Whether the header `Accept` prefers CSV to JSON. */
export function prefersTable(accept: string | null): boolean {
  return prefersType(accept, TABLE, JSON_TYPE);
}

/**
 * Whether the header `Accept` prefers a media type to another (RFC 9110 12.5.1): by `q`, then by the
 * closer range. Returns false where neither decides.
 */
export function prefersType(accept: string | null, type: string, other: string): boolean {
  if (accept === null) return false;
  const ranges = accept.toLowerCase().split(",").map(readRange);
  const [one, two] = [acceptedOf(type, ranges), acceptedOf(other, ranges)];
  if (one.q !== two.q) return one.q > two.q;
  return one.q > 0 && one.closeness > two.closeness;
}

function readRange(text: string): { range: string; q: number } {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const q = weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, ""));
  return { range, q: q >= 0 && q <= 1 ? q : 0 };
}

function acceptedOf(type: string, ranges: ReturnType<typeof readRange>[]): Accepted {
  const names = ["*/*", `${type.split("/", 1)}/*`, type];
  const closest = ranges
    .map(({ range, q }) => ({ q, closeness: names.indexOf(range) }))
    .sort((one, other) => other.closeness - one.closeness)[0];
  return closest === undefined || closest.closeness < 0 ? { q: 0, closeness: -1 } : closest;
}
