import type { ProjectReads, ProjectWrites } from "../ports/access.ts";
import { Failure } from "../values/failure.ts";
import { isLonger, storableText } from "../values/json.ts";
import { cursorPage, type Page, type PageQuery } from "../values/page.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { isProjectKey, newKey, PROJECT_KEY_PREFIX, type Principal } from "./key.ts";
import { ORGANIZATION } from "./organization.ts";
import {
  FORMER_KEYS_MAX,
  type FormerKey,
  GRACE_HOURS_DEFAULT,
  GRACE_HOURS_MAX,
  PROJECT_NAME_CHARS_MAX,
  PROJECTS_MAX,
  type Project,
} from "./project.ts";

type Needs = {
  reads: ProjectReads;
  writes: ProjectWrites;
  now: Clock;
  newUuid: () => string;
  randomBytes: (count: number) => Uint8Array;
};

/** A project as it may be shown, with its former keys that are still accepted. */
export type ShownProject = Project & { organization: string; former_api_tokens: FormerKey[] };

/** A project to be made. `timezone` is UTC by default. */
export type ProjectDraft = {
  name: string;
  api_token?: string | undefined;
  timezone?: string | undefined;
};

/** Changes of a project; absent fields stay. */
export type ProjectChanges = { name?: string | undefined; timezone?: string | undefined };

/** How a project's key is replaced. */
export type Rotation = {
  /** The new key; made if it is not given. */
  api_token?: string | undefined;
  /** How long the old key is still accepted, in hours; GRACE_HOURS_DEFAULT if not given. */
  grace_hours?: number | undefined;
};

/** The projects, and which one a project key means. */
export type Projects = {
  /**
   * The id of the project with this key, or that had it and still accepts it (decision 52). In
   * memory: it is asked for every capture request.
   */
  ofKey(key: string): number | undefined;
  /** Whether there is a project with this id. */
  exists(id: number): boolean;
  /** The first project that the key's owner may see. */
  current(principal: Principal): number | undefined;
  /**
   * Projects that the principal may see, oldest first. `url` is the public address of the request, for
   * links.
   */
  list(principal: Principal, query: PageQuery, url: URL): Promise<Page<ShownProject>>;
  all(): Promise<ShownProject[]>;
  /** Fails `not_found`. */
  get(id: number): Promise<ShownProject>;
  /**
   * `api_token` is made if it is not given; `by` is who asks, if not the operator. Fails
   * `invalid_input`, `required` or `too_long`, and `permission_denied` if `by` would not see it.
   */
  create(draft: ProjectDraft, by?: Principal): Promise<ShownProject>;
  /** Fails `not_found`, `required`, `too_long`, or `invalid_input` on an unknown time zone. */
  change(id: number, changes: ProjectChanges): Promise<ShownProject>;
  /** Gives a project a new key. Fails `not_found` or `invalid_input`. */
  rotateKey(id: number, rotation?: Rotation): Promise<ShownProject>;
};

const HOUR_MS = 3_600_000;

