import { serve } from "./remote.ts";
import { admitBody, type Body } from "./services/admission.ts";
import { admitLogs, type LogsBody } from "./services/logs.ts";

/** What the decoder thread offers: large bodies are parsed there, so that nobody waits for them. */
export const decoder = {
  async admit(body: Body, now: number) {
    return admitBody(body, { now, newUuid: () => Bun.randomUUIDv7() });
  },
  async admitLogs(body: LogsBody, now: number) {
    return admitLogs(body, { now, newUuid: () => Bun.randomUUIDv7() });
  },
};

if (!Bun.isMainThread) {
  serve(globalThis as unknown as Parameters<typeof serve>[0], { decoder });
}
