import { Failure } from "./failure.ts";
import { isNothing, type JsonObject } from "./json.ts";

/** Characters of a field's name that a failure has, in `attr` alone. */
const NAME_CHARS_MAX = 80;

/**
 * Fails `invalid_input` on the first field that is neither known nor empty, and names it (decision 59);
 * `attr` is the field of the whole unless that is a body, `ignored` are fields that change nothing.
 */
export function rejectUnknownFields(
  sent: JsonObject,
  { known, ignored = [], attr }: { known: readonly string[]; ignored?: string[]; attr?: string },
): void {
  for (const [name, value] of Object.entries(sent)) {
    if (known.includes(name) || ignored.includes(name) || isNothing(value)) continue;
    const field = name.slice(0, NAME_CHARS_MAX);
    const hint = known.length === 0 ? "" : ` Known here: ${[...new Set(known)].join(", ")}.`;
    throw new Failure(
      "invalid_input",
      `This field is not known.${hint}`,
      attr === undefined ? field : `${attr}__${field}`,
    );
  }
}
