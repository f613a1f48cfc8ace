import { Failure, type FailureCode } from "../values/failure.ts";
import { randomText } from "../values/ids.ts";
import type { JsonObject } from "../values/json.ts";

/** Starts a project key: public, for capture only (contract 5). */
export const PROJECT_KEY_PREFIX = "phc_";

/** Starts a personal key: secret, for the management API (contract 5). */
export const PERSONAL_KEY_PREFIX = "phx_";

/** Characters of the label of a personal key. */
export const KEY_LABEL_CHARS_MAX = 40;

/** Personal keys of one user. */
export const KEYS_PER_USER_MAX = 1000;

/** The time of a key's last use is written at most once in this time, in milliseconds. */
export const LAST_USED_MS = 3_600_000;

/** The most bytes of a key; longer texts are refused without a lookup. */
export const KEY_BYTES_MAX = 64;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_CHARS = 43;

/** A new key: the prefix and 43 base62 characters, from at least 256 random bits. */
export function newKey(prefix: string, randomBytes: (count: number) => Uint8Array): string {
  return prefix + randomText(BASE62, KEY_CHARS, randomBytes);
}

/** Returns the SHA-256 of a personal key. Only this is stored, so a copy of the data has no keys. */
export function keyHash(key: string): string {
  return `sha256$${new Bun.CryptoHasher("sha256").update(key).digest("hex")}`;
}

/** A personal key as it may be shown: its prefix and its last four characters. */
export function keyMask(key: string): string {
  return `${PERSONAL_KEY_PREFIX}...${key.slice(-4)}`;
}

/** Whether a text has a shape that project keys may have; an unattended install brings its own. */
export function isProjectKey(text: string): boolean {
  return /^phc_[A-Za-z0-9_-]{4,60}$/.test(text);
}

/** Whether a text has the shape of a personal key; a short one could be guessed. */
export function isPersonalKey(text: string): boolean {
  return /^phx_[A-Za-z0-9_-]{20,60}$/.test(text);
}

/** The failure of a text that is no valid personal key. It names a project key as such. */
export function invalidPersonalKey(key: string): Failure {
  const detail = key.startsWith(PROJECT_KEY_PREFIX)
    ? "This is a project API key, which only sends. A personal API key, phx_…, is expected."
    : "The personal API key is not valid.";
  return new Failure("authentication_failed", detail);
}

/** The failure of a text that is no project's key, with the parts of it that may be shown. */
export class UnknownKey extends Failure {
  readonly mask: string;

  constructor(
    detail: string,
    attr: string | null,
    { mask, code = "invalid_api_key" }: { mask: string; code?: FailureCode },
  ) {
    super(code, detail, attr);
    this.mask = mask;
  }
}

/** A shorter text is masked whole: its two ends would be most of it. */
const MASKED_CHARS_MIN = 16;

/** Returns the parts of a text sent as a key that may be shown: its prefix and its last four characters. */
export function sentKeyMask(key: string): string {
  const prefix = [PROJECT_KEY_PREFIX, PERSONAL_KEY_PREFIX].find((one) => key.startsWith(one)) ?? "";
  const end = key.length < MASKED_CHARS_MIN ? "" : key.slice(-4).toWellFormed();
  return `${prefix}...${end}`;
}

/** The failure of a text that is no project's key. It names a personal key as such. */
export const unknownProjectKey = (key: string, attr: string | null = null): UnknownKey =>
  new UnknownKey(unknownKeyDetail(key), attr, { mask: sentKeyMask(key) });

/** The same for a text in a path: there is nothing at it. */
export const unknownKeyInPath = (key: string): UnknownKey =>
  new UnknownKey(unknownKeyDetail(key), null, { mask: sentKeyMask(key), code: "not_found" });

const unknownKeyDetail = (key: string): string =>
  key.startsWith(PERSONAL_KEY_PREFIX)
    ? "This is a personal API key, which is secret. A project API key, phc_…, is expected."
    : "The project API key is not known here.";

/** The kinds of objects that scopes name. */
export const SCOPE_OBJECTS = [
  "activity_log",
  "annotation",
  "dashboard",
  "error_tracking",
  "event_definition",
  "group",
  "insight",
  "person",
  "personal_api_key",
  "project",
  "property_definition",
  "query",
  "session_recording_playlist",
  "user",
] as const;

/** Scopes that read everything and change nothing. */
export const READ_SCOPES: readonly Scope[] = SCOPE_OBJECTS.map(
  (object) => `${object}:read` as const,
);

/** One permission, `<object>:<read|write>` (contract 5.1). */
export type Scope = `${(typeof SCOPE_OBJECTS)[number]}:${"read" | "write"}`;

/** The user and the rights of a personal key. */
export type Principal = {
  key_id: number;
  user_id: number;
  /** Scopes, or `*` for all of them. */
  scopes: readonly string[];
  /** The projects the key is confined to; null for all. */
  scoped_teams: readonly number[] | null;
  /** When the key ends, ISO 8601; null for never. */
  expires_at: string | null;
  /** The session of the console that sent the request; without it, the request had the key itself. */
  session?: { id: number; fresh_until: string; method: "key" | "link" };
};

/** The rights of a key: scopes, projects and time. */
export type Rights = Pick<Principal, "scopes" | "scoped_teams" | "expires_at">;

/** Whether `text` may stand in a key's list of scopes. */
export function isScope(text: string): boolean {
  if (text === "*") return true;
  const [object, action, ...rest] = text.split(":");
  return (
    rest.length === 0 &&
    (action === "read" || action === "write") &&
    SCOPE_OBJECTS.some((known) => known === object)
  );
}

/** Whether the principal holds a scope, or `*`; write implies read. */
export function allows({ scopes }: Pick<Principal, "scopes">, scope: string): boolean {
  if (scopes.includes("*") || scopes.includes(scope)) return true;
  return scope.endsWith(":read") && scopes.includes(scope.replace(/:read$/, ":write"));
}

/**
 * Returns a sentence that names a right of a key that the principal lacks: a scope, a project or time. Returns
 * undefined if it lacks no right. Without `expires_at`, time does not count.
 */
export function lackingRight(
  principal: Rights,
  { scopes, scoped_teams, expires_at }: Omit<Rights, "expires_at"> & Partial<Rights>,
): string | undefined {
  const scope = scopes.find((wanted) => !allows(principal, wanted));
  if (scope !== undefined) return `The API key lacks the scope '${scope}'.`;
  if (scoped_teams?.every((wanted) => sees(principal, wanted)) === false) {
    return "The API key may not see one of these projects.";
  }
  if (scoped_teams === null && principal.scoped_teams !== null) {
    return "The API key may not see all projects.";
  }
  const end = principal.expires_at;
  const outlasts = end !== null && expires_at !== undefined && (expires_at ?? "~") > end;
  return outlasts ? "The API key itself ends before that." : undefined;
}

/** Whether the principal may see a project at all. */
export function sees({ scoped_teams }: Pick<Principal, "scoped_teams">, project: number): boolean {
  return scoped_teams === null || scoped_teams.includes(project);
}

/** A user, as answers have it in the objects that the user made (contract 2.4). */
export type User = {
  id: number;
  uuid: string;
  distinct_id: string;
  first_name: string;
  last_name: string;
  email: string;
  is_email_verified: boolean;
  hedgehog_config: JsonObject;
  role_at_organization: string;
};

/** Fails `permission_denied` if a key lacks a scope that only a part of the operation needs. */
export function checkScope(principal: Principal, scope: Scope): void {
  if (allows(principal, scope)) return;
  throw new Failure("permission_denied", `The API key lacks the scope '${scope}'.`);
}
