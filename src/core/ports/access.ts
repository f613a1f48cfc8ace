import type { User } from "../access/key.ts";
import type { FormerKey, Project } from "../access/project.ts";
import type { Part } from "../values/page.ts";

/*
 * Personal keys, projects and users. Another connection or thread sees a write as soon as it resolves:
 * a revoked or rolled key must not authenticate one more request. The rules of all ports are in
 * `events.ts`.
 */

/** A stored personal key. Only its hash is kept, never the key. */
export type KeyRow = {
  id: number;
  user_id: number;
  label: string;
  /** SHA-256 of the key. No two keys have the same one. */
  hash: string;
  /** The few characters of the key that may be shown. */
  mask_value: string;
  scopes: string[];
  /** Ids of the projects that the key may see; null for all. */
  scoped_teams: number[] | null;
  created_at: string;
  /** Null for a key without an end. */
  expires_at: string | null;
  /** Null while the key is valid. A revoked key stays stored, and never becomes valid again. */
  revoked_at: string | null;
  last_used_at: string | null;
  last_rolled_at: string | null;
};

/** Reads of personal keys. An expired key counts as valid here; only core reads the clock. */
export type KeyReads = {
  /** Returns the key with a hash unless it is revoked. Each request of the API calls it. */
  byHash(hash: string): Promise<KeyRow | undefined>;
  /** Returns whether a key with this hash was revoked, or was replaced by `roll`. */
  isRevoked(hash: string): Promise<boolean>;
  /** Returns whether a key was ever made; revoked keys count. */
  wasEverMade(): Promise<boolean>;
  /** Returns one key unless it is revoked; with `user_id`, only a key of that user. */
  find(id: number, user_id?: number): Promise<KeyRow | undefined>;
  /** Returns all keys that are not revoked, the oldest first; with `user_id`, those of that user. */
  list(user_id?: number): Promise<KeyRow[]>;
};

/** New values of a key's fields. A field that is absent keeps its value. */
export type KeyChanges = Partial<
  Pick<KeyRow, "label" | "scopes" | "scoped_teams" | "expires_at" | "last_used_at">
>;

/** Fields of a key that change with its value. */
export type KeyRoll = Pick<KeyRow, "hash" | "mask_value"> & { last_rolled_at: string };

/** Changes of personal keys. Each method may be called at any time. */
export type KeyWrites = {
  /** Makes a key and returns it with its id. Fails if a key has the hash; so it must not be repeated. */
  insert(draft: Omit<KeyRow, "id">): Promise<KeyRow>;
  /**
   * Changes at least one field and returns the key; undefined if it does not exist or is revoked.
   * It may be repeated.
   */
  change(id: number, changes: KeyChanges): Promise<KeyRow | undefined>;
  /**
   * Replaces the value of a key, which keeps its id; undefined if it does not exist or is revoked. The
   * old hash is kept as a revoked key with a new id, in the same transaction. It must not be repeated.
   */
  roll(id: number, roll: KeyRoll): Promise<KeyRow | undefined>;
  /** Revokes a key and returns it; undefined if it does not exist or was revoked before. */
  revoke(id: number, revoked_at: string): Promise<KeyRow | undefined>;
};

/** Reads of projects. There are at most PROJECTS_MAX. */
export type ProjectReads = {
  /** Returns projects, the oldest first; those with the ids in `only`, or all if it is null. */
  list(part: Part, only: readonly number[] | null): Promise<{ count: number; rows: Project[] }>;
  /** Returns one project. */
  find(id: number): Promise<Project | undefined>;
  /** Returns all projects, the oldest first. */
  all(): Promise<Project[]>;
  /**
   * Returns the replaced keys of a project, the first to end first. Keys that have ended may be among
   * them, so the caller compares `ends_at` with the clock.
   */
  formerKeys(project_id: number): Promise<FormerKey[]>;
};

/** The new key of a project. */
export type Rotation = {
  api_token: string;
  /** Time of the rotation. The store removes former keys of all projects that have ended by then. */
  at: string;
  /** End of the old key. Former keys of the project that would end later end at this time too. */
  ends_at: string;
};

/** Changes of projects. Each method may be called at any time. */
export type ProjectWrites = {
  /**
   * Makes a project and returns it with its id. Fails if a project has its uuid or key; so it must not be
   * repeated.
   */
  insert(draft: Omit<Project, "id">): Promise<Project>;
  /** Changes a project and returns it; undefined if it does not exist. It may be repeated. */
  update(
    id: number,
    changes: Partial<Pick<Project, "name" | "timezone">>,
  ): Promise<Project | undefined>;
  /**
   * Replaces the key of a project and returns the project; undefined if it does not exist. The old key
   * becomes a former key, and the new one is removed from the former keys. If the project has the new
   * key already, nothing changes.
   */
  rotate(id: number, rotation: Rotation): Promise<Project | undefined>;
};

/** Reads of users. */
export type UserReads = {
  /** Returns one user. */
  find(id: number): Promise<User | undefined>;
  /** Returns the user with an address, in any case of its ASCII letters. */
  byEmail(email: string): Promise<User | undefined>;
  /** Returns the first user, who owns everything that has no other owner. */
  owner(): Promise<User | undefined>;
};

/** Changes of users. Each method may be called at any time. */
export type UserWrites = {
  /**
   * Makes a user and returns it with its id. Fails if a user has its uuid or address; so it must not be
   * repeated.
   */
  insert(draft: Omit<User, "id"> & { created_at: string }): Promise<User>;
  /** Changes the address of a user. Fails if another user has the address. It may be repeated. */
  rename(id: number, email: string): Promise<void>;
};
