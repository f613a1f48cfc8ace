import type { Attempts } from "../../core/access/failed-keys.ts";
import {
  allows,
  PROJECT_KEY_PREFIX,
  type Principal,
  type Scope,
  sees,
} from "../../core/access/key.ts";
import type { Keys } from "../../core/access/keys.ts";
import type { Projects } from "../../core/access/projects.ts";
import type { Sessions } from "../../core/access/sessions.ts";
import { Failure } from "../../core/values/failure.ts";
import { readId } from "../../core/values/ids.ts";
import { checkPath } from "./parameters.ts";
import type { SessionCookie } from "./session-cookie.ts";

/** The caller of a request, and the project of its path. */
export type Granted = { principal: Principal; project: number | undefined };

type Needs = {
  keys: Keys;
  projects: Projects;
  attempts: Attempts;
  /** Sessions of the console, which count as their keys; undefined if it is off. */
  console: { sessions: Pick<Sessions, "authenticate">; cookie: SessionCookie } | undefined;
  /** The address that a request comes from; undefined without a connection. */
  addressOf: (request: Request) => string | undefined;
};

type AccessRequest = {
  request: Request;
  /** Undefined if any valid key will do. */
  scope: Scope | undefined;
  /** The path's `:project_id`, if it has one. */
  projectId: string | undefined;
};

/** Decides whether a request may call an operation. */
export type Authorizer = {
  /**
   * Checks the key, its scope, the encoding of the path, then the project (contract 5). Fails with 401,
   * 403, 400 or 404, and with 429 after too many invalid keys (decision 53). A request is checked once;
   * later calls return the same result.
   */
  authorize(access: AccessRequest): Promise<Granted>;
  /**
   * Checks a request again, because its key may end during a long upload or answer (decision 142). Fails
   * as `authorize` does, but never with 429.
   */
  reauthorize(access: AccessRequest): Promise<Granted>;
  /** Returns the caller; no scope is required. Fails with 401, and with 429 as `authorize` does. */
  identify(request: Request): Promise<Principal>;
  /** Replaces the failure of a wrong key or link by 429 after too many of them from one address. */
  slowDown(error: unknown, request: Request, secret: string | undefined): unknown;
};

/** Authorizes requests by the stored keys and projects. */
export function authorizer(needs: Needs): Authorizer {
  const { keys, projects, console } = needs;
  const decided = new WeakMap<Request, Promise<Granted>>();
  const slowDown = keyThrottle(needs);

  const principalOf = (request: Request): Promise<Principal> => {
    const session = console?.cookie.of(request);
    if (console !== undefined && session !== undefined) {
      return console.sessions.authenticate(session);
    }
    const key = bearer(request);
    if (key === "") throw new Failure("authentication_failed", NOT_BEARER);
    return keys.authenticate(key);
  };

  const decide = async ({ request, scope, projectId }: AccessRequest): Promise<Granted> => {
    const principal = await principalOf(request);
    if (scope !== undefined && !allows(principal, scope)) {
      throw new Failure("permission_denied", `The API key lacks the scope '${scope}'.`);
    }
    checkPath(request.url);
    if (projectId === undefined) return { principal, project: undefined };
    const project = projectId === "@current" ? projects.current(principal) : readId(projectId);
    if (project === undefined) throw new Failure("not_found", "Project not found.");
    if (!sees(principal, project)) {
      throw new Failure("permission_denied", "The API key may not see this project.");
    }
    if (!projects.exists(project)) throw new Failure("not_found", "Project not found.");
    return { principal, project };
  };

  const authorize = (access: AccessRequest): Promise<Granted> => {
    const { request } = access;
    const earlier = decided.get(request);
    if (earlier !== undefined) return earlier;
    const decision = decide(access).catch((error: unknown) => {
      throw slowDown(error, request, bearer(request));
    });
    decided.set(request, decision);
    return decision;
  };
  const reauthorize = (access: AccessRequest): Promise<Granted> => {
    const decision = decide(access);
    decided.set(access.request, decision);
    return decision;
  };
  const identify = async (request: Request): Promise<Principal> => {
    try {
      return await principalOf(request);
    } catch (error) {
      throw slowDown(error, request, bearer(request));
    }
  };
  return { authorize, reauthorize, identify, slowDown };
}

/**
 * Replaces the failure of an invalid key by 429 after too many of them from one address. A token that
 * cannot be a personal key does not count.
 */
function keyThrottle({ attempts, addressOf }: Needs) {
  return (error: unknown, request: Request, key = ""): unknown => {
    const isWrong = error instanceof Failure && error.code === "authentication_failed";
    if (!isWrong || key === "" || key.startsWith(PROJECT_KEY_PREFIX)) return error;
    const waitMs = attempts.failed(addressOf(request) ?? "");
    if (waitMs === undefined) return error;
    return tooManyKeys(Math.ceil(waitMs / 1000));
  };
}

/** The failure of a caller who must wait for some seconds. */
export function tooManyKeys(seconds: number): Failure {
  const detail = `Too many API keys were not valid. Try again in ${seconds} s.`;
  return new Failure("throttled", detail, null, seconds);
}

const NOT_BEARER =
  "The header has another form than Authorization: Bearer phx_…. Write Bearer, a space and the personal API key.";

/** The token of `Authorization: Bearer`, in any case of the scheme (RFC 9110 11.1); empty of a header of another form. */
function bearer(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  return header === null ? undefined : (/^bearer +(\S+) *$/i.exec(header)?.[1] ?? "");
}
