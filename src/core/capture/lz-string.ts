const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

const BITS_OF_A_CHARACTER = 6;

/** Codes below the dictionary's: a new character of 8 or 16 bits follows, or the text ends. */
const CHARACTER_8 = 0;
const END = 2;
const ENTRIES_FROM = 3;

/**
 * Decompresses a text of lz-string's `compressToBase64` to at most `charsMax` UTF-16 units (decision 30).
 * Returns `too_large` for a longer result, and undefined if the text is invalid or ends early.
 */
export function decompressLz64(text: string, charsMax: number): string | "too_large" | undefined {
  const bits = bitReader(text);
  const output = phrases();
  for (;;) {
    const code = bits.read(output.width());
    const entry = code < END ? output.character(bits.read(code === CHARACTER_8 ? 8 : 16)) : code;
    if (bits.ended()) return undefined;
    if (code === END) return output.text();
    if (!output.append(entry)) return undefined;
    if (output.length() > charsMax) return "too_large";
  }
}

/**
 * The output and its dictionary. An entry is a range of the output, so a compression bomb costs no more
 * memory than its output.
 */
function phrases() {
  const output = growing(Uint16Array);
  const starts = growing(Uint32Array);
  const lengths = growing(Uint32Array);
  let entries = ENTRIES_FROM;
  let length = 0;
  let last = { start: 0, chars: 0 };
  const define = (start: number, chars: number): number => {
    starts.upTo(entries)[entries] = start;
    lengths.upTo(entries)[entries] = chars;
    entries += 1;
    return entries - 1;
  };
  return {
    /** Returns the bits of the next code: as many as the number of entries has. */
    width: () => 32 - Math.clz32(length === 0 ? ENTRIES_FROM : entries),
    /** Adds an entry for a new character. */
    character(unit: number): number {
      output.upTo(length)[length] = unit;
      return define(length, 1);
    },
    /** Appends an entry to the output; returns false if it does not exist. */
    append(entry: number): boolean {
      // The last entry with the next unit: the two are adjacent in the output.
      if (last.chars > 0) define(last.start, last.chars + 1);
      if (entry >= entries) return false;
      let from = starts.upTo(entry)[entry] ?? 0;
      last = { start: length, chars: lengths.upTo(entry)[entry] ?? 0 };
      length += last.chars;
      const units = output.upTo(length);
      // Copied unit by unit, because the source may overlap the target.
      for (let to = last.start; to < length; to++) units[to] = units[from++] ?? 0;
      return true;
    },
    length: () => length,
    text: () => textOf(output.upTo(0).subarray(0, length)),
  };
}

/**
 * Reads numbers whose lowest bit comes first, from characters whose highest bit comes first.
 * After the end, and after a character outside base64, all bits are zero.
 */
function bitReader(text: string) {
  let at = 0;
  let value = 0;
  let left = 0;
  let ended = false;
  return {
    ended: () => ended,
    read(width: number): number {
      let number = 0;
      for (let bit = 0; bit < width; bit++) {
        if (left === 0) {
          value = VALUES[text.charCodeAt(at++)] ?? -1;
          ended ||= value < 0;
          left = BITS_OF_A_CHARACTER;
        }
        left -= 1;
        number |= ((value >> left) & 1) << bit;
      }
      return number;
    },
  };
}

type Numbers = Uint16Array | Uint32Array;

/** An array of numbers that grows to the index that is used. */
function growing<T extends Numbers>(make: new (length: number) => T) {
  let array = new make(1024);
  return {
    upTo(index: number): T {
      if (index >= array.length) {
        const longer = new make(Math.max(index + 1, array.length * 2));
        longer.set(array);
        array = longer;
      }
      return array;
    },
  };
}

function textOf(units: Uint16Array): string {
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString("utf16le");
}
