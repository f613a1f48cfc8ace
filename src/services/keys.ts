import { Failure } from "../domain/errors.ts";
import {
  isPersonalKey,
  KEY_BYTES_MAX,
  KEY_LABEL_CHARS_MAX,
  keyHash,
  keyMask,
  newKey,
  PERSONAL_KEY_PREFIX,
} from "../domain/key.ts";
import { isScope, type Principal } from "../domain/principal.ts";
import { type Clock, isoTime } from "../domain/time.ts";
import type { User } from "../domain/user.ts";
import type { KeyReads, KeyRow, KeyWrites } from "../storage/keys.ts";
import type { UserReads, UserWrites } from "../storage/users.ts";

/** What a new personal key may do. */
export type KeyDraft = {
  label: string;
  scopes: string[];
  /** Projects the key is confined to; null for all. */
  scoped_teams?: number[] | null;
  /** ISO 8601; null for never. */
  expires_at?: string | null;
  /** E-mail of its owner, made if there is none; the first user by default. */
  email?: string | undefined;
  /** The key itself, for installs that bring their own. */
  value?: string | undefined;
};

/** A personal key as it may be shown. */
export type ShownKey = Omit<KeyRow, "hash" | "revoked_at">;

/** Personal keys: made, recognised, revoked. */
export type Keys = {
  /** Whose key it is. Fails `not_authenticated` or `authentication_failed`. */
  authenticate(key: string | undefined): Promise<Principal>;
  /** The new key and, this once, its `value`. Fails `invalid_input`, `required`, `too_long`. */
  create(draft: KeyDraft): Promise<ShownKey & { value: string }>;
  list(): Promise<ShownKey[]>;
  /** Whether no key was ever made, also none that is revoked by now. */
  isUnused(): Promise<boolean>;
  /** Ends a key at once. Fails `not_found`. */
  revoke(id: number): Promise<ShownKey>;
  /** Makes a given key valid for everything, unless it is known; says if it was revoked. */
  ensure(value: string): Promise<"valid" | "revoked">;
};

type Needs = {
  reads: KeyReads;
  writes: KeyWrites;
  users: UserReads & UserWrites;
  /** The e-mail address that the first user gets. */
  ownerEmail: string;
  now: Clock;
  newUuid: () => string;
  randomBytes: (count: number) => Uint8Array;
};

/** The personal keys of this data directory. */
export function keys(needs: Needs): Keys {
  const { reads, writes, users, ownerEmail, now, newUuid, randomBytes } = needs;
  const ownerOf = async (email: string | undefined): Promise<User> => {
    const found = email === undefined ? await users.owner() : await users.byEmail(email);
    if (found !== undefined) return found;
    const address = email ?? ownerEmail;
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) {
      throw new Failure("invalid_input", "An e-mail address is expected.", "user");
    }
    const uuid = newUuid();
    return users.insert({
      uuid,
      distinct_id: uuid,
      first_name: "",
      last_name: "",
      email: address,
      is_email_verified: false,
      hedgehog_config: null,
      role_at_organization: null,
      created_at: isoTime(now()),
    });
  };

  const create = async (draft: KeyDraft) => {
    const { label, scopes, scoped_teams = null, expires_at = null } = draft;
    check(draft);
    const value = draft.value ?? newKey(PERSONAL_KEY_PREFIX, randomBytes);
    const row = await writes.insert({
      user_id: (await ownerOf(draft.email)).id,
      label,
      hash: keyHash(value),
      mask_value: keyMask(value),
      scopes,
      scoped_teams,
      created_at: isoTime(now()),
      expires_at,
      revoked_at: null,
    });
    return { ...shown(row), value };
  };

  return {
    async authenticate(key) {
      if (key === undefined) {
        throw new Failure("not_authenticated", "A personal API key is required: Bearer phx_….");
      }
      const row = key.length <= KEY_BYTES_MAX ? await reads.byHash(keyHash(key)) : undefined;
      const expired = row?.expires_at != null && row.expires_at <= isoTime(now());
      if (row === undefined || expired) {
        throw new Failure("authentication_failed", "The personal API key is not valid.");
      }
      const { id: key_id, user_id, scopes, scoped_teams } = row;
      return { key_id, user_id, scopes, scoped_teams };
    },
    create,
    list: async () => (await reads.list()).map(shown),
    isUnused: async () => (await users.owner()) === undefined,
    async revoke(id) {
      const row = await writes.revoke(id, isoTime(now()));
      if (row === undefined) throw new Failure("not_found", "There is no such key.");
      return shown(row);
    },
    async ensure(value) {
      if (await reads.isRevoked(keyHash(value))) return "revoked";
      if ((await reads.byHash(keyHash(value))) === undefined) {
        await create({ label: "from the settings", scopes: ["*"], value });
      }
      return "valid";
    },
  };
}

function check({ label, scopes, value }: KeyDraft): void {
  if (label.trim() === "") throw new Failure("required", "A label is required.", "label");
  if (label.length > KEY_LABEL_CHARS_MAX) {
    const detail = `A label has at most ${KEY_LABEL_CHARS_MAX} characters.`;
    throw new Failure("too_long", detail, "label");
  }
  if (scopes.length === 0 || !scopes.every(isScope)) {
    const detail = "Scopes are `*` or a list of <object>:<read|write>.";
    throw new Failure("invalid_choice", detail, "scopes");
  }
  if (value !== undefined && !isPersonalKey(value)) {
    const detail = `A personal key is ${PERSONAL_KEY_PREFIX} and 20 to 60 letters, digits, - or _.`;
    throw new Failure("invalid_input", detail, "value");
  }
}

function shown({ hash: _hash, revoked_at: _revoked, ...key }: KeyRow): ShownKey {
  return key;
}
