import type {
  DefinitionFilter,
  EventDefinition,
  PropertyDefinition,
  PropertyOwner,
} from "../domain/definition.ts";
import { type Page, type PageQuery, page } from "../domain/page.ts";
import type { DefinitionReads } from "../storage/definitions.ts";
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

/** Definitions in a store. */
export function definitions(reads: DefinitionReads, isBehind: IsBehind): Definitions {
  return {
    async events(project, filter, query, url) {
      checkUpToDate(isBehind);
      const { count, rows } = await reads.events(project, filter, query);
      return page(url, query, count, rows);
    },
    async properties(project, filter, query, url) {
      checkUpToDate(isBehind);
      const { count, rows } = await reads.properties(project, filter, query);
      return page(url, query, count, rows);
    },
  };
}
