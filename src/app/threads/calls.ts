import { Failure, type FailureCode } from "../../core/values/failure.ts";

/** Stores and services by name, with asynchronous methods of plain arguments and answers. */
export type Surface = Record<string, object>;

/** One call of a method, as it travels. */
export type Call = { object: string; method: string; args: unknown[] };

/** What became of a call, as it travels. */
export type Answer =
  | { value: unknown }
  | { failure: { code: FailureCode; detail: string; attr: string | null } }
  | { error: { name: string; message: string; stack: string | undefined } };

/** Calls that may wait for the other end (decision 67); the next one fails. */
export const CALLS_WAITING_MAX = 1024;

type Numbered<T> = T & { id: number };

/** One end of the line between two threads. */
export type Port = {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
};

/** Bytes from which on they change threads instead of being copied: their sender loses them. */
export const TRANSFER_BYTES_MIN = 262_144;

/** The buffers that a message takes along: those of large bytes that are a part or a field of one. */
function takenAlong(parts: readonly unknown[]): ArrayBuffer[] {
  return parts
    .flatMap((part) => (isRecord(part) ? Object.values(part) : [part]))
    .flatMap((bytes) => {
      const isLarge = ArrayBuffer.isView(bytes) && bytes.byteLength >= TRANSFER_BYTES_MIN;
      return isLarge && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
    });
}

/** Whether it has fields: of a list or of numbers each element would be one. */
function isRecord(part: unknown): part is object {
  return (
    typeof part === "object" && part !== null && !Array.isArray(part) && !ArrayBuffer.isView(part)
  );
}

/**
 * Answers the calls of {@link remote} on the other end, one at a time and in order, so that a
 * slice and a management write never interleave.
 */
export function serve(port: Port, surface: Surface): void {
  let last: Promise<void> = Promise.resolve();
  port.addEventListener("message", ({ data }: MessageEvent<Numbered<Call>>) => {
    last = last.then(async () => {
      const answered = await answer(surface, data);
      const parts = "value" in answered ? [answered.value] : [];
      port.postMessage({ ...answered, id: data.id }, takenAlong(parts));
    });
  });
}

/** Carries out a call; never throws. */
export async function answer(surface: Surface, { object, method, args }: Call): Promise<Answer> {
  try {
    const target = surface[object];
    const work = target && Reflect.get(target, method);
    if (typeof work !== "function") throw new Error(`No method ${object}.${method}`);
    return { value: await Reflect.apply(work, target, args) };
  } catch (error) {
    if (error instanceof Failure) {
      return { failure: { code: error.code, detail: error.message, attr: error.attr } };
    }
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { error: { name, message, stack } };
  }
}

/** The value of an answer; throws the failure or error that it carries. */
export function unpack(answered: Answer): unknown {
  if ("value" in answered) return answered.value;
  if ("failure" in answered) {
    const { code, detail, attr } = answered.failure;
    throw new Failure(code, detail, attr);
  }
  throw Object.assign(new Error(answered.error.message), answered.error);
}

/**
 * Objects whose methods are called elsewhere, by `send`. Failures arrive as failures, bugs as
 * errors with the stack of the place they came from.
 */
export function proxies<T extends Surface>(send: (call: Call) => Promise<Answer>): T {
  const objects = new Map<string, object>();
  const objectOf = (object: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          async (...args: unknown[]) =>
            unpack(await send({ object, method: String(method), args })),
      },
    );
  return new Proxy({} as T, {
    get(_, key) {
      const name = String(key);
      const made = objects.get(name) ?? objectOf(name);
      objects.set(name, made);
      return made;
    },
  });
}

/**
 * The objects that {@link serve} offers on the other end of a port, under the same names. A call
 * fails `unavailable` while CALLS_WAITING_MAX others wait.
 */
export function remote<T extends Surface>(port: Port): T {
  const waiting = new Map<number, (answered: Answer) => void>();
  let calls = 0;
  port.addEventListener("message", ({ data }: MessageEvent<Numbered<Answer>>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  return proxies<T>(async (call) => {
    if (waiting.size >= CALLS_WAITING_MAX) {
      throw new Failure("unavailable", "Too many changes are waiting. Try again in a moment.");
    }
    calls += 1;
    const id = calls;
    port.postMessage({ ...call, id } satisfies Numbered<Call>, takenAlong(call.args));
    return new Promise((resolve) => waiting.set(id, resolve));
  });
}
