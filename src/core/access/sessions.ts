import type { KeyReads, KeyRow, UserReads } from "../ports/access.ts";
import type { Log } from "../ports/log.ts";
import type { SessionReads, SessionRow, SessionWrites } from "../ports/sessions.ts";
import { Failure } from "../values/failure.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { keyHash, type Principal, READ_SCOPES, type User } from "./key.ts";
import type { Keys } from "./keys.ts";

/** Days without a request after which a session of the console ends. */
export const SESSION_IDLE_DAYS_MAX = 7;

/** Days after which a session of the console ends in any case. */
export const SESSION_DAYS_MAX = 30;

/** Minutes after signing in for which a session may make, change and roll keys. */
export const FRESH_MINUTES_MAX = 60;

/** Minutes for which a link that signs in is valid, by default. */
export const LINK_MINUTES_DEFAULT = 30;

/** The most minutes for which a link that signs in may be valid. */
export const LINK_MINUTES_MAX = 1440;

/** Sessions of one user; another one ends the oldest. */
export const SESSIONS_PER_USER_MAX = 100;

/** The time of a session's last request is written at most once in this time, in milliseconds. */
const SEEN_MS = 3_600_000;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SECRET_BYTES = 32;

/** The label of the key to which the sessions of `hoglet console` belong. */
export const CONSOLE_KEY_LABEL = "console";

/** A session as its own page sees it. */
export type OwnSession = {
  user: User;
  key: Pick<KeyRow, "id" | "label" | "scopes" | "scoped_teams" | "expires_at">;
  expires_at: string;
  /** Until then keys may be made, changed and rolled. */
  fresh_until: string;
  /** As {@link mayRunDeletions} has it. */
  runs_deletions: boolean;
};

/** A session in a list. */
export type ShownSession = Pick<SessionRow, "id" | "created_at" | "last_seen_at"> &
  Pick<SessionRow, "method" | "browser"> & { key_id: number; current: boolean };

/** The way to sign in: the value of a link, or a personal key. */
export type Credential = { link: string } | { key: string };

/**
 * Sessions of the console. Each belongs to the value of a personal key: its rights are those of the key at each
 * request, and it ends when the key is revoked, rolled or ended (decision 161).
 */
export type Sessions = {
  /** Makes a session; `secret` is its value, which is not kept. Fails `authentication_failed`. */
  signIn(by: Credential, browser: string): Promise<{ secret: string; own: OwnSession }>;
  /** Returns the principal of a session. Fails `authentication_failed` if it has ended. */
  authenticate(secret: string): Promise<Principal>;
  /** Returns a session by its value. Fails as `authenticate` does. */
  own(secret: string): Promise<OwnSession>;
  /** Returns the sessions of the user of `by` that have not ended, the newest first. */
  list(by: Principal): Promise<ShownSession[]>;
  /** Ends a session of the user of `by`. Fails `not_found`. */
  end(id: number, by: Principal): Promise<void>;
  /** Ends the session with a value, if there is one. */
  signOut(secret: string): Promise<void>;
  /** Ends all sessions and links, and returns how many sessions there were. */
  endAll(): Promise<number>;
  /**
   * Makes a link, and returns its value, which is not kept, and the scopes of its session. The session belongs to the
   * key with the value `key`, or the id `key_id`. Else it belongs to a key of the user with the address `email`, by
   * default the first user; no person knows that key. Its scopes are `scopes`: by default all for the first user, and the
   * reading ones for a user that is named. For such a user `*` fails `invalid_choice`: it takes a key that was made with it.
   * Fails `not_found` for an unknown `key_id`, and `invalid_input` if it is another user's.
   */
  makeLink(draft: LinkDraft): Promise<MadeLink>;
};

/** A link to be made. */
export type LinkDraft = {
  key?: string;
  key_id?: number | undefined;
  email?: string | undefined;
  scopes?: readonly string[] | undefined;
  minutes?: number | undefined;
};

type MadeLink = { secret: string; scopes: readonly string[]; made_user?: string };

type Needs = {
  reads: SessionReads;
  writes: SessionWrites;
  keys: Keys;
  keyReads: Pick<KeyReads, "byHash" | "find" | "list">;
  users: Pick<UserReads, "find" | "byEmail" | "owner">;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
  log: Log;
};

