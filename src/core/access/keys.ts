import type { KeyReads, KeyRow, KeyWrites } from "../ports/access.ts";
import type { Log } from "../ports/log.ts";
import { Failure } from "../values/failure.ts";
import { isLonger, storableText } from "../values/json.ts";
import { isoTime, parseTime } from "../values/time.ts";
import {
  invalidPersonalKey,
  isPersonalKey,
  isScope,
  KEY_BYTES_MAX,
  KEY_LABEL_CHARS_MAX,
  KEYS_PER_USER_MAX,
  keyHash,
  keyMask,
  LAST_USED_MS,
  lackingRight,
  newKey,
  PERSONAL_KEY_PREFIX,
  type Principal,
  SCOPE_OBJECTS,
} from "./key.ts";
import { nameOwner, type OwnerNeeds, owner, ownerOf } from "./owner.ts";

/** A personal key to be made. */
export type KeyDraft = {
  label: string;
  scopes: string[];
  /** Projects the key is confined to; null for all. */
  scoped_teams?: number[] | null | undefined;
  /** ISO 8601, ahead; null for never. */
  expires_at?: string | null | undefined;
  /** E-mail of its owner, a new user if unknown; the first user by default. */
  email?: string | undefined;
  /** The key itself, for installs that bring their own. */
  value?: string | undefined;
};

/** Changes of a key; absent fields stay. */
export type KeyChanges = Partial<
  Pick<KeyDraft, "label" | "scopes" | "scoped_teams" | "expires_at">
>;

/** A personal key as it may be shown. `value` is the key itself, in the answer that made it. */
export type ShownKey = Omit<KeyRow, "hash" | "revoked_at"> & { value: string | null };

/** A key in the only answer that shows its value. `made_user` is the address of its owner, if that is new. */
export type NewKey = ShownKey & { value: string; made_user?: string };

/**
 * Personal keys: make, recognise, change, revoke. Without `by` the operator calls, who may do everything. A
 * key sees the keys of its own user; others are `not_found`. It cannot change a key with more rights than its
 * own: `permission_denied` (decision 54).
 */
export type Keys = {
  /** Returns the principal of a key. Fails `not_authenticated` or `authentication_failed`. */
  authenticate(key: string | undefined): Promise<Principal>;
  /** Returns the valid key with a hash, and notes its use; undefined if it is revoked, rolled or ended. */
  ofHash(hash: string): Promise<KeyRow | undefined>;
  /** Makes a key. Fails `invalid_input`, `invalid_choice`, `required` or `too_long` on an invalid field. */
  create(draft: KeyDraft, by?: Principal): Promise<NewKey>;
  list(by?: Principal): Promise<ShownKey[]>;
  get(id: number, by: Principal): Promise<ShownKey>;
  /** Fails as `create` does. */
  change(id: number, changes: KeyChanges, by?: Principal): Promise<ShownKey>;
  /** Gives a key a new value; the old one ends at once. Fails `invalid_input` if it has ended. */
  roll(id: number, by?: Principal): Promise<NewKey>;
  /** Ends a key at once. */
  revoke(id: number, by?: Principal): Promise<ShownKey>;
  /** Returns whether no key was ever made. Revoked keys count as made. */
  isUnused(): Promise<boolean>;
  /** Makes the owner, with the address of the settings, unless a user exists. */
  makeOwner(): Promise<void>;
  /** Gives the owner the address of the settings; false if another user has it. */
  nameOwner(): Promise<boolean>;
  /** Makes a key with all rights and the given value, unless it exists. Returns whether it was revoked. */
  ensure(value: string): Promise<"valid" | "revoked">;
};

type Needs = OwnerNeeds & {
  reads: KeyReads;
  writes: KeyWrites;
  hasProject: (id: number) => boolean;
  randomBytes: (count: number) => Uint8Array;
  log: Log;
};

const KEY_FORM = `A personal key is ${PERSONAL_KEY_PREFIX} and 20 to 60 letters, digits, - or _.`;

