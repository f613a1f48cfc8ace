import type { FormerKey, Project } from "../access/project.ts";
import type { User } from "../access/user.ts";
import type { Part } from "../values/page.ts";

/** A personal key as it is kept: its SHA-256 (`hash`), never the key. */
export type KeyRow = {
  id: number;
  user_id: number;
  label: string;
  hash: string;
  mask_value: string;
  scopes: string[];
  scoped_teams: number[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  last_rolled_at: string | null;
};

/** What personal keys there are. */
export type KeyReads = {
  /** The key with this hash that is not revoked; it may have expired. */
  byHash(hash: string): Promise<KeyRow | undefined>;
  /** Whether a key with this hash was revoked. */
  isRevoked(hash: string): Promise<boolean>;
  /** Whether there ever was a key, also one that is revoked by now. */
  hasBeen(): Promise<boolean>;
  /** The key with this id that is not revoked, of this user if one is given. */
  find(id: number, user_id?: number): Promise<KeyRow | undefined>;
  /** Oldest first, without the revoked ones; of one user if it is given. */
  list(user_id?: number): Promise<KeyRow[]>;
};

/** What may change of a key. */
export type KeyChanges = Partial<
  Pick<KeyRow, "label" | "scopes" | "scoped_teams" | "expires_at" | "last_used_at">
>;

/** What a key gets with its new value. */
export type KeyRoll = Pick<KeyRow, "hash" | "mask_value"> & { last_rolled_at: string };

/** Changes to personal keys. */
export type KeyWrites = {
  insert(draft: Omit<KeyRow, "id">): Promise<KeyRow>;
  /** Changes at least one field; undefined if there is no such key or it is revoked. */
  change(id: number, changes: KeyChanges): Promise<KeyRow | undefined>;
  /**
   * Replaces a key's value; the old one counts as revoked from then on, under another id.
   * Undefined if there is no such key or it is revoked.
   */
  roll(id: number, roll: KeyRoll): Promise<KeyRow | undefined>;
  /** Ends a key at once; undefined if there is none or it was revoked before. */
  revoke(id: number, revoked_at: string): Promise<KeyRow | undefined>;
};

/** What projects there are. */
export type ProjectReads = {
  /** Oldest first, those of `only` if it is given. */
  list(part: Part, only: readonly number[] | null): Promise<{ count: number; rows: Project[] }>;
  find(id: number): Promise<Project | undefined>;
  all(): Promise<Project[]>;
  /** The former keys of a project that may still be accepted, those that end first first. */
  formerKeys(project_id: number): Promise<FormerKey[]>;
};

/** How a project gets its new key. */
export type Rotation = {
  api_token: string;
  /** ISO 8601; what has ended by then is forgotten. */
  at: string;
  /** Until when the old key is accepted; the ones before it end then, too, if not earlier. */
  ends_at: string;
};

/** Changes to projects. */
export type ProjectWrites = {
  insert(draft: Omit<Project, "id">): Promise<Project>;
  /** Undefined if there is no such project. */
  update(
    id: number,
    changes: Partial<Pick<Project, "name" | "timezone">>,
  ): Promise<Project | undefined>;
  /** Replaces the project key; undefined if there is no such project. */
  rotate(id: number, rotation: Rotation): Promise<Project | undefined>;
};

/** Who there is. */
export type UserReads = {
  find(id: number): Promise<User | undefined>;
  /** In any case of its letters. */
  byEmail(email: string): Promise<User | undefined>;
  /** The first user, who owns what nobody else was named for. */
  owner(): Promise<User | undefined>;
};

/** Changes to users. */
export type UserWrites = {
  insert(draft: Omit<User, "id"> & { created_at: string }): Promise<User>;
  /** Gives a user another address, which nobody else may have. */
  rename(id: number, email: string): Promise<void>;
};
