import { expect, test } from "bun:test";
import {
  descriptorsMax,
  descriptorsOpen,
  endSocket,
  socketsOf,
} from "../../../src/app/process/descriptors.ts";
import { openConnection } from "../../support/start/connection.ts";

test("the limit is the soft one of the process", () => {
  const limits =
    "Max processes  94 95 processes\nMax open files            256    4096    files \n";
  expect(descriptorsMax(() => limits)).toBe(256);
  expect(descriptorsMax(() => "Max open files  unlimited unlimited files")).toBeUndefined();
});

test("connections of one port are found, and end as if the client had hung up", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
  using half = await openConnection(server.url.href);
  using kept = await openConnection(other.url.href);
  half.write("GET / HTTP/1.1\r\n");
  kept.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await kept.until("ok");
  const max = descriptorsMax() ?? 0;
  while (socketsOf(server.port ?? 0, max).length === 0) await Bun.sleep(1);
  const before = descriptorsOpen();

  const found = socketsOf(server.port ?? 0, max);
  for (const socket of found) endSocket(socket);

  expect(found).toHaveLength(1);
  expect(await half.until("never sent")).toBe("");
  expect(descriptorsOpen()).toBeLessThan(before);
  kept.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(await kept.until("ok")).toContain("200 OK");
});
