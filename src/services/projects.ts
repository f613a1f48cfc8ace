import { Failure } from "../domain/errors.ts";
import { isProjectKey, newKey, PROJECT_KEY_PREFIX } from "../domain/key.ts";
import type { PageQuery } from "../domain/page.ts";
import type { Principal } from "../domain/principal.ts";
import { PROJECT_NAME_CHARS_MAX, type Project } from "../domain/project.ts";
import { type Clock, isoTime } from "../domain/time.ts";
import type { ProjectReads, ProjectWrites } from "../storage/projects.ts";

type Needs = {
  reads: ProjectReads;
  writes: ProjectWrites;
  now: Clock;
  newUuid: () => string;
  randomBytes: (count: number) => Uint8Array;
};

/** The projects, and which one a project key means. */
export type Projects = {
  /** The id of the project with this key. In memory: it is asked for every capture request. */
  ofKey(key: string): number | undefined;
  /** Whether there is a project with this id. */
  exists(id: number): boolean;
  /** The first project that the key's owner may see. */
  current(principal: Principal): number | undefined;
  /** Those that the principal may see, oldest first. */
  list(principal: Principal, page: PageQuery): Promise<{ count: number; rows: Project[] }>;
  all(): Promise<Project[]>;
  /** Fails `not_found`. */
  get(id: number): Promise<Project>;
  /** `api_token` is made if it is not given. Fails `invalid_input`, `required` or `too_long`. */
  create(draft: { name: string; api_token?: string | undefined }): Promise<Project>;
  /** Gives a project a new key, or the one given; the old one stops at once. Fails `not_found`. */
  rotateKey(id: number, api_token?: string): Promise<Project>;
};

/** The projects of this data directory. */
export async function openProjects(needs: Needs): Promise<Projects> {
  const { reads, writes, now, newUuid, randomBytes } = needs;
  const ids = new Set<number>();
  const idOfKey = new Map<string, number>();
  const remember = (project: Project): Project => {
    for (const [key, id] of idOfKey) if (id === project.id) idOfKey.delete(key);
    ids.add(project.id);
    idOfKey.set(project.api_token, project.id);
    return project;
  };
  for (const project of await reads.all()) remember(project);

  const token = (given: string | undefined, owner?: number): string => {
    const key = given ?? newKey(PROJECT_KEY_PREFIX, randomBytes);
    if (!isProjectKey(key)) {
      const detail = `A project key is ${PROJECT_KEY_PREFIX} and 4 to 60 letters, digits, - or _.`;
      throw new Failure("invalid_input", detail, "api_token");
    }
    const holder = idOfKey.get(key);
    if (holder !== undefined && holder !== owner) {
      throw new Failure("invalid_input", "Another project has this key.", "api_token");
    }
    return key;
  };

  return {
    ofKey: (key) => idOfKey.get(key),
    exists: (id) => ids.has(id),
    current: ({ scoped_teams }) =>
      [...ids].sort((a, b) => a - b).find((id) => scoped_teams?.includes(id) ?? true),
    list: ({ scoped_teams }, page) => reads.list(page, scoped_teams),
    all: () => reads.all(),
    async get(id) {
      const project = await reads.find(id);
      if (project === undefined) throw new Failure("not_found", "Project not found.");
      return project;
    },
    async create({ name, api_token }) {
      if (name.trim() === "") throw new Failure("required", "A name is required.", "name");
      if (name.length > PROJECT_NAME_CHARS_MAX) {
        const detail = `A name has at most ${PROJECT_NAME_CHARS_MAX} characters.`;
        throw new Failure("too_long", detail, "name");
      }
      const draft = {
        uuid: newUuid(),
        name,
        api_token: token(api_token),
        timezone: "UTC",
        created_at: isoTime(now()),
      };
      return remember(await writes.insert(draft));
    },
    async rotateKey(id, api_token) {
      const rotated = await writes.rotate(id, token(api_token, id));
      if (rotated === undefined) throw new Failure("not_found", "Project not found.");
      return remember(rotated);
    },
  };
}
