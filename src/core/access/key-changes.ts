import type { KeyReads } from "../ports/access.ts";
import { Failure } from "../values/failure.ts";
import { inTurn } from "../values/in-turn.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { allows, type Principal } from "./key.ts";
import type { Keys } from "./keys.ts";

/**
 * Wraps keys so that one change runs at a time. Each is checked against the keys at that moment, also against
 * the caller's own key. Two changes at once could make a key with more rights than both (decision 54).
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
  return {
    ...keys,
    create: (draft, by) => change(by, (now_by) => keys.create(draft, now_by)),
    change: (id, changes, by) => change(by, (now_by) => keys.change(id, changes, now_by)),
    roll: (id, by) => change(by, (now_by) => keys.roll(id, now_by)),
    revoke: (id, by) => change(by, (now_by) => keys.revoke(id, now_by)),
  };
}

const WRITE = "personal_api_key:write";
