import { admitBody, type Body } from "../../core/capture/admit-body.ts";
import { admitLogs, type LogsBody } from "../../core/logs/logs.ts";
import { collectBehind, collectWithin } from "../process/garbage-collection.ts";
import { serve } from "./calls.ts";

const collect = () => Bun.gc(true);

const behind = collectBehind(collect);

const within = collectWithin(collect);

const arrived = (now: number) => ({ now, newUuid: () => Bun.randomUUIDv7(), collect: within });

/** Decodes a body. */
function decoded<T extends { lines: Uint8Array }>({ bytes }: Pick<Body, "bytes">, decode: () => T) {
  const admission = decode();
  behind(bytes.length + admission.lines.length);
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
