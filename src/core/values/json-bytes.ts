/** Bytes that JSON's grammar is made of (RFC 8259 2). */
export const QUOTE = 0x22;
/** Between the items of a list and the fields of an object. */
export const COMMA = 0x2c;
/** After a key. */
export const COLON = 0x3a;
/** Before a list. */
export const OPEN_LIST = 0x5b;
/** After a list. */
export const CLOSE_LIST = 0x5d;
/** Before an object. */
export const OPEN_OBJECT = 0x7b;
/** After an object. */
export const CLOSE_OBJECT = 0x7d;
/** In a string, before what it escapes. */
export const BACKSLASH = 0x5c;

/** The place of the quote that ends the string whose first quote stands at `start`. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}

/** Whether the bytes from `start` on are the ASCII text. */
export function isTextAt(bytes: Uint8Array, start: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (bytes[start + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}
