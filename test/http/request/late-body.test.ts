import { expect, test } from "bun:test";
import { connect } from "node:net";
import { PERSONAL_KEY, type Server, startServer } from "../../support/start/server.ts";

const KEYS = "/api/personal_api_keys/";

/** Sends a body's first bytes with its head; sends the rest on request, and resolves to the answer. */
async function begun({ url }: Server, key: string, path: string, body: object) {
  const { hostname, port } = new URL(url);
  const text = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  const closed = Promise.withResolvers<void>();
  socket.on("data", (bytes) => {
    received += bytes.toString("utf8");
  });
  socket.on("close", () => closed.resolve());
  const head = [
    ...[`POST ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${key}`],
    ...["Content-Type: application/json", `Content-Length: ${text.length}`, "Connection: close"],
  ];
  await new Promise<void>((sent) => {
    socket.write(`${head.join("\r\n")}\r\n\r\n${text.slice(0, 5)}`, () => sent());
  });
  return async () => {
    socket.write(text.slice(5));
    await closed.promise;
    return received;
  };
}

async function asked<T>({ url }: Server, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json().catch(() => ({}))) as T;
}

test("a body that comes after the end of its key does nothing", async () => {
  await using server = await startServer();
  const everything = { label: "all", scopes: ["*"] };
  const narrowed = { scopes: ["project:read"] };
  const ways: [string, (path: string) => Promise<unknown>][] = [
    ["HTTP/1.1 401", (path) => asked(server, "DELETE", path)],
    ["HTTP/1.1 401", (path) => asked(server, "POST", `${path}roll/`)],
    ["HTTP/1.1 403", (path) => asked(server, "PATCH", path, narrowed)],
  ];
  for (const [status, end] of ways) {
    const key = await asked<{ id: number; value: string }>(server, "POST", KEYS, everything);
    const { length: before } = await asked<unknown[]>(server, "GET", KEYS);
    const finish = await begun(server, key.value, KEYS, { ...everything, label: "late" });
    while (!(await isDecided(server, key.id))) await Bun.sleep(10);
    await end(`${KEYS}${key.id}/`);

    expect(await finish()).toStartWith(status);
    const after = await asked<{ label: string }[]>(server, "GET", KEYS);
    expect(after.filter(({ label }) => label === "late")).toEqual([]);
    expect(after.length).toBeLessThanOrEqual(before);
  }
  const kept = await asked<{ id: number; value: string }>(server, "POST", KEYS, everything);
  const finish = await begun(server, kept.value, KEYS, { ...everything, label: "late" });
  expect(await finish()).toStartWith("HTTP/1.1 201");
});

/** Whether a request with a key has been let in: that is when its use is noted. */
async function isDecided(server: Server, id: number): Promise<boolean> {
  const { last_used_at } = await asked<{ last_used_at: string | null }>(
    server,
    "GET",
    `${KEYS}${id}/`,
  );
  return last_used_at !== null;
}
