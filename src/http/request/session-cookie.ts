import { SESSION_DAYS_MAX } from "../../core/access/sessions.ts";
import { Failure } from "../../core/values/failure.ts";
import { firstSegment } from "./cors.ts";

/** Only pages of the console send this header; from another origin it needs a preflight, which is refused. */
export const CONSOLE_HEADER = "x-hoglet-console";

/** The value of a session: 256 random bits in base64url. */
const SECRET = /^[\w-]{43}$/;

const MAX_AGE_S = SESSION_DAYS_MAX * 86_400;

/** The cookie of sessions (decision 162). */
export type SessionCookie = {
  /**
   * Returns the value of the session that a page of the console sent; undefined without one, and for requests
   * that have a key of their own. Fails `not_authenticated` if the page may be another server's.
   */
  of(request: Request): string | undefined;
  /** Fails `not_authenticated` unless a page of this console may have sent the request. */
  expectOwnPage(request: Request): void;
  /** The header `Set-Cookie` that begins a session, or without a value ends it. */
  set(request: Request, secret?: string): string;
};

type Needs = {
  /** Differs between servers: cookies know no port, so two servers on one host need two names. */
  instance: string;
  /** The public address of a request. */
  address: (request: Request) => URL;
};

/** The cookie of the sessions of one server. */
export function sessionCookie({ instance, address }: Needs): SessionCookie {
  const isSecure = (request: Request) => address(request).protocol === "https:";
  const nameFor = (request: Request) => `${isSecure(request) ? "__Host-" : ""}hoglet_${instance}`;
  const expectOwnPage = (request: Request) => {
    if (request.headers.get(CONSOLE_HEADER) !== "1")
      throw notSignedIn("The console's header is required.");
    if (isSameOrigin(request, address(request))) return;
    throw notSignedIn(
      "The page is not of this server. If a proxy serves it, start Hoglet with --public-url.",
    );
  };
  return {
    expectOwnPage,
    of(request) {
      const { headers, url } = request;
      if (headers.has("authorization") || !takesSessions(url)) return undefined;
      const secret = secretOf(headers.get("cookie") ?? "", nameFor(request));
      if (secret === undefined || headers.get(CONSOLE_HEADER) !== "1") return undefined;
      expectOwnPage(request);
      return secret;
    },
    set(request, secret) {
      const attributes = ["Path=/", "HttpOnly", "SameSite=Strict"];
      if (isSecure(request)) attributes.push("Secure");
      attributes.push(`Max-Age=${secret === undefined ? 0 : MAX_AGE_S}`);
      return `${nameFor(request)}=${secret ?? ""}; ${attributes.join("; ")}`;
    },
  };
}

/** Whether a path takes sessions: those of metrics and documentation do not. */
function takesSessions(url: string): boolean {
  return ["api", "console"].includes(firstSegment(url));
}

/** The value of a cookie in the header `Cookie`; undefined if it is no value of a session. */
function secretOf(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && SECRET.test(value) ? value : undefined;
}

/**
 * Whether the browser says nothing against the page being of this server. A page cannot set these headers, except
 * the host that a proxy adds, which needs a preflight. So any of the hosts is a proof.
 */
function isSameOrigin({ headers }: Request, own: URL): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  const origin = headers.get("origin");
  if (origin === null) return true;
  const forwarded = headers.get("x-forwarded-host")?.split(",").at(-1)?.trim();
  const hosts = [own.host, headers.get("host"), forwarded];
  const sent = URL.parse(origin);
  return sent !== null && /^https?:$/.test(sent.protocol) && hosts.includes(sent.host);
}

const notSignedIn = (detail: string) => new Failure("not_authenticated", detail);
