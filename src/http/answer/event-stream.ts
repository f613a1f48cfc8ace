import { Failure } from "../../core/values/failure.ts";

/** Bytes of messages that wait for a reader; further ones are left out and counted. */
export const STREAM_BYTES_MAX = 65_536;

/** The pause between two checks of the caller's key, in milliseconds. */
const CHECK_MS = 900;

/** The pause between two comments, which keep proxies from closing a quiet connection, in milliseconds. */
const COMMENT_MS = 15_000;

/** The time that a reader has to take the last message, in milliseconds. */
const LAST_MS = 500;

/** A message of server-sent events; `data` is sent as JSON. The type `end` is the last one. */
export type StreamMessage = { event: string; data: unknown };

/** Takes a message; returns false if there is no room for it. */
type Take = (message: StreamMessage) => boolean;

/** An answer of server-sent events. `join` begins it and returns the function that ends it. */
export class EventStream {
  readonly join: (take: Take) => () => void;

  constructor(join: (take: Take) => () => void) {
    this.join = join;
  }
}

/** Conditions of the answer. */
type Sending = {
  /** Fails once the caller may no longer read. */
  check: () => Promise<unknown>;
  /** Whether only the headers are asked for. */
  isHead: boolean;
  signal: AbortSignal;
};

const HEADERS = { "content-type": "text/event-stream; charset=utf-8" };

/**
 * Sends messages as server-sent events. The caller is authorized again about every second; after a failure
 * comes a last message, and the connection ends within half a second also if nothing is read.
 */
export function eventStream({ join }: EventStream, { check, isHead, signal }: Sending): Response {
  const waiting = mailbox();
  const leave = join(waiting.take);
  if (isHead) {
    leave();
    return new Response(null, { headers: HEADERS });
  }
  let close = () => {};
  const checks = setInterval(() => {
    check().catch((error: unknown) => {
      const reason = error instanceof Failure ? error.code : "error";
      waiting.take({ event: "end", data: { reason } });
    });
  }, CHECK_MS);
  const comments = setInterval(() => waiting.add(": still here\n\n"), COMMENT_MS);
  const stop = () => {
    clearInterval(checks);
    clearInterval(comments);
    leave();
  };
  signal.addEventListener("abort", stop, { once: true });
  void waiting.ended.then(async () => {
    stop();
    await Bun.sleep(LAST_MS);
    close();
  });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      close = () => {
        // It is closed already if the last message was read.
        if (!waiting.isDrained()) controller.error(new Error("The reader is too slow"));
      };
    },
    async pull(controller) {
      const text = await waiting.next();
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    cancel: stop,
  });
  return new Response(body, { headers: HEADERS });
}

/** Messages on their way to a reader. */
function mailbox() {
  const ended = Promise.withResolvers<void>();
  let texts: string[] = [];
  let bytes = 0;
  let isEnded = false;
  let isDrained = false;
  let wake = () => {};

  const add = (text: string, isLast = false): boolean => {
    const size = Buffer.byteLength(text);
    if (isEnded || (bytes + size > STREAM_BYTES_MAX && !isLast)) return false;
    texts.push(text);
    bytes += size;
    wake();
    return true;
  };
  return {
    add,
    ended: ended.promise,
    isDrained: () => isDrained,
    take({ event, data }: StreamMessage): boolean {
      const isLast = event === "end";
      const isTaken = add(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`, isLast);
      if (isLast) {
        isEnded = true;
        ended.resolve();
      }
      return isTaken;
    },
    /** Resolves to all messages that wait, at least one; undefined after the last. */
    async next(): Promise<string | undefined> {
      while (texts.length === 0 && !isEnded) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      const text = texts.join("");
      texts = [];
      bytes = 0;
      isDrained = isEnded;
      return text === "" ? undefined : text;
    },
  };
}
