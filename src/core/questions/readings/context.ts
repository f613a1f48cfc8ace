import type { When } from "../language/dates.ts";
import type { Property } from "../language/name-keys.ts";

/** The project as readers see it. */
export type Context = {
  when: When;
  /** The event or property that a word of the lexicon means in this project. */
  eventOf: (phrase: string) => string | undefined;
  propertyOf: (phrase: string) => Property | undefined;
  hasEvent: (name: string) => boolean;
};
