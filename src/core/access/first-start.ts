import type { Log } from "../ports/log.ts";
import type { Keys } from "./keys.ts";
import type { Project } from "./project.ts";
import type { Projects } from "./projects.ts";

/** The keys that the first start made; the personal key is shown only here. */
export type FirstStart = {
  /** Undefined when the settings brought one. */
  personal_key: string | undefined;
};

type Needs = {
  projects: Projects;
  keys: Keys;
  /** The settings `project_key` and `personal_key`; they count at every start. */
  projectKey: string | undefined;
  personalKey: string | undefined;
  log: Log;
};

/**
 * Makes the first project, its owner and a personal key if there is no project yet, and brings
 * the keys of the settings into force (decision 16). Undefined when this is not the first start.
 */
export async function prepare(needs: Needs): Promise<FirstStart | undefined> {
  const { projects, keys, projectKey, personalKey, log } = needs;
  /** Whether the key belongs to no project, or is a former key of this one. */
  const isFree = (key: string, { id, api_token }: Project) =>
    key !== api_token && (projects.ofKey(key) ?? id) === id;
  if (personalKey !== undefined && (await keys.ensure(personalKey)) === "revoked") {
    log.warn("the personal key of the settings was revoked and stays so; give another");
  }
  const [first] = await projects.all();
  // The command line may have made a project before any key was made.
  if (first !== undefined && !(await keys.isUnused())) {
    if (projectKey !== undefined && isFree(projectKey, first)) {
      await projects.rotateKey(first.id, { api_token: projectKey });
      log.warn("the first project has the key of the settings now; its other key ends in a day", {
        project: first.id,
      });
    }
    return undefined;
  }
  // The command line may have made the directory, with other settings.
  if (!(await keys.nameOwner())) {
    log.warn("the owner's address in the settings is another user's; the owner keeps its own");
  }
  // The project is made last, because its existence shows that the first start was completed.
  const made =
    personalKey === undefined
      ? await keys.create({ label: "first key", scopes: ["*"] })
      : undefined;
  if (first === undefined) {
    await projects.create({ name: "Default project", api_token: projectKey });
  } else if (projectKey !== undefined && isFree(projectKey, first)) {
    await projects.rotateKey(first.id, { api_token: projectKey });
  }
  return { personal_key: made?.value };
}