/** The personal keys of this data directory. */
export function keys(needs: Needs): Keys {
  const { reads, writes, now, randomBytes } = needs;
  const { hasEnded, ...recognised } = recognition(needs);
  const find = async (id: number, by?: Principal) => found(await reads.find(id, by?.user_id));
  /** Returns a key that `by` may change: `by` has all of its rights, except time. Fails otherwise. */
  const changeable = async (id: number, by?: Principal): Promise<KeyRow> => {
    const row = await find(id, by);
    const { scopes, scoped_teams } = row;
    expectWithin(by, { scopes, scoped_teams });
    return row;
  };

  const create = async (draft: KeyDraft, by?: Principal) => {
    const { label, scopes, scoped_teams = null, expires_at = null, value: given } = draft;
    const fields = checked({ label, scopes, scoped_teams, expires_at }, by, needs);
    if (given !== undefined && !isPersonalKey(given)) {
      throw new Failure("invalid_input", KEY_FORM, "value");
    }
    const { id: user_id, made_user } =
      by === undefined ? await ownerOf(draft.email, needs) : { id: by.user_id };
    if ((await reads.list(user_id)).length >= KEYS_PER_USER_MAX) {
      throw new Failure("invalid_input", `A user has at most ${KEYS_PER_USER_MAX} keys.`);
    }
    const value = given ?? newKey(PERSONAL_KEY_PREFIX, randomBytes);
    const row = await writes.insert({
      ...{ label, scopes, scoped_teams, expires_at, ...fields },
      user_id,
      hash: keyHash(value),
      mask_value: keyMask(value),
      created_at: isoTime(now()),
      revoked_at: null,
      last_used_at: null,
      last_rolled_at: null,
    });
    return { ...shown(row), value, ...(made_user === undefined ? {} : { made_user }) };
  };

  return {
    ...recognised,
    create,
    list: async (by) => (await reads.list(by?.user_id)).map(shown),
    get: async (id, by) => shown(await find(id, by)),
    async change(id, changes, by) {
      const row = await changeable(id, by);
      const fields = checked(changes, by, needs);
      if (Object.keys(fields).length === 0) return shown(row);
      const { expires_at, ...rights } = { ...row, ...fields };
      // A key that ends after `by` must not get rights that it did not have.
      if (lackingRight(row, rights) !== undefined) expectWithin(by, { ...rights, expires_at });
      return shown(found(await writes.change(id, fields)));
    },
    async roll(id, by) {
      const row = await changeable(id, by);
      expectWithin(by, row);
      if (hasEnded(row)) {
        const detail = "The key has ended. Give it a later end first, or make another key.";
        throw new Failure("invalid_input", detail, "expires_at");
      }
      const value = newKey(PERSONAL_KEY_PREFIX, randomBytes);
      const last_rolled_at = isoTime(now());
      const roll = { hash: keyHash(value), mask_value: keyMask(value), last_rolled_at };
      return { ...shown(found(await writes.roll(id, roll))), value };
    },
    async revoke(id, by) {
      await changeable(id, by);
      return shown(found(await writes.revoke(id, isoTime(now()))));
    },
    isUnused: async () => !(await reads.wasEverMade()),
    makeOwner: async () => void (await owner(needs)),
    nameOwner: () => nameOwner(needs),
    async ensure(value) {
      if (await reads.isRevoked(keyHash(value))) return "revoked";
      if ((await reads.byHash(keyHash(value))) === undefined) {
        await create({ label: "from the settings", scopes: ["*"], value });
      }
      return "valid";
    },
  };
}

