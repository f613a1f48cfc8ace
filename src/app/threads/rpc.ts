import { Failure, type FailureCode } from "../../core/values/failure.ts";

/** Stores and services by name. Their methods are asynchronous and take plain values. */
export type RpcApi = Record<string, object>;

/** A call of a method, as a message. */
export type Call = { object: string; method: string; args: unknown[] };

/** The result of a call, as a message. */
export type Answer =
  | { value: unknown }
  | { failure: { code: FailureCode; detail: string; attr: string | null } }
  | { error: { name: string; message: string; stack: string | undefined } };

/** The most calls that wait for the other thread (decision 67); the next one fails. */
export const CALLS_WAITING_MAX = 1024;

type Numbered<T> = T & { id: number };

/** One end of the message channel between two threads. */
export type Port = {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
};

/** Buffers of at least this many bytes are transferred, not copied: the sender loses them. */
export const TRANSFER_BYTES_MIN = 262_144;

/** The large buffers that are transferred with a message: its parts, and fields of its parts. */
function transferred(parts: readonly unknown[]): ArrayBuffer[] {
  return parts
    .flatMap((part) => (isRecord(part) ? Object.values(part) : [part]))
    .flatMap((bytes) => {
      const isLarge = ArrayBuffer.isView(bytes) && bytes.byteLength >= TRANSFER_BYTES_MIN;
      return isLarge && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
    });
}

/** Whether a part has named fields, which lists and typed arrays do not have. */
function isRecord(part: unknown): part is object {
  return (
    typeof part === "object" && part !== null && !Array.isArray(part) && !ArrayBuffer.isView(part)
  );
}

/**
 * Answers the calls of {@link rpcTo} on the other end, one at a time and in order, so that a batch and a
 * change by a user never interleave.
 */
export function serve(port: Port, api: RpcApi): void {
  let last: Promise<void> = Promise.resolve();
  port.addEventListener("message", ({ data }: MessageEvent<Numbered<Call>>) => {
    last = last.then(async () => {
      const answered = await answer(api, data);
      const parts = "value" in answered ? [answered.value] : [];
      port.postMessage({ ...answered, id: data.id }, transferred(parts));
    });
  });
}

/** Carries out a call and returns its result. Never throws. */
export async function answer(api: RpcApi, { object, method, args }: Call): Promise<Answer> {
  try {
    const target = api[object];
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

/** The value of an answer. Throws the failure or error that the answer carries. */
export function unpack(answered: Answer): unknown {
  if ("value" in answered) return answered.value;
  if ("failure" in answered) {
    const { code, detail, attr } = answered.failure;
    throw new Failure(code, detail, attr);
  }
  throw Object.assign(new Error(answered.error.message), answered.error);
}

/**
 * Objects whose methods `send` their calls to another thread or process. Failures arrive as failures, bugs
 * as errors with their original stack.
 */
export function rpcClient<T extends RpcApi>(send: (call: Call) => Promise<Answer>): T {
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
 * The objects that {@link serve} serves on the other end of a port, under the same names. A call fails
 * `unavailable` while CALLS_WAITING_MAX others wait.
 */
export function rpcTo<T extends RpcApi>(port: Port): T {
  const waiting = new Map<number, (answered: Answer) => void>();
  let calls = 0;
  port.addEventListener("message", ({ data }: MessageEvent<Numbered<Answer>>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  return rpcClient<T>(async (call) => {
    if (waiting.size >= CALLS_WAITING_MAX) {
      throw new Failure("unavailable", "Too many changes are waiting. Try again in a moment.");
    }
    calls += 1;
    const id = calls;
    port.postMessage({ ...call, id } satisfies Numbered<Call>, transferred(call.args));
    return new Promise((resolve) => waiting.set(id, resolve));
  });
}
