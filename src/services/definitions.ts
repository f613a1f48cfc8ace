import type {
  DefinitionFilter,
  EventDefinition,
  PropertyDefinition,
  PropertyOwner,
} from "../domain/definition.ts";
import { type Page, type PageQuery, walkedPage } from "../domain/page.ts";
import type { DefinitionKeys, DefinitionReads } from "../storage/definitions.ts";
import { checkUpToDate, type IsBehind } from "./behind.ts";

/**
 * What events and properties a project has (decision 82), the most frequent first. `url` is the
 * address that the caller is known to reach us by. Fails `unavailable` while the store is behind.
 */
export type Definitions = {
  events(
    project: number,
    filter: DefinitionFilter,
    query: PageQuery,
    url: URL,
  ): Promise<Page<EventDefinition>>;
  properties(
    project: number,
    filter: DefinitionFilter & { type: PropertyOwner },
    query: PageQuery,
    url: URL,
  ): Promise<Page<PropertyDefinition>>;
};

const KEYS = {
  keysOf: ({ count, name }: { count: number; name: string }): DefinitionKeys => [count, name],
  like: [0, ""] as DefinitionKeys,
};

/** Definitions in a store. */
export function definitions(reads: DefinitionReads, isBehind: IsBehind): Definitions {
  return {
    async events(project, filter, query, url) {
      checkUpToDate(isBehind);
      return walkedPage(url, query, {
        ...KEYS,
        read: (part) => reads.events(project, filter, part),
      });
    },
    async properties(project, filter, query, url) {
      checkUpToDate(isBehind);
      return walkedPage(url, query, {
        ...KEYS,
        read: (part) => reads.properties(project, filter, part),
      });
    },
  };
}
