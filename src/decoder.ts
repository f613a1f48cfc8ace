import { serve } from "./remote.ts";
import { admitBody, type Body } from "./services/admission.ts";
import { admitLogs, type LogsBody } from "./services/logs.ts";

/**
 * Bytes of bodies and of what they hold after which the memory that they took is collected: the
 * engine lets it grow to much more.
 */
const COLLECT_BYTES = 33_554_432;

const arrived = (now: number) => ({ now, newUuid: () => Bun.randomUUIDv7() });

let uncollected = 0;

/** Decodes a body, and collects memory behind it, once it was enough. */
function decoded<T extends { lines: Uint8Array }>({ bytes }: Pick<Body, "bytes">, decode: () => T) {
  uncollected += bytes.length;
  const admission = decode();
  uncollected += admission.lines.length;
  if (uncollected >= COLLECT_BYTES) {
    uncollected = 0;
    setTimeout(() => Bun.gc(true), 0);
  }
  return admission;
}

/** What the decoder thread offers: large bodies are parsed there, so that nobody waits for them. */
export const decoder = {
  async admit(body: Body, now: number) {
    return decoded(body, () => admitBody(body, arrived(now)));
  },
  async admitLogs(body: LogsBody, now: number) {
    return decoded(body, () => admitLogs(body, arrived(now)));
  },
};

if (!Bun.isMainThread) {
  serve(globalThis as unknown as Parameters<typeof serve>[0], { decoder });
}
