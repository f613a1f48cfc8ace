/** Random bytes for keys and ids. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A clock that only goes forward, in milliseconds. */
export const elapsedMs = () => performance.now();

let lastResidentBytes = 0;

/** Resident memory of this process, in bytes; the last known one while no descriptor is free to read it. */
export function residentBytes(): number {
  try {
    lastResidentBytes = process.memoryUsage.rss();
  } catch {
    // Linux has it in a file.
  }
  return lastResidentBytes;
}

/** A new id of an event, person, project or user, as UUIDv7. */
export const newUuid = () => Bun.randomUUIDv7();
