import { describe, expect, test } from "bun:test";
import { Failure } from "../src/domain/errors.ts";
import { type Port, remote, serve } from "../src/remote.ts";

/** Two ends of one line: messages are copied and arrive later, as between threads. */
function line(): [Port, Port] {
  const ends = [new EventTarget(), new EventTarget()] as const;
  const port = (own: EventTarget, other: EventTarget): Port => ({
    postMessage(message) {
      const data = structuredClone(message);
      queueMicrotask(() => other.dispatchEvent(new MessageEvent("message", { data })));
    },
    addEventListener: (type, listener) => own.addEventListener(type, listener as EventListener),
  });
  return [port(ends[0], ends[1]), port(ends[1], ends[0])];
}

describe("a remote object", () => {
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
    const { store } = remote<{ store: ReturnType<typeof surface>["store"] }>(here);

    expect(await store.add(1, 2)).toBe(3);
    expect(store.refuse()).rejects.toMatchObject({ code: "not_found", attr: "id", status: 404 });
    expect(store.fail()).rejects.toThrow("a bug");
  });

  test("carries out one call after the other, in order", async () => {
    const [here, there] = line();
    const { calls, store: served } = surface();
    serve(there, { store: served });
    const { store } = remote<{ store: typeof served }>(here);

    await Promise.all([store.slow("a"), store.slow("b")]);

    expect(calls).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });
});
