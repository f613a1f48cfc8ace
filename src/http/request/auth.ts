import type { Attempts } from "../../core/access/failed-keys.ts";
import { PROJECT_KEY_PREFIX } from "../../core/access/key.ts";
import type { Keys } from "../../core/access/keys.ts";
import { allows, type Principal, type Scope, sees } from "../../core/access/principal.ts";
import type { Projects } from "../../core/access/projects.ts";
import { Failure } from "../../core/values/failure.ts";
import { readId } from "../../core/values/id.ts";
import { checkPath } from "./parameters.ts";

/** Who asks, and about which project. */
export type Granted = { principal: Principal; project: number | undefined };

type Needs = {
  keys: Keys;
  projects: Projects;
  attempts: Attempts;
  /** The address a request comes from; undefined without a connection. */
  addressOf: (request: Request) => string | undefined;
};

type Asked = {
  request: Request;
  scope: Scope;
  /** The path's `:project_id`, if it has one. */
  projectId: string | undefined;
};

/** Tells who may do what. */
export type Authorizer = {
  /**
   * Decides whether a request may go on: its key, the scope, how its path is written, then the
   * project (contract 5). Fails with 401, 403, 400 or 404, and with 429 where too many keys were
   * wrong (decision 53). A request is decided once, however often it is asked about.
   */
  authorize(asked: Asked): Promise<Granted>;
  /**
   * Decides it anew, for a request whose body has come since, or that is being answered (decision 142);
   * fails as the first time, but with no 429.
   */
  reauthorize(asked: Asked): Promise<Granted>;
};

/** Decides by the keys and projects that there are. */
export function authorizer(needs: Needs): Authorizer {
  const { keys, projects } = needs;
  const decided = new WeakMap<Request, Promise<Granted>>();
  const tell = wrongKeys(needs);

  const decide = async ({ request, scope, projectId }: Asked): Promise<Granted> => {
    const principal = await keys.authenticate(bearer(request));
    if (!allows(principal, scope)) {
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

  const authorize = (asked: Asked): Promise<Granted> => {
    const { request } = asked;
    const known = decided.get(request);
    if (known !== undefined) return known;
    const decision = decide(asked).catch((error: unknown) => {
      throw tell(error, request, bearer(request));
    });
    decided.set(request, decision);
    return decision;
  };
  const reauthorize = (asked: Asked): Promise<Granted> => {
    const decision = decide(asked);
    decided.set(asked.request, decision);
    return decision;
  };
  return { authorize, reauthorize };
}

/**
 * What to answer to a key that is not valid: that, or after too many of them from one address to
 * try again later. What is no personal key at all is no attempt at one.
 */
function wrongKeys({ attempts, addressOf }: Needs) {
  return (error: unknown, request: Request, key = ""): unknown => {
    const isWrong = error instanceof Failure && error.code === "authentication_failed";
    if (!isWrong || key === "" || key.startsWith(PROJECT_KEY_PREFIX)) return error;
    const waitMs = attempts.failed(addressOf(request) ?? "");
    if (waitMs === undefined) return error;
    return tooManyKeys(Math.ceil(waitMs / 1000));
  };
}

/** What a caller is told who is to wait that many seconds. */
export function tooManyKeys(seconds: number): Failure {
  const detail = `Too many API keys were not valid. Try again in ${seconds} s.`;
  return new Failure("throttled", detail, null, seconds);
}

/** The token of `Authorization: Bearer`; the scheme's case does not count (RFC 9110 11.1). */
function bearer(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  return header === null ? undefined : (/^bearer +(\S+) *$/i.exec(header)?.[1] ?? "");
}
