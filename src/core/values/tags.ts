import { Failure } from "./failure.ts";
import { isLonger, storableText } from "./json.ts";

/** Tags of an insight, a dashboard, an event or a property. */
export const TAGS_MAX = 50;

/** Characters of a tag. */
export const TAG_CHARS_MAX = 255;

/** Returns tags in storable form. Fails `invalid_input` and `too_long`. */
export function storableTags(tags: readonly string[]): string[] {
  if (tags.length > TAGS_MAX) {
    throw new Failure("invalid_input", `At most ${TAGS_MAX} tags are kept.`, "tags");
  }
  return tags.map((tag, at) => {
    if (!isLonger(tag, TAG_CHARS_MAX)) return storableText(tag);
    throw new Failure("too_long", `At most ${TAG_CHARS_MAX} characters.`, `tags__${at}`);
  });
}
