import type { DefinitionKeys, DefinitionReads } from "../ports/definitions.ts";
import { type Page, type PageQuery, walkedPage } from "../values/page.ts";
import type {
  DefinitionFilter,
  EventDefinition,
  PropertyDefinition,
  PropertyOwner,
} from "./definition.ts";
import { checkUpToDate, type IsBehind } from "./freshness.ts";

/**
 * What events and properties a project has (decision 82), the most frequent first. `url` is the
 * address that the caller is known to reach us by; `signal` tells that nobody waits. Fails `unavailable` while the store is
 * behind, and `query_timeout`.
 */
export type Definitions = {
  events(
    project: number,
    filter: DefinitionFilter,
    query: PageQuery,
    url: URL,
    signal: AbortSignal,
  ): Promise<Page<EventDefinition>>;
  properties(
    project: number,
    filter: DefinitionFilter & { type: PropertyOwner },
    query: PageQuery,
    url: URL,
    signal: AbortSignal,
  ): Promise<Page<PropertyDefinition>>;
};

const KEYS = {
  keysOf: ({ count, name }: { count: number; name: string }): DefinitionKeys => [count, name],
  like: [0, ""] as DefinitionKeys,
};

/** Definitions in a store. */
export function definitions(reads: DefinitionReads, isBehind: IsBehind): Definitions {
  return {
    async events(project, filter, query, url, signal) {
      checkUpToDate(isBehind);
      return walkedPage(url, query, {
        ...KEYS,
        read: (part) => reads.events(project, filter, part, signal),
      });
    },
    async properties(project, filter, query, url, signal) {
      checkUpToDate(isBehind);
      return walkedPage(url, query, {
        ...KEYS,
        read: (part) => reads.properties(project, filter, part, signal),
      });
    },
  };
}