/** The projects of this data directory. */
export async function openProjects(needs: Needs): Promise<Projects> {
  const { reads, writes, now, newUuid, randomBytes } = needs;
  const keysOf = new Map<number, { current: string; former: FormerKey[] }>();
  const holders = new Map<string, { id: number; endsAt: number }>();
  const shown = (project: Project): ShownProject => {
    const at = isoTime(now());
    const { former = [] } = keysOf.get(project.id) ?? {};
    const former_api_tokens = former.filter(({ ends_at }) => ends_at > at);
    return { ...project, organization: ORGANIZATION.id, former_api_tokens };
  };
  const remember = async (project: Project): Promise<ShownProject> => {
    const { id, api_token: current } = project;
    const former = await reads.formerKeys(id);
    const before = keysOf.get(id);
    for (const key of before?.former ?? []) holders.delete(key.api_token);
    if (before !== undefined) holders.delete(before.current);
    for (const key of former) holders.set(key.api_token, { id, endsAt: Date.parse(key.ends_at) });
    holders.set(current, { id, endsAt: Number.POSITIVE_INFINITY });
    keysOf.set(id, { current, former });
    return shown(project);
  };
  for (const project of await reads.all()) await remember(project);

  const ofKey = (key: string): number | undefined => {
    const holder = holders.get(key);
    return holder !== undefined && now() < holder.endsAt ? holder.id : undefined;
  };

  const token = (given: string | undefined, owner?: number): string => {
    const key = given ?? newKey(PROJECT_KEY_PREFIX, randomBytes);
    if (!isProjectKey(key)) {
      const detail = `A project key is ${PROJECT_KEY_PREFIX} and 4 to 60 letters, digits, - or _.`;
      throw new Failure("invalid_input", detail, "api_token");
    }
    const holder = ofKey(key);
    if (holder !== undefined && holder !== owner) {
      throw new Failure("invalid_input", "Another project has this key.", "api_token");
    }
    return key;
  };

  return {
    ofKey,
    exists: (id) => keysOf.has(id),
    current: ({ scoped_teams }) =>
      [...keysOf.keys()].sort((a, b) => a - b).find((id) => scoped_teams?.includes(id) ?? true),
    async list({ scoped_teams }, query, url) {
      const listed = await cursorPage(url, query, {
        keysOf: ({ id }: Project) => [id] as const,
        keyTypes: [0],
        read: (part) => reads.list(part, scoped_teams),
      });
      return { ...listed, results: listed.results.map(shown) };
    },
    all: async () => (await reads.all()).map(shown),
    async get(id) {
      const project = await reads.find(id);
      return shown(found(project));
    },
    async create({ name, api_token, timezone = "UTC" }, by) {
      checkName(name);
      if (by !== undefined && by.scoped_teams !== null) {
        throw new Failure("permission_denied", "A key confined to projects cannot make others.");
      }
      if (keysOf.size >= PROJECTS_MAX) {
        throw new Failure("invalid_input", `There are ${PROJECTS_MAX} projects already.`);
      }
      const draft = {
        uuid: newUuid(),
        name: storableText(name),
        api_token: token(api_token),
        timezone: zoneNamed(timezone),
        created_at: isoTime(now()),
      };
      return remember(await writes.insert(draft));
    },
    change: async (id, asked) => shown(found(await writes.update(id, changesOf(asked)))),
    async rotateKey(id, { api_token, grace_hours = GRACE_HOURS_DEFAULT } = {}) {
      checkGrace(grace_hours, shown(found(await reads.find(id))));
      const at = now();
      const rotated = await writes.rotate(id, {
        api_token: token(api_token, id),
        at: isoTime(at),
        ends_at: isoTime(at + grace_hours * HOUR_MS),
      });
      return remember(found(rotated));
    },
  };
}

function changesOf({ name, timezone }: Parameters<Projects["change"]>[1]) {
  if (name === undefined && timezone === undefined) {
    throw new Failure("required", "A name or a timezone is expected.", "name");
  }
  if (name !== undefined) checkName(name);
  return {
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(timezone === undefined ? {} : { timezone: zoneNamed(timezone) }),
  };
}

function found(project: Project | undefined): Project {
  if (project === undefined) throw new Failure("not_found", "Project not found.");
  return project;
}

function checkGrace(grace_hours: number, { former_api_tokens }: ShownProject): void {
  if (!Number.isInteger(grace_hours) || grace_hours < 0 || grace_hours > GRACE_HOURS_MAX) {
    const detail = `A whole number of hours from 0 to ${GRACE_HOURS_MAX} is expected.`;
    throw new Failure("invalid_input", detail, "grace_hours");
  }
  if (grace_hours > 0 && former_api_tokens.length >= FORMER_KEYS_MAX) {
    const detail = `${FORMER_KEYS_MAX} former keys are still accepted. End them with 0 hours.`;
    throw new Failure("invalid_input", detail, "grace_hours");
  }
}

/** The name that the zone goes by, in any case. */
function zoneNamed(timezone: string): string {
  try {
    // Offsets such as +02:00 are taken there too, and have no days on which clocks change.
    if (/^[a-z]/i.test(timezone)) {
      return new Intl.DateTimeFormat("en-US", { timeZone: timezone }).resolvedOptions().timeZone;
    }
  } catch {
    // An unknown zone: the failure follows.
  }
  const detail = "The IANA name of a time zone is expected, such as Europe/Berlin.";
  throw new Failure("invalid_input", detail, "timezone");
}

function checkName(name: string): void {
  if (name.trim() === "") throw new Failure("required", "A name is required.", "name");
  if (isLonger(name, PROJECT_NAME_CHARS_MAX)) {
    const detail = `A name has at most ${PROJECT_NAME_CHARS_MAX} characters.`;
    throw new Failure("too_long", detail, "name");
  }
}
