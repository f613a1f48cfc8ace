import { describe, expect, test } from "bun:test";
import { ndjsonBuffer } from "../../../src/core/capture/ndjson.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("lines", () => {
  test("of few characters are as many bytes, and nothing is collected", () => {
    let collected = 0;
    const lines = ndjsonBuffer(10, () => {
      collected += 1;
    });
    for (const line of ["one", "", "ü€😀"]) lines.add(line);

    const count = lines.count();
    const bytes = lines.bytes();

    expect([count, collected]).toEqual([3, 0]);
    expect(text(bytes)).toBe("one\n\nü€😀\n");
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
  });

  test("none are no bytes", () => {
    expect(ndjsonBuffer(1).bytes()).toEqual(new Uint8Array());
  });

  test.each([
    ["fewer than", 20_000_000],
    ["as many as", 6_300_000],
    ["more than", 1000],
  ])("of %s the body's bytes are whole, and garbage is collected on the way", (_how, bodyBytes) => {
    let collected = 0;
    const lines = ndjsonBuffer(bodyBytes, () => {
      collected += 1;
    });
    const all = Array.from({ length: 3000 }, (_, at) => `${at} ${"ü€😀x".repeat(200)}`);
    for (const line of all) lines.add(line);

    const bytes = lines.bytes();

    expect(text(bytes) === `${all.join("\n")}\n`).toBe(true);
    expect(collected).toBe(2);
    // They change threads with all their room, which holds nothing else.
    const most = Math.max(bodyBytes * 1.25, bytes.length * 2);
    expect([bytes.byteOffset, bytes.buffer.byteLength <= most]).toEqual([0, true]);
  });
});
