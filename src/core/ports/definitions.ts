import type {
  DefinitionFilter,
  EventDefinition,
  PropertyDefinition,
  PropertyOwner,
} from "../events/definition.ts";
import type { Part } from "../values/page.ts";

/** Position of a name in a list: the highest count first, then the name. */
export type DefinitionKeys = readonly [count: number, name: string];

/**
 * Names of events and properties in a project, the most frequent first (decision 82). `count` is the
 * number of names that match. The rules of all ports are in `events.ts`.
 */
export type DefinitionReads = {
  /** Returns names of events, with how many events have each and when it was seen. */
  events(
    project: number,
    filter: DefinitionFilter,
    part: Part<DefinitionKeys>,
    signal: AbortSignal,
  ): Promise<{ count: number; rows: EventDefinition[] }>;

  /**
   * Returns names of properties of events, persons or groups. Those of events are exact. Of persons and
   * groups only the newest are read, so a rare property may be missing.
   */
  properties(
    project: number,
    filter: DefinitionFilter & { type: PropertyOwner },
    part: Part<DefinitionKeys>,
    signal: AbortSignal,
  ): Promise<{ count: number; rows: PropertyDefinition[] }>;
};
