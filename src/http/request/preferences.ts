import { t } from "elysia";
import type { Route } from "../operation/route.ts";

/** The preferred answer of an operation that is empty by contract (RFC 7240 4.2). */
export type Preference = "minimal" | "representation";

/** The header of this preference, for the OpenAPI document. */
export const PreferHeader = t.Object({
  Prefer: t.Optional(
    t.String({
      description:
        "`return=representation`: 200 with the result. `return=minimal`: no body (RFC 7240).",
      enum: ["return=minimal", "return=representation"],
    }),
  ),
});

/** Matches the parts between commas that are not in a quoted string. */
const PREFERENCES = /(?:"(?:\\.|[^"\\])*(?:"|$)|[^,"])+/g;

const RETURN = /^\s*return\s*=\s*"?([^";\s]*)"?\s*(?:;|$)/i;

/** The first `return` of the header `Prefer` (RFC 7240 2); undefined if it has another value. */
function preferenceOf({ headers }: Request): Preference | undefined {
  const preferences = headers.get("prefer")?.match(PREFERENCES) ?? [];
  const [first] = preferences.flatMap((preference) => RETURN.exec(preference)?.[1] ?? []);
  const value = first?.toLowerCase();
  return value === "minimal" || value === "representation" ? value : undefined;
}

/**
 * The answer with the result of `handle`. An empty operation sends the result only if the request, or
 * else `byDefault`, prefers a representation (decision 44).
 */
export function answerOf(
  { status, empty }: Pick<Route, "status" | "empty">,
  request: Request,
  { result, byDefault }: { result: unknown; byDefault: Preference },
): Response {
  const represented = (code: number) =>
    result instanceof Response ? result : Response.json(result, { status: code });
  if (!empty) return represented(status);
  const sent = preferenceOf(request);
  const preference = sent ?? byDefault;
  const isMinimal = preference === "minimal";
  const response = isMinimal ? new Response(null, { status }) : represented(200);
  response.headers.append("vary", "Prefer");
  if (sent !== undefined || !isMinimal) {
    response.headers.set("preference-applied", `return=${preference}`);
  }
  return response;
}

const TABLE = "text/csv";
const JSON_TYPE = "application/json";

/** How a media type is accepted: its `q` (0 to 1), and how close the range with this `q` is to it. */
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

/** Whether the header `Accept-Encoding` names gzip without the weight 0 (RFC 9110 12.5.3). */
export function takesGzip(headers: Headers): boolean {
  const accepted = headers.get("accept-encoding") ?? "";
  return /(?:^|,)\s*gzip\s*(?:$|,|;\s*q=(?!0(?:\.0*)?\s*(?:$|,)))/i.test(accepted);
}
