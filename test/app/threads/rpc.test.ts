import { describe, expect, test } from "bun:test";
import {
  CALLS_WAITING_MAX,
  type Port,
  rpcTo,
  serve,
  TRANSFER_BYTES_MIN,
} from "../../../src/app/threads/rpc.ts";
import { Failure } from "../../../src/core/values/failure.ts";

/** Two ends of one line: messages are copied and arrive later, as between threads. */
function line(): [Port, Port] {
  const ends = [new EventTarget(), new EventTarget()] as const;
  const port = (own: EventTarget, other: EventTarget): Port => ({
    postMessage(message, transfer) {
      const data = structuredClone(message, { transfer });
      queueMicrotask(() => other.dispatchEvent(new MessageEvent("message", { data })));
    },
    addEventListener: (type, listener) => own.addEventListener(type, listener as EventListener),
  });
  return [port(ends[0], ends[1]), port(ends[1], ends[0])];
}

describe("a rpcTo object", () => {
  const surface = () => {
    const calls: string[] = [];
    return {
      calls,
      store: {
        async add(a: number, b: number) {
          return a + b;
        },
        async slow(name: string) {
          calls.push(`${name} starts`);
          await Bun.sleep(5);
          calls.push(`${name} ends`);
        },
        async refuse(): Promise<never> {
          throw new Failure("not_found", "No such thing.", "id");
        },
        async fail(): Promise<never> {
          throw new TypeError("a bug");
        },
      },
    };
  };

  test("answers calls with values, failures and errors", async () => {
    const [here, there] = line();
    serve(there, { store: surface().store });
    const { store } = rpcTo<{ store: ReturnType<typeof surface>["store"] }>(here);

    expect(await store.add(1, 2)).toBe(3);
    expect(store.refuse()).rejects.toMatchObject({ code: "not_found", attr: "id", status: 404 });
    expect(store.fail()).rejects.toThrow("a bug");
  });

  test("takes large bytes along instead of copying them, there and back", async () => {
    const [here, there] = line();
    const echo = {
      given: new Uint8Array() as Uint8Array,
      async bytes(body: { bytes: Uint8Array }) {
        echo.given = body.bytes;
        return { bytes: body.bytes };
      },
      async sum(numbers: Uint32Array) {
        return numbers.reduce((sum, number) => sum + number, 0);
      },
    };
    serve(there, { echo });
    const far = rpcTo<{ echo: typeof echo }>(here);
    const [large, small] = [TRANSFER_BYTES_MIN, 100].map((size) => new Uint8Array(size).fill(7));

    const moved = await far.echo.bytes({ bytes: large as Uint8Array });
    expect([large?.length, echo.given.length]).toEqual([0, 0]);
    expect(moved.bytes.every((byte) => byte === 7)).toBe(true);
    expect(moved.bytes.length).toBe(TRANSFER_BYTES_MIN);

    const numbers = new Uint32Array(TRANSFER_BYTES_MIN).fill(9);
    expect(await far.echo.sum(numbers)).toBe(9 * TRANSFER_BYTES_MIN);
    expect(numbers.length).toBe(0);

    const copied = await far.echo.bytes({ bytes: small as Uint8Array });
    expect([small?.length, echo.given.length, copied.bytes.length]).toEqual([100, 100, 100]);
  });

  test("carries out one call after the other, in order", async () => {
    const [here, there] = line();
    const { calls, store: served } = surface();
    serve(there, { store: served });
    const { store } = rpcTo<{ store: typeof served }>(here);

    await Promise.all([store.slow("a"), store.slow("b")]);

    expect(calls).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });
});

test("a call fails while too many wait, and is taken when they are through", async () => {
  const [here, there] = line();
  const hold = Promise.withResolvers<void>();
  serve(there, { store: { wait: () => hold.promise } });
  const { store } = rpcTo<{ store: { wait(): Promise<void> } }>(here);
  const waiting = Array.from({ length: CALLS_WAITING_MAX }, () => store.wait());

  const refused = await store.wait().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "unavailable" });
  hold.resolve();
  await Promise.all(waiting);
  expect(await store.wait()).toBeUndefined();
});
