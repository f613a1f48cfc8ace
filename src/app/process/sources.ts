/** Random bytes for keys and ids. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A clock that only goes forward, in milliseconds. */
export const elapsedMs = () => performance.now();

/** A new id of an event, person, project or user, as UUIDv7. */
export const newUuid = () => Bun.randomUUIDv7();
