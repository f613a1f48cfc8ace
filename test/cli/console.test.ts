import { expect, test } from "bun:test";
import { runCommand } from "../support/start/process.ts";
import { type Server, startServer } from "../support/start/server.ts";

const serve = (...flags: string[]) => startServer({ flags });

/** Runs `hoglet console` next to a server. */
const link = ({ data }: Pick<Server, "data">, ...args: string[]) =>
  runCommand(["console", ...args, "--data", data]);

/** The answer to a sign-in with the link that was printed. */
const signIn = ({ url }: Server, printed: string) =>
  fetch(`${url}/console/api/session/`, {
    method: "POST",
    headers: { "x-hoglet-console": "1" },
    body: JSON.stringify({ link: printed.trim().split("#link=")[1] }),
  });

test("a link has the address that reaches the server from this machine, and signs in once", async () => {
  await using server = await serve("--host", "0.0.0.0");
  const { code, out, err } = await link(server);

  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#link=[\w-]{43}\n$/);
  expect(out).toStartWith(server.url);
  expect((await signIn(server, out)).status).toBe(201);
  expect((await signIn(server, out)).status).toBe(401);
  expect(server.output().err).toContain("a link to the console was refused");
  expect(server.output().out + server.output().err).not.toContain("#link=");
  const token = out.trim().split("#link=")[1] ?? "";
  expect(server.output().out + server.output().err).not.toContain(token);
});

test("a link has the public address, and may be for another user", async () => {
  await using server = await serve("--public-url", "https://example.com/stats/");
  const { out, err } = await link(server, "--user", "ann@example.com", "--minutes", "5");
  const answer = await signIn(server, out);

  expect(out).toStartWith("https://example.com/stats/console/#link=");
  expect(err).toBe("A new user was made: ann@example.com.\n");
  expect(answer.headers.get("set-cookie")).toMatch(/^__Host-hoglet_.*; Secure;/);
  const { user, key } = (await answer.json()) as { user: object; key: { scopes: string[] } };
  expect(user).toMatchObject({ email: "ann@example.com" });
  expect(key.scopes.filter((scope) => !scope.endsWith(":read"))).toEqual([]);
});

test("a link has the rights that are named, by scopes or by a key, and no others", async () => {
  await using server = await serve();
  const scopesOf = async (...args: string[]) => {
    const { code, out, err } = await link(server, ...args);
    if (code !== 0) return [code, err.trim()];
    return ((await (await signIn(server, out)).json()) as { key: { scopes: string[] } }).key.scopes;
  };
  const made = ["key", "create", "--scopes", "insight:write,query:read", "--user", "bob@x.y"];
  await runCommand([...made, "--data", server.data]);
  const listed = (await runCommand(["key", "list", "--data", server.data])).out;
  const id = /^(\d+).*insight:write/m.exec(listed)?.[1] ?? "";

  expect(await scopesOf("--scopes", "person:read, person:write")).toEqual([
    ...["person:read", "person:write"],
  ]);
  expect(await scopesOf("--key", id)).toEqual(["insight:write", "query:read"]);
  expect(await scopesOf("--key", id, "--user", "bob@x.y")).toHaveLength(2);
  for (const [code, ...args] of [
    [2, "--user", "ann@x.y", "--scopes", "*"],
    [2, "--user", "ann@x.y", "--scopes", "person:delete"],
    [2, "--user", "ann@x.y", "--key", id],
    [1, "--key", "99"],
    [2, "--key", "first"],
    [2, "--key", id, "--scopes", "query:read"],
  ] as const) {
    expect(await scopesOf(...args)).toEqual([code, expect.any(String)]);
  }
});

test("all sessions and links are ended at once", async () => {
  await using server = await serve();
  const [used, unused] = [await link(server), await link(server)];
  await signIn(server, used.out);

  expect(await link(server, "--sign-out-all")).toMatchObject({
    code: 0,
    out: "1 session ended.\n",
  });
  expect((await signIn(server, unused.out)).status).toBe(401);
});

test("a link is refused without a server, without the console, and for too long", async () => {
  await using server = await serve("--console", "off");
  const off = await link(server);
  expect(off).toMatchObject({ code: 1, out: "" });
  expect(off.err).toContain("The console is off.");
  for (const minutes of ["0", "1441", "soon"]) {
    expect((await link(server, "--minutes", minutes)).code).toBe(2);
  }
  await server.stop();

  const stopped = await link(server);
  expect(stopped).toMatchObject({ code: 1, out: "" });
  expect(stopped.err).toContain("Start it first: hoglet serve.");
});
