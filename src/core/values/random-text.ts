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
