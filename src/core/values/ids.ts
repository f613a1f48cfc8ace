const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The spellings of a UUID: `urn:uuid:` (RFC 9562 4), braces as .NET and Windows write them, without hyphens. */
const SPELLING =
  /^(?:urn:uuid:)?(\{?)([0-9a-f]{8})(-?)([0-9a-f]{4})\3([0-9a-f]{4})\3([0-9a-f]{4})\3([0-9a-f]{12})(\}?)$/;

/** A UUID in lower case with hyphens, from any of its spellings; undefined if the text is not a UUID. */
export function parseUuid(text: string): string | undefined {
  if (UUID.test(text)) return text;
  if (text.length > UUID_CHARS_MAX) return undefined;
  const [, open = "", first, , ...rest] = SPELLING.exec(text.toLowerCase().trim()) ?? [];
  const close = rest.pop();
  if (first === undefined || open.length !== close?.length) return undefined;
  return [first, ...rest].join("-");
}

/** Characters of a text that may be a UUID, with blanks around it. */
const UUID_CHARS_MAX = 64;

/** UUIDv5 of `name` in the namespace whose 16 bytes are given (RFC 9562 5.5). */
export function uuidV5(namespace: Uint8Array, name: string): string {
  const digest = new Bun.CryptoHasher("sha1").update(namespace).update(name).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return dashed(digest);
}

/** The text of a UUID, of which `bytes` begin with its 16. */
export function dashed(bytes: Buffer): string {
  const hex = bytes.toString("hex", 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** The 16 bytes of a hyphenated UUID. */
export function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

const SHORT_ID_CHARS = 8;

/** Letters and digits without look-alikes: 0, 1, I, O, l. */
const SHORT_ID_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** A new short id, from about 46 random bits. */
export function newShortId(randomBytes: (count: number) => Uint8Array): string {
  return randomText(SHORT_ID_ALPHABET, SHORT_ID_CHARS, randomBytes);
}

/** Short ids that are tried: two in a row that are taken do not happen by chance. */
const SHORT_IDS_MAX = 8;

/** Returns the record that `insert` makes with a new short id; undefined means that the id is taken. */
export async function withShortId<T>(
  randomBytes: (count: number) => Uint8Array,
  insert: (short_id: string) => Promise<T | undefined>,
): Promise<T> {
  for (let tried = 0; tried < SHORT_IDS_MAX; tried++) {
    const made = await insert(newShortId(randomBytes));
    if (made !== undefined) return made;
  }
  throw new Error(`${SHORT_IDS_MAX} new short ids were taken`);
}

/**
 * The integer id in a path, as JSON writes it: `01` is not an id, and no id is beyond 2^53. Undefined if the
 * text is not an id.
 */
export function readId(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(text)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** `length` characters of an alphabet of at most 256, each as likely as the others. */
export function randomText(
  alphabet: string,
  length: number,
  randomBytes: (count: number) => Uint8Array,
): string {
  // The largest multiple of the alphabet in a byte: cutting there keeps every character as likely.
  const end = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < end && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
