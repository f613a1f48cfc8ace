import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { Failure } from "../../../src/core/values/failure.ts";
import { problem } from "../../../src/http/answer/errors.ts";
import { BODIES_BYTES_MAX, type Meter, readBody } from "../../../src/http/request/body.ts";

const BYTES_MAX = 200_000;
const LIMITS = {
  bytesMax: BYTES_MAX,
  onTooLarge: () => new Failure("payload_too_large", "Too large."),
};

/** A request whose body comes in these chunks, and then does not end unless they are `ended`. */
function streamed(chunks: Uint8Array[], { ended = true } = {}) {
  const state = { cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      if (ended) controller.close();
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { request: new Request("http://localhost/", { method: "POST", body }), state };
}

const sent = (body: Uint8Array<ArrayBuffer>) =>
  new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-length": String(body.length) },
  });

const codeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => "read",
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );

describe("a body", () => {
  test.each([0, 1, 65_536, 65_537, BYTES_MAX])("of %d bytes is read whole", async (length) => {
    const meter: Meter = { held: 0 };
    const bytes = new Uint8Array(length).fill(7);

    const known = await readBody(sent(bytes), meter, LIMITS);
    const unknown = await readBody(streamed([bytes]).request, meter, LIMITS);

    expect([known.bytes, unknown.bytes]).toEqual([bytes, bytes]);
    expect(meter.held).toBe(2 * length);
    known.release();
    unknown.release();
    expect(meter.held).toBe(0);
  });

  test("may come in any number of chunks", async () => {
    const chunks = Array.from({ length: 70_000 }, (_, n) => new Uint8Array([n & 0xff]));
    const { bytes } = await readBody(streamed(chunks).request, { held: 0 }, LIMITS);
    expect(Buffer.compare(bytes, Buffer.concat(chunks))).toBe(0);
  });

  test("over the cap is given up where it exceeds it, and nothing stays counted", async () => {
    const meter: Meter = { held: 0 };
    const chunk = new Uint8Array(BYTES_MAX / 2);
    const endless = streamed([chunk, chunk, new Uint8Array(1)], { ended: false });

    expect(await codeOf(readBody(endless.request, meter, LIMITS))).toBe("payload_too_large");
    expect(await codeOf(readBody(sent(new Uint8Array(BYTES_MAX + 1)), meter, LIMITS))).toBe(
      "payload_too_large",
    );

    expect(endless.state.cancelled).toBe(true);
    expect(meter.held).toBe(0);
  });

  test("whose sender is gone says so, and nothing stays counted", async () => {
    const meter: Meter = { held: 0 };
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error("The connection was closed.")),
    });
    const request = new Request("http://localhost/", { method: "POST", body: broken });

    expect(await codeOf(readBody(request, meter, LIMITS))).toBe("upload_aborted");
    expect(meter.held).toBe(0);
  });

  test("that does not end is given up after a while", async () => {
    const meter: Meter = { held: 0 };
    const slow = streamed([new Uint8Array(5)], { ended: false });

    const code = await codeOf(readBody(slow.request, meter, { ...LIMITS, uploadMsMax: 20 }));

    expect(code).toBe("request_timeout");
    const answer = problem(new Failure("request_timeout", "Too slow."));
    expect([answer.status, answer.headers.get("connection")]).toEqual([408, "close"]);
    expect(slow.state.cancelled).toBe(true);
    expect(meter.held).toBe(0);
  });

  test("is refused while too many bodies are in memory, by the bytes that have come", async () => {
    const meter: Meter = { held: BODIES_BYTES_MAX - 10 };

    expect(await codeOf(readBody(sent(new Uint8Array(10)), meter, LIMITS))).toBe("read");
    expect(await codeOf(readBody(sent(new Uint8Array(1)), meter, LIMITS))).toBe("unavailable");

    expect(meter.held).toBe(BODIES_BYTES_MAX);
  });

  test("for which there is no room is refused before it is read", async () => {
    const meter: Meter = { held: BODIES_BYTES_MAX - BYTES_MAX + 1 };
    const request = sent(new Uint8Array(BYTES_MAX));

    expect(await codeOf(readBody(request, meter, LIMITS))).toBe("unavailable");

    expect(request.bodyUsed).toBe(false);
    const answer = problem(new Failure("unavailable", "Too many bodies."));
    expect([answer.status, answer.headers.get("connection")]).toEqual([503, "close"]);
  });

  test("that is short finds room while long ones find none", async () => {
    const meter: Meter = { held: BODIES_BYTES_MAX - 16_777_216 };
    const long = streamed([new Uint8Array(1)], { ended: false });

    expect(await codeOf(readBody(long.request, meter, LIMITS))).toBe("unavailable");
    expect(await codeOf(readBody(sent(new Uint8Array(65_537)), meter, LIMITS))).toBe("unavailable");
    expect(await codeOf(readBody(sent(new Uint8Array(65_536)), meter, LIMITS))).toBe("read");
  });

  test("that is given up is garbage, and one that is read is not", async () => {
    const given: number[] = [];
    const meter: Meter = { held: 0, givenUp: (bytes) => given.push(bytes) };
    const slow = streamed([new Uint8Array(7)], { ended: false });

    await codeOf(readBody(slow.request, meter, { ...LIMITS, uploadMsMax: 20 }));
    await codeOf(readBody(sent(new Uint8Array(5)), meter, LIMITS));

    expect(given).toEqual([7]);
  });

  test("that has not ended is in memory once", async () => {
    const CHUNKS = 2000;
    const meter: Meter = { held: 0 };
    const state = { sent: 0 };
    const counted = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (state.sent === CHUNKS) {
          await counted.promise;
          throw new Error("the sender has gone");
        }
        state.sent += 1;
        controller.enqueue(new Uint8Array(100));
      },
    });
    const arrays = () => {
      Bun.gc(true);
      return heapStats().objectTypeCounts["Uint8Array"] ?? 0;
    };
    const before = arrays();
    const request = new Request("http://localhost/", { method: "POST", body });
    const code = codeOf(readBody(request, meter, LIMITS));
    while (meter.held < CHUNKS * 100) await Bun.sleep(1);

    expect(arrays() - before).toBeLessThan(CHUNKS / 2);
    counted.resolve();
    expect(await code).toBe("upload_aborted");
  });
});
