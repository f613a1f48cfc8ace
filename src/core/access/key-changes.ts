import type { KeyReads } from "../ports/access.ts";
import { Failure } from "../values/failure.ts";
import { inTurn } from "../values/in-turn.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { allows, type Principal } from "./key.ts";
import type { Keys } from "./keys.ts";
import { FRESH_MINUTES_MAX } from "./sessions.ts";

/**
 * Wraps keys so that one change runs at a time. Each is checked against the keys at that moment, also against
 * the caller's own key. Two changes at once could make a key with more rights than both (decision 54). A
 * session of the console makes, changes and rolls keys only soon after signing in, else `sign_in_too_old`.
 */
export function serialized(keys: Keys, reads: Pick<KeyReads, "find">, now: Clock): Keys {
  const run = inTurn();
  const current = async (by: Principal | undefined): Promise<Principal | undefined> => {
    if (by === undefined) return undefined;
    const row = await reads.find(by.key_id, by.user_id);
    if (row === undefined || (row.expires_at !== null && row.expires_at <= isoTime(now()))) {
      throw new Failure("authentication_failed", "The personal API key is not valid.");
    }
    if (!allows(row, WRITE)) {
      throw new Failure("permission_denied", `The API key lacks the scope '${WRITE}'.`);
    }
    const { scopes, scoped_teams, expires_at } = row;
    return { ...by, scopes, scoped_teams, expires_at };
  };
  const change = <T>(by: Principal | undefined, work: (by?: Principal) => Promise<T>) =>
    run(async () => work(await current(by)));
  /** For changes that could make a key for later: a stolen session must not outlive its end. */
  const freshChange = <T>(by: Principal | undefined, work: (by?: Principal) => Promise<T>) =>
    change(by, async (now_by) => {
      expectFresh(by, now());
      return work(now_by);
    });
  return {
    ...keys,
    create: (draft, by) => freshChange(by, (now_by) => keys.create(draft, now_by)),
    change: (id, changes, by) => freshChange(by, (now_by) => keys.change(id, changes, now_by)),
    roll: (id, by) => freshChange(by, (now_by) => keys.roll(id, now_by)),
    revoke: (id, by) => change(by, (now_by) => keys.revoke(id, now_by)),
  };
}

function expectFresh(by: Principal | undefined, at: number): void {
  if (by?.session === undefined || by.session.fresh_until > isoTime(at)) return;
  const detail = `Sign in again: a session makes and changes keys for ${FRESH_MINUTES_MAX} minutes.`;
  throw new Failure("sign_in_too_old", detail);
}

const WRITE = "personal_api_key:write";
