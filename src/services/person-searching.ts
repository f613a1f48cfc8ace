import type { Listed, PartAsked } from "../storage/person-list.ts";
import type { PersonMatches } from "../storage/person-match.ts";
import type { PersonSearches } from "../storage/person-search.ts";
import { checkUpToDate, type IsBehind } from "./behind.ts";

type Needs = { searches: PersonSearches; matches: PersonMatches; isBehind: IsBehind };

/** Persons by a part of their address that very many have. */
export type PersonSearching = {
  /** Whether they were counted before: then they need not be looked for in any other way. */
  isCounted(project: number, search: string): boolean;
  /** Undefined where the mirror has to find them. Fails `unavailable`, `query_timeout`. */
  list(
    project: number,
    search: string,
    part: PartAsked,
    signal: AbortSignal,
  ): Promise<Listed | undefined>;
};

/**
 * They are found along the list; the mirror counts them once, and the addresses that change from
 * then on are added (decision 104).
 */
export function personSearching({ searches, matches, isBehind }: Needs): PersonSearching {
  const counted = (project: number, search: string, signal: AbortSignal) =>
    matches.read(signal, async (mirror) => {
      return { count: await mirror.addressed(project, search), version: mirror.version };
    });

  return {
    isCounted: searches.isCounted,
    async list(project, search, part, signal) {
      if (!searches.isCounted(project, search)) {
        checkUpToDate(isBehind);
        searches.keep(project, search, await counted(project, search, signal));
      }
      return searches.find(project, search, part);
    },
  };
}