/** The sessions of this data directory. */
export function sessions(needs: Needs): Sessions {
  const { reads, writes, keys, now, log } = needs;
  const newSecret = () => Buffer.from(needs.randomBytes(SECRET_BYTES)).toString("base64url");
  const isOver = (row: SessionRow) => endOf(row) <= now();
  const ended = () => new Failure("authentication_failed", "The session has ended. Sign in again.");

  /** The session with a value, and its key. Fails if one of them has ended. */
  const current = async (secret: string): Promise<{ row: SessionRow; key: KeyRow }> => {
    const row = await reads.byHash(keyHash(secret));
    if (row === undefined || isOver(row)) throw ended();
    const key = await keys.ofHash(row.key_hash);
    if (key === undefined) throw ended();
    return { row, key };
  };
  const noteSeen = (row: SessionRow) => {
    const at = now();
    if (Math.abs(at - Date.parse(row.last_seen_at)) < SEEN_MS) return;
    writes.see(row.id, isoTime(at)).catch((error: unknown) => {
      log.warn("the last request of a session could not be noted", { error });
    });
  };
  const shownOwn = async (row: SessionRow, key: KeyRow): Promise<OwnSession> => {
    const { id, label, scopes, scoped_teams, expires_at } = key;
    const user = await needs.users.find(key.user_id);
    if (user === undefined) throw ended();
    const end = isoTime(endOf(row));
    return {
      user,
      key: { id, label, scopes, scoped_teams, expires_at },
      expires_at: expires_at !== null && expires_at < end ? expires_at : end,
      fresh_until: freshUntil(row),
      runs_deletions: mayRunDeletions({ scopes, scoped_teams, session: row }),
    };
  };

  return {
    async signIn(by, browser) {
      const { key, method } = await keyOf(by, needs);
      const at = now();
      const secret = newSecret();
      const draft = {
        ...{ hash: keyHash(secret), key_hash: key.hash, user_id: key.user_id, method, browser },
        ...{ created_at: isoTime(at), last_seen_at: isoTime(at) },
      };
      const expired = {
        made_before: isoTime(at - SESSION_DAYS_MAX * DAY_MS),
        seen_before: isoTime(at - SESSION_IDLE_DAYS_MAX * DAY_MS),
      };
      const row = await writes.insert(draft, { expired, keep: SESSIONS_PER_USER_MAX });
      log.info("signed in to the console", { session: row.id, method, key: key.id });
      return { secret, own: await shownOwn(row, key) };
    },
    async authenticate(secret) {
      const { row, key } = await current(secret);
      noteSeen(row);
      const { id: key_id, user_id, scopes, scoped_teams, expires_at } = key;
      const session = { id: row.id, fresh_until: freshUntil(row), method: row.method };
      return { key_id, user_id, scopes, scoped_teams, expires_at, session };
    },
    async own(secret) {
      const { row, key } = await current(secret);
      noteSeen(row);
      return shownOwn(row, key);
    },
    async list(by) {
      const shown: ShownSession[] = [];
      for (const row of await reads.list(by.user_id)) {
        const key = isOver(row) ? undefined : await keys.ofHash(row.key_hash);
        if (key === undefined) continue;
        const { id, created_at, last_seen_at, method, browser } = row;
        const current = id === by.session?.id;
        shown.push({ id, created_at, last_seen_at, method, browser, key_id: key.id, current });
      }
      return shown;
    },
    async end(id, by) {
      if (await writes.end(id, by.user_id)) return;
      throw new Failure("not_found", "There is no such session.");
    },
    async signOut(secret) {
      const row = await reads.byHash(keyHash(secret));
      if (row !== undefined) await writes.end(row.id);
    },
    endAll: () => writes.endAll(),
    makeLink: (draft) => makeLink(draft, newSecret(), needs),
  };
}

/** When a session ends, in milliseconds, unless its key ends before. */
function endOf({ created_at, last_seen_at }: SessionRow): number {
  return Math.min(
    Date.parse(created_at) + SESSION_DAYS_MAX * DAY_MS,
    Date.parse(last_seen_at) + SESSION_IDLE_DAYS_MAX * DAY_MS,
  );
}

