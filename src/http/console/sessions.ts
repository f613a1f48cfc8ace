import { allows } from "../../core/access/key.ts";
import type { Credential, OwnSession, Sessions } from "../../core/access/sessions.ts";
import { Failure } from "../../core/values/failure.ts";
import { readId } from "../../core/values/ids.ts";
import { isObject } from "../../core/values/json.ts";
import type { PageRoute } from "../operation/route.ts";
import type { Authorizer } from "../request/auth.ts";
import { parsedBody, readBody } from "../request/body.ts";
import type { SessionCookie } from "../request/session-cookie.ts";
import { browserName } from "./browser.ts";

/** Bytes of the body of a sign-in. */
export const SIGN_IN_BODY_BYTES_MAX = 4096;

type Needs = {
  sessions: Sessions;
  cookie: SessionCookie;
  authority: Pick<Authorizer, "identify" | "slowDown">;
};

const SESSION = "/console/api/session/";
const SESSIONS = "/console/api/sessions/";

/** Sign-in, the session of the page, and all sessions of its user. */
export function sessionRoutes({ sessions, cookie, authority }: Needs): PageRoute[] {
  /** The caller, who needs a scope: a narrow key sees and ends no sessions of broader ones. */
  const callerWith = async (request: Request, scope: string) => {
    const principal = await authority.identify(request);
    if (allows(principal, scope)) return principal;
    throw new Failure("permission_denied", `The API key lacks the scope '${scope}'.`);
  };
  return [
    {
      method: "POST",
      path: SESSION,
      async handle({ request }) {
        cookie.expectOwnPage(request);
        const by = await credentialOf(request);
        const browser = browserName(request.headers.get("user-agent"));
        const { secret, own } = await sessions.signIn(by, browser).catch((error: unknown) => {
          throw authority.slowDown(error, request, Object.values(by)[0]);
        });
        const before = cookie.of(request);
        if (before !== undefined) await sessions.signOut(before);
        return answer(own, 201, { "set-cookie": cookie.set(request, secret) });
      },
    },
    {
      method: "GET",
      path: SESSION,
      async handle({ request }) {
        cookie.expectOwnPage(request);
        const secret = cookie.of(request);
        return answer(secret === undefined ? null : await ownOrNone(sessions, secret));
      },
    },
    {
      method: "DELETE",
      path: SESSION,
      async handle({ request }) {
        cookie.expectOwnPage(request);
        const secret = cookie.of(request);
        if (secret !== undefined) await sessions.signOut(secret);
        // Without "cookies": that would also sign out of all other services of the same domain.
        const clear = { "set-cookie": cookie.set(request), "clear-site-data": '"storage"' };
        return new Response(null, { status: 204, headers: { ...HEADERS, ...clear } });
      },
    },
    {
      method: "GET",
      path: SESSIONS,
      async handle({ request }) {
        const by = await callerWith(request, "personal_api_key:read");
        return answer(await sessions.list(by));
      },
    },
    {
      method: "DELETE",
      path: `${SESSIONS}:id/`,
      async handle({ request, params }) {
        const by = await callerWith(request, "personal_api_key:write");
        const id = readId(params["id"] ?? "");
        if (id === undefined) throw new Failure("not_found", "There is no such session.");
        await sessions.end(id, by);
        return new Response(null, { status: 204, headers: HEADERS });
      },
    },
  ];
}

/** The session with a value; null once it has ended, since browsers report each 401 as an error of the page. */
async function ownOrNone({ own }: Sessions, secret: string): Promise<OwnSession | null> {
  try {
    return await own(secret);
  } catch (error) {
    if (error instanceof Failure && error.code === "authentication_failed") return null;
    throw error;
  }
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function answer(body: object | null, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...HEADERS, ...headers } });
}

/** The link or key of a sign-in. */
async function credentialOf(request: Request): Promise<Credential> {
  const { bytes, release } = await readBody(
    request,
    { held: 0 },
    {
      bytesMax: SIGN_IN_BODY_BYTES_MAX,
      onTooLarge: () =>
        new Failure("payload_too_large", `The body is over ${SIGN_IN_BODY_BYTES_MAX} bytes.`),
    },
  );
  release();
  const body = parsedBody(bytes);
  const { link, key } = isObject(body) ? body : {};
  if (typeof link === "string") return { link };
  if (typeof key === "string") return { key };
  throw new Failure("required", "A link or a personal API key is required.", "key");
}
