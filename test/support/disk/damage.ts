import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";

/** Writes bytes over those of a file. */
export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

/** Changes one bit of a file; by default one in its middle. `bit` is its value in the byte. */
export function flipBit(path: string, at?: number, bit = 4): void {
  const bytes = readFileSync(path);
  const place = at ?? bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(place) ^ bit, place);
  writeFileSync(path, bytes);
}