/** Whether a caller may run deletions at once: with all rights, and by a link of the server's command line (decision 62). */
export const mayRunDeletions = ({
  scopes,
  scoped_teams,
  session,
}: Pick<Principal, "scopes" | "scoped_teams"> & {
  session?: Pick<SessionRow, "method">;
}): boolean => session?.method === "link" && scopes.includes("*") && scoped_teams === null;

function freshUntil({ created_at }: SessionRow): string {
  return isoTime(Date.parse(created_at) + FRESH_MINUTES_MAX * MINUTE_MS);
}

/** The valid key of a credential, and the way in. Fails `authentication_failed`. */
async function keyOf(
  by: Credential,
  { keys, writes, now, log }: Needs,
): Promise<{ key: KeyRow; method: SessionRow["method"] }> {
  if ("key" in by) {
    await keys.authenticate(by.key);
    const key = await keys.ofHash(keyHash(by.key));
    if (key !== undefined) return { key, method: "key" };
  } else {
    const link = await writes.takeLink(keyHash(by.link));
    const isValid = link !== undefined && link.ends_at > isoTime(now());
    const key = isValid ? await keys.ofHash(link.key_hash) : undefined;
    if (key !== undefined) return { key, method: "link" };
    log.warn("a link to the console was refused: it was used before, is late, or was never made");
  }
  throw new Failure("authentication_failed", "This link has expired or was already used.");
}

async function makeLink(
  { minutes = LINK_MINUTES_DEFAULT, ...draft }: LinkDraft,
  secret: string,
  needs: Needs,
): Promise<MadeLink> {
  const { hash: key_hash, ...made } = await linkedKey(draft, needs);
  const at = needs.now();
  const ends_at = isoTime(at + minutes * MINUTE_MS);
  await needs.writes.insertLink({ hash: keyHash(secret), key_hash, ends_at }, isoTime(at));
  return { secret, ...made };
}

/** The key to which the session of a link belongs. */
async function linkedKey(
  { key, key_id, ...draft }: Omit<LinkDraft, "minutes">,
  needs: Needs,
): Promise<{ hash: string; scopes: readonly string[]; made_user?: string }> {
  if (key !== undefined) return { hash: keyHash(key), scopes: [] };
  if (key_id === undefined) return consoleKey(draft, needs);
  const row = await needs.keyReads.find(key_id);
  const valid = row && (await needs.keys.ofHash(row.hash));
  if (valid === undefined) throw new Failure("not_found", "There is no such key, or it has ended.");
  const user = draft.email === undefined ? undefined : await needs.users.byEmail(draft.email);
  if (draft.email !== undefined && user?.id !== valid.user_id) {
    throw new Failure("invalid_input", "The key belongs to another user.", "key");
  }
  return { hash: valid.hash, scopes: valid.scopes };
}

/** Returns the key of a user for links of the command line; makes it if it does not exist. */
async function consoleKey(
  {
    email,
    scopes = email === undefined ? ["*"] : READ_SCOPES,
  }: Pick<LinkDraft, "email" | "scopes">,
  { keys, keyReads, users }: Needs,
): Promise<{ hash: string; scopes: readonly string[]; made_user?: string }> {
  if (email !== undefined && scopes.includes("*")) {
    const detail = "A user gets the scopes that you name, and never all of them by a star.";
    throw new Failure("invalid_choice", detail, "scopes");
  }
  const user = await (email === undefined ? users.owner() : users.byEmail(email));
  const rows = user === undefined ? [] : await keyReads.list(user.id);
  const wanted = new Set(scopes);
  const kept = rows.find(
    ({ label, scopes: own, scoped_teams, expires_at }) =>
      label === CONSOLE_KEY_LABEL &&
      new Set(own).symmetricDifference(wanted).size === 0 &&
      scoped_teams === null &&
      expires_at === null,
  );
  if (kept !== undefined) return { hash: kept.hash, scopes: kept.scopes };
  const made = await keys.create({ label: CONSOLE_KEY_LABEL, scopes: [...wanted], email });
  const { made_user } = made;
  const key = { hash: keyHash(made.value), scopes: made.scopes };
  return made_user === undefined ? key : { ...key, made_user };
}
