import type { KeptMerge } from "../../../core/identity/undo-merge.ts";
import type { MergedPerson, PersonReads } from "../../../core/ports/persons/reads.ts";
import { storedProperties } from "../damage.ts";
import type { Sqlite } from "../sqlite.ts";
import { mergesInto, type StoredMerge, type StoredPerson } from "./statements.ts";

/** Reads the merges of persons on any connection. */
export function mergeReads({ raw, snapshot }: Sqlite): Pick<PersonReads, "merges"> {
  const byId = raw.query<StoredPerson, [number, number]>(
    `SELECT id, project_id, uuid, properties, created_at, is_identified, email FROM person
     WHERE project_id = ?1 AND id = ?2`,
  );
  // The entry of a merge has its time, unless a deletion has emptied it.
  const entry = raw.query<{ created_at: string }, [number, string, string]>(
    `SELECT created_at FROM activity WHERE project_id = ?1 AND activity = 'people_merged_into'
       AND json_extract(detail, '$.merge.source') = ?2
       AND json_extract(detail, '$.event_uuid') = ?3
     ORDER BY id DESC LIMIT 1`,
  );
  const merges = mergesInto(raw);
  const idsOf = raw.query<{ distinct_id: string; initial_uuid: string | null }, [number]>(
    "SELECT distinct_id, initial_uuid FROM distinct_id WHERE person_id = ?1 ORDER BY position",
  );
  return {
    merges: async (project, id) =>
      snapshot((): MergedPerson | undefined => {
        const person = byId.get(project, id);
        if (person === null) return undefined;
        return {
          person: {
            ...person,
            properties: storedProperties(person.properties),
            is_identified: person.is_identified === 1,
            ids: idsOf.all(id),
          },
          merges: merges.all({ project_id: project, uuid: person.uuid }).map((merge) => {
            const { event_uuid, source_uuid } = merge;
            const at = entry.get(project, source_uuid, event_uuid)?.created_at ?? null;
            return { ...keptMerge(merge), event_uuid, at };
          }),
        };
      }),
  };
}

/** Returns a stored merge with its lists, properties and flags as values. */
export const keptMerge = (merge: StoredMerge): KeptMerge => ({
  ...merge,
  gained: JSON.parse(merge.gained),
  kept: JSON.parse(merge.kept),
  source_properties: JSON.parse(merge.source_properties),
  source_is_identified: merge.source_is_identified === 1,
  target_is_identified: merge.target_is_identified === 1,
});
