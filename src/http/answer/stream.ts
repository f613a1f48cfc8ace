import type { Log } from "../../core/ports/log.ts";
import { Failure } from "../../core/values/failure.ts";

/** An answer whose body is read and sent a part at a time. */
export class Streamed {
  readonly parts: AsyncIterable<string>;
  readonly headers: Record<string, string>;

  constructor(parts: AsyncIterable<string>, headers: Record<string, string>) {
    this.parts = parts;
    this.headers = headers;
  }
}

/** What a stream is sent under. */
type Sending = {
  /** Fails once who asked may no more. */
  check: () => Promise<unknown>;
  requestId: string;
  log: Log;
};

/**
 * The answer as it is sent. Before each part is read it is asked again whether the caller still may
 * (decision 142). What fails on the way breaks the connection off, so that it is no whole answer.
 */
export function sent({ parts, headers }: Streamed, sending: Sending): Response {
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isGone = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        await sending.check();
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        if (isGone) return;
        tell(error, sending);
        controller.error(error);
        await iterator.return?.();
      }
    },
    async cancel() {
      isGone = true;
      await iterator.return?.();
    },
  });
  return new Response(body, { headers });
}

function tell(error: unknown, { requestId: request_id, log }: Sending): void {
  if (error instanceof Failure) {
    log.warn("answer broken off", { request_id, code: error.code, why: error.message });
  } else log.error("answer broken off", { request_id, error });
}
