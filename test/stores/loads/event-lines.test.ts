import { expect, test } from "bun:test";
import { lineBuffer } from "../../../src/stores/loads/event-lines.ts";

/** Copies of all writes, because a writer must not keep the bytes. */
function written() {
  const writes: Buffer[] = [];
  const buffer = lineBuffer((bytes) => writes.push(Buffer.from(bytes)));
  return { buffer, writes, all: () => Buffer.concat(writes).toString() };
}

test("lines come out as they went in, in their order, many to a write", () => {
  const { buffer, writes, all } = written();
  const lines = Array.from(
    { length: 30_000 },
    (_, at) => `{"n":${at},"ü":"${"€😀".repeat(at % 9)}"}\n`,
  );
  for (const [at, line] of lines.entries()) {
    if (at % 2 === 0) buffer.text(line);
    else buffer.bytes(Buffer.from(line));
  }
  buffer.flush();

  expect(all()).toBe(lines.join(""));
  expect(writes.length).toBeGreaterThan(1);
  expect(writes.length).toBeLessThan(10);
});

test("a line that is larger than the buffer is written whole, with the lines around it", () => {
  const { buffer, all } = written();
  const large = "x".repeat(5_000_000);
  buffer.text("before\n");
  buffer.text(`${large}\n`);
  buffer.bytes(Buffer.from(`${large}y\n`));
  buffer.text("after\n");
  buffer.flush();

  expect(all()).toBe(`before\n${large}\n${large}y\nafter
`);
});

test("nothing is written where there was nothing, and nothing twice", () => {
  const { buffer, writes } = written();
  buffer.flush();
  buffer.text("");
  buffer.flush();
  expect(writes).toEqual([]);

  buffer.text("once\n");
  buffer.flush();
  buffer.flush();
  expect(writes.map(String)).toEqual(["once\n"]);
});

test("lines that one buffer has not written are not in the next one", () => {
  const { buffer: left } = written();
  left.text("left by a disk that refused\n");
  const { buffer, all } = written();
  buffer.text("new\n");
  buffer.flush();
  expect(all()).toBe("new\n");
});
