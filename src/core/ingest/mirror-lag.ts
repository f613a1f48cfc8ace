import type { MirrorChanges } from "../ports/mirror.ts";

/** Integer ids of all whom a change made, changed or removed: a mirror of an earlier version lacks it. */
export type ChangedIds = { version: number; ids: number[] };

/** Whom changes are about. */
export function changedIds({ version, persons, gone }: MirrorChanges): ChangedIds {
  return { version, ids: [...persons.map(({ id }) => id), ...gone] };
}

/** What changed of persons from some moment on. */
export type Watch = {
  /**
   * Whom a mirror of one version lacks of another; undefined while not all between them is known,
   * which it is as soon as the thread that writes has told of it.
   */
  between(version: number, last: number): number[] | undefined;
  end(): void;
};

/** Integer ids of persons that changed in SQLite since the version of the projection (decision 83). */
export function unmirroredPersons() {
  let changes: ChangedIds[] = [];
  const watched = new Set<ChangedIds[]>();

  return {
    /** A change is in SQLite. */
    add(changed: ChangedIds): void {
      for (const list of [changes, ...watched]) list.push(changed);
    },

    /** The mirror is of this version. */
    reached(version: number): void {
      changes = changes.filter((changed) => changed.version > version);
    },

    /** Keeps what the mirror lacks by now, and what is added, until it ends. */
    watch(): Watch {
      const kept = [...changes];
      watched.add(kept);
      return {
        between(version, last) {
          const lacking = kept.filter((changed) => {
            return changed.version > version && changed.version <= last;
          });
          if (lacking.length < last - version) return undefined;
          return [...new Set(lacking.flatMap(({ ids }) => ids))];
        },
        end: () => void watched.delete(kept),
      };
    },
  };
}
