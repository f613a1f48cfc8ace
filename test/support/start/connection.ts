import { connect } from "node:net";

/** A connection on which a test writes requests byte by byte, as no HTTP client does. */
export type Connection = Disposable & {
  write(text: string): void;
  /** Resolves to the text since the last call, once it contains `text` or the connection has ended. */
  until(text: string): Promise<string>;
};

/** Connects to the server at `url`. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  let ended = false;
  let arrived = Promise.withResolvers<void>();
  const wake = () => {
    arrived.resolve();
    arrived = Promise.withResolvers();
  };
  socket.on("data", (bytes) => {
    received += bytes.toString();
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    ended = true;
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return {
    write: (text) => socket.write(text),
    async until(text) {
      while (!received.includes(text) && !ended) await arrived.promise;
      const taken = received;
      received = "";
      return taken;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** A capture request as it travels; its body is what follows the empty line. */
export function rawRequest(path: string, body: unknown): { head: string; body: string } {
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return { head: `${head.join("\r\n")}\r\n\r\n`, body: text };
}
