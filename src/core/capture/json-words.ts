import { endOfString, isTextAt, QUOTE } from "../values/json.ts";

/** The replacement of each word; at most two bytes longer. */
type InPlace = Readonly<Record<(typeof WORDS)[number], string>>;

const WORDS = ["-Infinity", "Infinity", "NaN"] as const;

/** Numbers that are too large for a double: they become null, and are reported. */
const TOO_LARGE: InPlace = { "-Infinity": "-1e999", Infinity: "1e999", NaN: "1e999" };

/** Texts, as OTLP writes these numbers in JSON. */
export const QUOTED: InPlace = {
  "-Infinity": '"-Infinity"',
  Infinity: '"Infinity"',
  NaN: '"NaN"',
};

/**
 * Returns a copy of a text in almost JSON, with JSON in the place of each `NaN`, `Infinity` and `-Infinity`, which
 * Python's and other writers put out. Texts keep these words.
 */
export function withoutWords(bytes: Uint8Array, inPlace = TOO_LARGE): Uint8Array {
  const copy = new Uint8Array(bytes.length + 2 * Math.ceil(bytes.length / "NaN".length));
  const encoded = WORDS.map((word) => new TextEncoder().encode(inPlace[word]));
  let [copied, end] = [0, 0];
  const put = (part: Uint8Array) => {
    copy.set(part, end);
    end += part.length;
  };
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    if (byte !== 0x2d && byte !== 0x49 && byte !== 0x4e) continue;
    const index = WORDS.findIndex((one) => isTextAt(bytes, at, one));
    const instead = encoded[index];
    if (instead === undefined) continue;
    put(bytes.subarray(copied, at));
    put(instead);
    copied = at + (WORDS[index]?.length ?? 0);
    at = copied - 1;
  }
  put(bytes.subarray(copied));
  return copy.subarray(0, end);
}