/** Finds valid keys by their hash and by themselves. */
function recognition(needs: Needs) {
  const { reads, now } = needs;
  const noteUse = lastUseWriter(needs);
  const hasEnded = ({ expires_at }: KeyRow) => expires_at !== null && expires_at <= isoTime(now());
  const ofHash = async (hash: string): Promise<KeyRow | undefined> => {
    const row = await reads.byHash(hash);
    if (row === undefined || hasEnded(row)) return undefined;
    noteUse(row);
    return row;
  };
  const authenticate = async (key: string | undefined): Promise<Principal> => {
    if (key === undefined) {
      throw new Failure("not_authenticated", "A personal API key is required: Bearer phx_….");
    }
    const row = key.length <= KEY_BYTES_MAX ? await ofHash(keyHash(key)) : undefined;
    if (row === undefined) throw invalidPersonalKey(key);
    const { id: key_id, user_id, scopes, scoped_teams, expires_at } = row;
    return { key_id, user_id, scopes, scoped_teams, expires_at };
  };
  return { hasEnded, ofHash, authenticate };
}

/** Checks the given fields of a key, and that `by` may grant them. Undefined fields are not given. */
function checked(changes: KeyChanges, by: Principal | undefined, needs: Needs): Partial<KeyRow> {
  const { label, scopes, scoped_teams, expires_at } = changes;
  const fields: Partial<KeyRow> = {};
  if (label !== undefined) fields.label = checkedLabel(label);
  if (scopes !== undefined) fields.scopes = checkedScopes(scopes);
  if (scoped_teams !== undefined) fields.scoped_teams = scoped_teams && [...new Set(scoped_teams)];
  if (expires_at !== undefined) {
    fields.expires_at = expires_at === null ? null : checkedEnd(expires_at, needs);
  }
  expectWithin(by, { scopes: [], scoped_teams: [], ...fields });
  // Checked last, so that a key learns nothing about projects that it may not see.
  const { length } = fields.scoped_teams ?? [0];
  if (length === 0 || fields.scoped_teams?.every(needs.hasProject) === false) {
    throw new Failure(
      "invalid_input",
      "Ids of projects that exist are expected; without any, the key is for all projects.",
      "scoped_teams",
    );
  }
  return fields;
}

function checkedLabel(label: string): string {
  if (label.trim() === "") throw new Failure("required", "A label is required.", "label");
  if (isLonger(label, KEY_LABEL_CHARS_MAX)) {
    const detail = `A label has at most ${KEY_LABEL_CHARS_MAX} characters.`;
    throw new Failure("too_long", detail, "label");
  }
  return storableText(label);
}

function checkedScopes(scopes: string[]): string[] {
  if (scopes.length === 0 || !scopes.every(isScope)) {
    const form = `\`*\` or a list of <object>:<read|write>. Objects are ${SCOPE_OBJECTS.join(", ")}.`;
    throw new Failure("invalid_choice", `Scopes are ${form}`, "scopes");
  }
  return [...new Set(scopes)];
}

function checkedEnd(text: string, { now }: Pick<Needs, "now">): string {
  const at = parseTime(text);
  if (at !== undefined && at > now()) return isoTime(at);
  throw new Failure(
    "invalid_input",
    "`expires_at` must be a future time (ISO 8601).",
    "expires_at",
  );
}

function expectWithin(by: Principal | undefined, rights: Parameters<typeof lackingRight>[1]): void {
  const lacking = by === undefined ? undefined : lackingRight(by, rights);
  if (lacking !== undefined) throw new Failure("permission_denied", lacking);
}

/** Writes the last use of keys, each at most once in LAST_USED_MS. The request does not wait for it. */
function lastUseWriter({ writes, now, log }: Needs) {
  const noted = new Map<number, number>();
  return ({ id, last_used_at }: KeyRow): void => {
    const at = now();
    const last = noted.get(id) ?? Date.parse(last_used_at ?? "");
    if (Math.abs(at - last) < LAST_USED_MS) return;
    noted.set(id, at);
    writes.change(id, { last_used_at: isoTime(at) }).catch((error: unknown) => {
      log.warn("the last use of a key could not be noted", { error });
    });
  };
}

function found(row: KeyRow | undefined): KeyRow {
  if (row === undefined) throw new Failure("not_found", "There is no such key.");
  return row;
}

function shown({ hash: _hash, revoked_at: _revoked, ...key }: KeyRow): ShownKey {
  return { ...key, value: null };
}
