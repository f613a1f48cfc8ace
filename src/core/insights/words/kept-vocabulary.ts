import type { InsightQueries } from "../../ports/insights.ts";
import type { ProjectVocabulary } from "../../ports/vocabulary.ts";
import type { Clock } from "../../values/time.ts";

/** Milliseconds after which the vocabulary of a project is read again. */
const KEPT_MS = 60_000;

/** Projects whose vocabulary is kept in memory. */
export const KEPT_VOCABULARIES_MAX = 20;

/** The vocabularies of projects, kept in memory. */
export type KeptVocabulary = {
  /**
   * Returns what `read` found within a minute, as the same object, so that a question can be read at each key that is
   * typed. An older one is given once more, while it is read again.
   */
  vocabulary: InsightQueries["vocabulary"];
  /** Makes the next call read again, because the words of a project have changed. */
  drop(project: number): void;
};

/** Keeps the vocabularies of the projects that were asked for last. */
export function keptVocabulary(read: InsightQueries["vocabulary"], now: Clock): KeptVocabulary {
  const kept = new Map<number, { at: number; found: Promise<ProjectVocabulary> }>();
  const renew = (project: number) => {
    // Others wait for it, too, so that it does not end with the request that began it.
    const entry = { at: now(), found: read(project, new AbortController().signal) };
    entry.found.catch(() => kept.get(project) === entry && kept.delete(project));
    kept.delete(project);
    kept.set(project, entry);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_VOCABULARIES_MAX && oldest !== undefined) kept.delete(oldest);
    return entry;
  };
  return {
    async vocabulary(project) {
      const entry = kept.get(project);
      const fresh = entry === undefined || now() - entry.at > KEPT_MS ? renew(project) : entry;
      return await (entry ?? fresh).found;
    },
    drop: (project) => void kept.delete(project),
  };
}
