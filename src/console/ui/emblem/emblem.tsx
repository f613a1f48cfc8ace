import { EMBLEMS } from "../../state/base.ts";
import { emblemOf } from "./names.ts";

/**
 * The flag of a country, or the sign of a browser, a system, a device or a site, for a value of a property; a letter
 * where there is no picture, and nothing for other properties. Readers of the screen pass over it: the value says the same.
 */
export function Emblem({ property, value }: { property: string; value: string }) {
  const emblem = emblemOf(property, value);
  if (emblem === undefined) return null;
  if ("letters" in emblem) {
    return (
      <span class="emblem letters" aria-hidden="true">
        {emblem.letters}
      </span>
    );
  }
  return (
    <svg class={emblem.isFlag ? "emblem flag" : "emblem"} aria-hidden="true" focusable="false">
      <use href={`${EMBLEMS}#${emblem.id}`} />
    </svg>
  );
}
