import { checkUpToDate, type IsBehind } from "../events/freshness.ts";
import type { Listed, PartAsked } from "../ports/person-reads.ts";
import type { AddressPacks, PersonMatches, PersonSearches } from "../ports/person-search.ts";

type Needs = {
  searches: PersonSearches;
  packs: AddressPacks;
  matches: PersonMatches;
  isBehind: IsBehind;
};

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
 * Finds them along the list. They are counted once, in memory or by the mirror, and later changes of
 * addresses are added to the count.
 */
export function personSearching({ searches, packs, matches, isBehind }: Needs): PersonSearching {
  const mirrored = (project: number, search: string, signal: AbortSignal) =>
    matches.read(signal, async (mirror) => {
      return { count: await mirror.addressed(project, search), version: mirror.version };
    });
  const packed = async (project: number, search: string, part: PartAsked) => {
    const counted = await packs.count(project, search);
    if (counted === undefined) return undefined;
    searches.keep(project, search, counted);
    const found = searches.find(project, search, part);
    // It is of a state so early that what has changed since is not known any more.
    if (!searches.isCounted(project, search)) packs.forget(project);
    return found;
  };

  return {
    isCounted: searches.isCounted,
    async list(project, search, part, signal) {
      if (!searches.isCounted(project, search)) {
        const found = await packed(project, search, part);
        if (searches.isCounted(project, search)) return found;
        checkUpToDate(isBehind);
        searches.keep(project, search, await mirrored(project, search, signal));
        packs.missed(project);
      }
      return searches.find(project, search, part);
    },
  };
}
