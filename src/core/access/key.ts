import { randomText } from "../values/random-text.ts";

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

/** The SHA-256 of a personal key, all that is kept of it (design: no secrets at rest). */
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
