import { Failure } from "../domain/errors.ts";
import { allows, type Principal, type Scope, sees } from "../domain/principal.ts";
import type { Keys } from "../services/keys.ts";
import type { Projects } from "../services/projects.ts";

/** Who asks, and about which project. */
export type Granted = { principal: Principal; project: number | undefined };

type Asked = {
  request: Request;
  scope: Scope;
  /** The path's `:project_id`, if it has one. */
  projectId: string | undefined;
};

/**
 * Decides whether a request may go on: its key, then the scope, then the project (contract 5).
 * Fails with 401, 403 or 404. A request is decided once, however often it is asked about.
 */
export function authorizer(keys: Keys, projects: Projects) {
  const decided = new WeakMap<Request, Promise<Granted>>();

  const decide = async ({ request, scope, projectId }: Asked): Promise<Granted> => {
    const principal = await keys.authenticate(bearer(request));
    if (!allows(principal, scope)) {
      throw new Failure("permission_denied", `The API key lacks the scope '${scope}'.`);
    }
    if (projectId === undefined) return { principal, project: undefined };
    const project = projectId === "@current" ? projects.current(principal) : Number(projectId);
    if (project === undefined || !(/^\d{1,15}$/.test(projectId) || projectId === "@current")) {
      throw new Failure("not_found", "Project not found.");
    }
    if (!sees(principal, project)) {
      throw new Failure("permission_denied", `The API key may not see project ${project}.`);
    }
    if (!projects.exists(project)) throw new Failure("not_found", "Project not found.");
    return { principal, project };
  };

  return (asked: Asked): Promise<Granted> => {
    const known = decided.get(asked.request);
    if (known !== undefined) return known;
    const decision = decide(asked);
    decided.set(asked.request, decision);
    return decision;
  };
}

/** The token of `Authorization: Bearer`; the scheme's case does not count (RFC 9110 11.1). */
function bearer(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  return header === null ? undefined : (/^bearer +(\S+) *$/i.exec(header)?.[1] ?? "");
}
