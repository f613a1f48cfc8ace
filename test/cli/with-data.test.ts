import { expect, test } from "bun:test";
import { event } from "../support/data/build-records.ts";
import { runCommand } from "../support/start/process.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";

/** Runs a command beside the server, on its data directory. */
const hoglet = ({ data }: Server, ...args: string[]) => runCommand([...args, "--data", data]);

const captured = async (server: Server, api_key: string) =>
  (await server.capture({ api_key, ...event() }, "/i/v0/e/")).status;

const statusOf = async (server: Server, key: string, list = "persons") => {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${server.url}/api/environments/1/${list}/`, { headers })).status;
};

test("project commands take effect in the running server at once", async () => {
  await using server = await startServer();

  const made = await hoglet(server, "project", "create", "Shop");
  const [id = "", token = ""] = made.out.trim().split(" ");
  expect(await captured(server, token)).toBe(200);

  const renamed = await hoglet(server, "project", "rename", id, "Second shop");
  expect(renamed).toEqual({ code: 0, out: "2 Second shop\n", err: "" });
  expect(await server.get(`${server.url}/api/projects/2/`)).toMatchObject({ name: "Second shop" });

  const rotated = await hoglet(server, "project", "rotate-key", id, "--grace-hours", "2");
  expect(rotated.err).toStartWith(`${token} is accepted until `);
  expect(await captured(server, token)).toBe(200);
  expect(await captured(server, rotated.out.trim())).toBe(200);

  const ended = await hoglet(server, "project", "rotate-key", id, "--grace-hours", "0");
  expect(await captured(server, token)).toBe(401);
  expect(await captured(server, rotated.out.trim())).toBe(401);
  expect(await captured(server, ended.out.trim())).toBe(200);
  expect(await captured(server, PROJECT_KEY)).toBe(200);

  const absent = await hoglet(server, "project", "rename", "9", "Shop");
  expect(absent).toEqual({ code: 1, out: "", err: "Project not found.\n" });
});

test("key commands take effect in the running server at once", async () => {
  await using server = await startServer();

  const made = await hoglet(server, "key", "create", "--scopes", "person:read", "--label", "ci");
  const rolled = await hoglet(server, "key", "roll", "2");
  expect(rolled).toMatchObject({ code: 0, err: "" });
  expect(await statusOf(server, made.out.trim())).toBe(401);
  expect(await statusOf(server, rolled.out.trim())).toBe(200);
  expect(await statusOf(server, rolled.out.trim(), "events")).toBe(403);

  const list = await hoglet(server, "key", "list");
  expect(list.out).toContain("last used");
  expect(list.out).not.toContain(rolled.out.trim());

  expect(await hoglet(server, "key", "revoke", "2")).toMatchObject({ code: 0, err: "" });
  expect(await hoglet(server, "key", "revoke", "2")).toMatchObject({ code: 1, out: "" });
  expect(await statusOf(server, rolled.out.trim())).toBe(401);
  expect(await statusOf(server, PERSONAL_KEY)).toBe(200);

  const nowhere = await hoglet(server, "key", "create", "--projects", "7");
  expect([nowhere.code, nowhere.out]).toEqual([2, ""]);
});
