import { describe, expect, test } from "bun:test";
import { openConnection } from "../support/start/connection.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const single = (event: string) => ({ api_key: PROJECT_KEY, event, distinct_id: "a" });
const HEAD = "POST /e/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

const server = sharedServer();
/** Others are served: small bodies and one that is counted as it comes. */
async function expectService(name: string): Promise<void> {
  const small = await Promise.all(
    Array.from({ length: 20 }, () => server.capture(single(name), "/i/v0/e/")),
  );
  const large = await server.capture({
    api_key: PROJECT_KEY,
    batch: Array.from({ length: 1000 }, () => ({
      ...single(name),
      properties: { text: "x".repeat(2000) },
    })),
  });
  expect([...small, large].map(({ status }) => status)).toEqual(Array(21).fill(200));
}

describe("bodies that do not come", () => {
  test.each([
    ["announce 20 MiB and send nothing", `${HEAD}Content-Length: 20971520\r\n\r\n`, ""],
    ["announce more than they send", `${HEAD}Content-Length: 1000\r\n\r\n`, '{"event"'],
    ["come in chunks without an end", `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, "3\r\n[[[\r\n"],
    ["come byte by byte", `${HEAD}Content-Length: 5000\r\n\r\n`, "["],
    ["have not even their headers", HEAD, "X-Name: a\r\n"],
  ])("and %s leave others alone", async (name, head, piece) => {
    const connections = await Promise.all(
      Array.from({ length: 60 }, () => openConnection(server.url)),
    );
    for (const connection of connections) connection.write(head);
    let dripping = true;
    const drip = (async () => {
      while (dripping && piece !== "") {
        for (const connection of connections) connection.write(piece);
        await Bun.sleep(20);
      }
    })();

    await expectService(name);

    dripping = false;
    await drip;
    for (const connection of connections) connection[Symbol.dispose]();
    await expectService(`after ${name}`);
  });

  test("and end early are not stored", async () => {
    const connection = await openConnection(server.url);
    const text = JSON.stringify(single("cut short"));
    connection.write(`${HEAD}Content-Length: ${text.length + 1}\r\n\r\n${text}`);
    connection[Symbol.dispose]();

    await server.capture(single("after the cut"));
    await server.stored(1, "&event=after%20the%20cut");

    expect(await server.events("&event=cut%20short")).toEqual([]);
  });

  test("are refused when over 20 MiB in chunks, where they exceed it", async () => {
    using connection = await openConnection(server.url);
    connection.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `100000\r\n${" ".repeat(0x10_00_00)}\r\n`;
    for (let sent = 0; sent < 21; sent += 1) connection.write(chunk);

    expect(await connection.until("payload_too_large")).toStartWith("HTTP/1.1 413");
  });

  test("are no matter of a thousand connections on which nothing comes", async () => {
    const connections = await Promise.all(
      Array.from({ length: 1000 }, () => openConnection(server.url)),
    );
    await expectService("with idle connections");
    for (const connection of connections) connection[Symbol.dispose]();
  });
});

describe("a request in the body of another", () => {
  const inner = (() => {
    const body = JSON.stringify(single("smuggled"));
    return `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;
  })();
  const start = "POST /e/ HTTP/1.1\r\nHost: localhost\r\n";

  test.each([
    [
      "a length and chunks",
      `${start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "chunks and a length",
      `${start}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
    ["two lengths", `${start}Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n`],
    ["a list of lengths", `${start}Content-Length: 0, ${inner.length}\r\n\r\n`],
    ["a folded header", `${start}X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n`],
    ["a folded encoding", `${start}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
    ["bare line feeds", "POST /e/ HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n"],
    ["an unknown encoding", `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ["an encoding after chunks", `${start}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    [
      "a blank before the colon",
      `${start}Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n`,
    ],
    ["a length with a sign", `${start}Content-Length: +0\r\n\r\n`],
    ["a length in hexadecimal", `${start}Content-Length: 0x0\r\n\r\n`],
    ["a line feed in a chunk", `${start}Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n`],
    [
      "a chunk with a size beyond all integers",
      `${start}Transfer-Encoding: chunked\r\n\r\n${"F".repeat(17)}\r\n`,
    ],
  ])("after %s is refused with it", async (_case, outer) => {
    using connection = await openConnection(server.url);
    connection.write(outer + inner);

    // Never there: it resolves when the server has closed the connection.
    const answers = await connection.until("no such text");

    expect(answers).toMatch(/^HTTP\/1\.1 (400|505)/);
    expect(answers).not.toContain("200 OK");
  });

  test("has stored nothing", async () => {
    await server.capture(single("after smuggling"));
    await server.stored(1, "&event=after%20smuggling");
    expect(await server.events("&event=smuggled")).toEqual([]);
  });
});

describe("bytes after a body", () => {
  const request = (name: string, more = 0) => {
    const body = JSON.stringify(single(name));
    return `${HEAD}Content-Length: ${body.length + more}\r\n\r\n${body}`;
  };
  const inChunks = (name: string, trailer = "") => {
    const body = JSON.stringify(single(name));
    return `${HEAD}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n${trailer}\r\n`;
  };

  test.each([
    ["a second request", (name: string) => request(name) + request(`${name} 2`), true, null],
    [
      "a second request after chunks",
      (name: string) => inChunks(name) + request(`${name} 2`),
      true,
      null,
    ],
    ["a line feed", (name: string) => `${request(name)}\n`, true, 400],
    ["an empty line", (name: string) => `${request(name)}\r\n`, true, 400],
    ["a trailer", (name: string) => inChunks(name, "X-Sum: 1\r\n"), true, 400],
    [
      "the rest of a body whose length was too small",
      (name: string) => request(name, -5),
      false,
      400,
    ],
  ] as const)(
    "%s: the connection is closed, and stored is what the docs say",
    async (what, sent, isStored, status) => {
      const name = `after ${what}`;
      using connection = await openConnection(server.url);
      connection.write(sent(name));
      // Never there: it resolves when the server has closed the connection.
      const answer = await connection.until("no such text");
      expect(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? null).toBe(status?.toString() ?? null);
      await server.capture(single("after bytes"));
      await server.stored(1, "&event=after%20bytes");
      const count = async (of: string) =>
        (await server.events(`&event=${encodeURIComponent(of)}`)).length;
      expect([await count(name), await count(`${name} 2`)]).toEqual([isStored ? 1 : 0, 0]);
    },
  );
});
