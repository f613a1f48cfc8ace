import type { Counted } from "../../../core/ports/person-search.ts";
import type { Sqlite } from "../sqlite.ts";

/** Numbers that are kept, those that were asked for last. */
const KEPT_MAX = 256;

/** Addresses that changed since a number was counted, up to which it is brought up to date: 10 ms. */
const CHANGES_MAX = 10_000;

/**
 * Numbers of persons with a part in their address, brought up to date by the addresses that changed
 * since: 2 to 3 ms for a million, of which a new count takes 50. Parts are as `folded` returns them.
 */
export function emailCounts(raw: Sqlite["raw"]) {
  type Logged = {
    version: number;
    project_id: number | null;
    old: string | null;
    new: string | null;
  };
  const newest = raw.query<Logged, []>(
    "SELECT version, project_id, old, new FROM person_email_log ORDER BY seq DESC",
  );
  const kept = new Map<string, Counted>();
  const keyOf = (project: number, part: string) => `${project} ${part}`;
  const keep = (key: string, counted: Counted) => {
    kept.delete(key);
    kept.set(key, counted);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  };

  return {
    has: (project: number, part: string): boolean => kept.has(keyOf(project, part)),

    /** How many they are in the caller's snapshot; undefined if they must be counted anew. */
    now(project: number, part: string): number | undefined {
      const key = keyOf(project, part);
      const known = kept.get(key);
      if (known === undefined) return undefined;
      const has = (address: string | null) => (address?.includes(part) ? 1 : 0);
      let { count, version } = known;
      let changes = 0;
      for (const logged of newest.iterate()) {
        if (logged.version <= known.version) {
          keep(key, { count, version });
          return count;
        }
        changes += 1;
        if (changes > CHANGES_MAX) break;
        version = Math.max(version, logged.version);
        if (logged.project_id === project) count += has(logged.new) - has(logged.old);
      }
      kept.delete(key);
      return undefined;
    },

    /** Keeps what was counted, unless a later number is known. */
    keep(project: number, part: string, counted: Counted): void {
      const key = keyOf(project, part);
      if ((kept.get(key)?.version ?? -1) < counted.version) keep(key, counted);
    },
  };
}
