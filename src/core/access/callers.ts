/** The ids of the keys of requests in progress, by the signal that ends the request. */
const keys = new WeakMap<AbortSignal, number>();

/** Notes the key of a request. Reads that wait take fair turns by key. */
export function noteCaller(signal: AbortSignal, key_id: number): void {
  keys.set(signal, key_id);
}

/** Returns the id of the key of a request; undefined for work of the server itself. */
export function callerOf(signal: AbortSignal): number | undefined {
  return keys.get(signal);
}
