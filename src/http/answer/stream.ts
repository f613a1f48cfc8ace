import type { Log } from "../../core/ports/log.ts";
import { Failure } from "../../core/values/failure.ts";

/** An answer whose body is read and sent in parts. */
export class Streamed {
  readonly parts: AsyncIterable<string>;
  readonly headers: Record<string, string>;

  constructor(parts: AsyncIterable<string>, headers: Record<string, string>) {
    this.parts = parts;
    this.headers = headers;
  }
}

/** Conditions of a streamed answer. */
type Sending = {
  /** Fails once the caller may no longer read the answer. */
  check: () => Promise<unknown>;
  requestId: string;
  log: Log;
};

/**
 * Sends an answer in parts. Before each part the caller is authorized again (decision 142). A failure
 * aborts the connection, so that the client does not take a part for the whole.
 */
export function sent({ parts, headers }: Streamed, sending: Sending): Response {
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        await sending.check();
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        if (isCancelled) return;
        logAbort(error, sending);
        controller.error(error);
        await iterator.return?.();
      }
    },
    async cancel() {
      isCancelled = true;
      await iterator.return?.();
    },
  });
  return new Response(body, { headers });
}

function logAbort(error: unknown, { requestId: request_id, log }: Sending): void {
  if (error instanceof Failure) {
    log.warn("response aborted", { request_id, code: error.code, why: error.message });
  } else log.error("response aborted", { request_id, error });
}
