// The parts of Mach-O that matter here, from <mach-o/loader.h> and <kern/cs_blobs.h>.
const HEADER_BYTES = 32;
const COMMANDS_COUNT_AT = 16;
const COMMANDS_BYTES_AT = 20;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const SIGNATURE_MAGIC = 0xfa_de_0c_c0;
const CODE_DIRECTORY_MAGIC = 0xfa_de_0c_02;
const SHA256_TYPE = 2;

type Command = { at: number; kind: number; bytes: number };

/**
 * Removes the code signature of a macOS executable for x64; `bytes` is changed in place and the
 * returned part of it is the new file. Bun leaves the signature of its own executable there, which
 * no longer matches and asks the kernel to kill what does not match. Without one, x64 code runs.
 */
export function withoutSignature(bytes: Buffer): Buffer {
  const signature = signatureCommand(bytes);
  if (signature === undefined) return bytes;
  const start = bytes.readUInt32LE(signature.at + 8);
  if (start + bytes.readUInt32LE(signature.at + 12) !== bytes.length) {
    throw new Error("the code signature is not at the end of the executable");
  }
  // The last segment holds the signature, so it becomes shorter; its name starts at 8.
  const segment = commands(bytes).find(({ at, kind }) => {
    return kind === LC_SEGMENT_64 && bytes.toString("latin1", at + 8, at + 18) === "__LINKEDIT";
  });
  if (segment === undefined) throw new Error("the executable has no __LINKEDIT segment");
  bytes.writeBigUInt64LE(BigInt(start) - bytes.readBigUInt64LE(segment.at + 40), segment.at + 48);

  const end = HEADER_BYTES + bytes.readUInt32LE(COMMANDS_BYTES_AT);
  bytes.copyWithin(signature.at, signature.at + signature.bytes, end);
  bytes.fill(0, end - signature.bytes, end);
  bytes.writeUInt32LE(bytes.readUInt32LE(COMMANDS_COUNT_AT) - 1, COMMANDS_COUNT_AT);
  bytes.writeUInt32LE(end - HEADER_BYTES - signature.bytes, COMMANDS_BYTES_AT);
  return bytes.subarray(0, start);
}

/**
 * What macOS would find: no signature, which arm64 does not run; one that covers all bytes before
 * it and matches them; or one that does not, for which the process is killed.
 */
export function signatureState(bytes: Buffer): "unsigned" | "signed" | "wrongly signed" {
  const signature = signatureCommand(bytes);
  if (signature === undefined) return "unsigned";
  const start = bytes.readUInt32LE(signature.at + 8);
  const blobs = bytes.subarray(start);
  if (blobs.readUInt32BE(0) !== SIGNATURE_MAGIC) return "wrongly signed";
  // Offsets of the blobs follow the magic, length and count, each with its type.
  for (let index = 0; index < blobs.readUInt32BE(8); index += 1) {
    const directory = blobs.subarray(blobs.readUInt32BE(12 + 8 * index + 4));
    if (directory.readUInt32BE(0) !== CODE_DIRECTORY_MAGIC) continue;
    return directory.readUInt32BE(32) === start && pagesMatch(bytes, directory)
      ? "signed"
      : "wrongly signed";
  }
  return "wrongly signed";
}

/** Whether each page of the file has the hash that the code directory has for it. */
function pagesMatch(bytes: Buffer, directory: Buffer): boolean {
  const hashesAt = directory.readUInt32BE(16);
  const count = directory.readUInt32BE(28);
  const limit = directory.readUInt32BE(32);
  const hashBytes = directory.readUInt8(36);
  if (directory.readUInt8(37) !== SHA256_TYPE) return false;
  const pageBytes = 2 ** directory.readUInt8(39);
  for (let page = 0; page < count; page += 1) {
    const at = hashesAt + page * hashBytes;
    const content = bytes.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit));
    const hash = new Bun.CryptoHasher("sha256").update(content).digest();
    if (!hash.equals(directory.subarray(at, at + hashBytes))) return false;
  }
  return count === Math.ceil(limit / pageBytes);
}

function signatureCommand(bytes: Buffer): Command | undefined {
  return commands(bytes).find(({ kind }) => kind === LC_CODE_SIGNATURE);
}

function commands(bytes: Buffer): Command[] {
  const found: Command[] = [];
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32LE(COMMANDS_COUNT_AT); left > 0; left -= 1) {
    const command = { at, kind: bytes.readUInt32LE(at), bytes: bytes.readUInt32LE(at + 4) };
    found.push(command);
    at += command.bytes;
  }
  return found;
}
