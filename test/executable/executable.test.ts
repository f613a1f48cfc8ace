import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json";
import { bodyOf, clockBefore, eventOf, type Sent } from "../support/data/senders.ts";
import { expectKept, settled } from "../support/disk/project-contents.ts";
import { smallDisk } from "../support/disk/small-disk.ts";
import { type LoneExecutable, loneExecutable } from "../support/start/executable.ts";
import { environment, type Outcome, runCommand, start } from "../support/start/process.ts";
import { casesOf } from "../support/start/rounds.ts";
import {
  PERSONAL_KEY,
  PROJECT_KEY,
  ROOT,
  type Server,
  startServer,
} from "../support/start/server.ts";

/** Where nothing but the executable is. */
let folder = "";
let executable = "";
let built: LoneExecutable | undefined;

/** What a machine has that knows neither Bun nor npm. */
const BARE = { PATH: "/usr/bin:/bin" };
const KEYS = { HOGLET_PROJECT_KEY: PROJECT_KEY, HOGLET_PERSONAL_KEY: PERSONAL_KEY };

beforeAll(() => {
  built = loneExecutable();
  ({ folder, path: executable } = built);
});

afterAll(() => built?.[Symbol.dispose]());

/** A new folder, to work in. */
function place(): string {
  return mkdtempSync(join(folder, "place-"));
}

/** Starts the executable in a folder. */
function serve(cwd: string, data = join(cwd, "data")): Promise<Server> {
  return startServer({ command: [executable], cwd, data, env: { ...BARE, HOME: cwd } });
}

/** Runs a command of the executable in a folder. */
function run(cwd: string, args: string[], env: Record<string, string> = KEYS): Promise<Outcome> {
  return runCommand(args, { command: [executable], cwd, env: { ...BARE, ...env } });
}

const clock = clockBefore(Date.now());

function stepsOf(distinct_id: string, count: number, pad = ""): Sent[] {
  return Array.from({ length: count }, (_, n) =>
    eventOf({
      event: "step",
      distinct_id,
      timestamp: clock(),
      properties: { n, pad, $set: { n }, $set_once: { first: n } },
      acknowledged: true,
    }),
  );
}

async function post(server: Server, path: string, body: string | Uint8Array): Promise<void> {
  const answer = await fetch(server.url + path, { method: "POST", body });
  expect([answer.status, await answer.text()]).toEqual([200, '{"status":"Ok"}']);
}

/** A request for events, with a key; only its status is of interest. */
async function statusWith(server: Server, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${server.url}/api/environments/1/events/`, { headers })).status;
}

describe("the executable in an empty folder", () => {
  test("captures in every form, is killed, and reads back", async () => {
    const cwd = place();
    for (let above = cwd; above !== dirname(above); above = dirname(above)) {
      expect(existsSync(join(above, "node_modules"))).toBe(false);
    }
    await using first = await serve(cwd);
    const single = stepsOf("single", 2);
    const batch = stepsOf("batch", 7);
    // Over 256 KiB, so that it is decoded on a thread of its own.
    const large = stepsOf("large", 300, "x".repeat(1000));
    const [one = {}, two = {}] = bodyOf(single)["batch"] as object[];

    await post(first, "/i/v0/e/", JSON.stringify({ ...one, api_key: PROJECT_KEY }));
    await post(first, "/e/", gzipSync(JSON.stringify({ ...two, api_key: PROJECT_KEY })));
    await post(first, "/batch/", JSON.stringify(bodyOf(batch.slice(0, 4))));
    await post(first, "/batch/", gzipSync(JSON.stringify(bodyOf(batch.slice(4)))));
    await post(first, "/batch/", JSON.stringify(bodyOf(large.slice(0, 290))));
    await post(first, "/batch/", gzipSync(JSON.stringify(bodyOf(large.slice(10)))));
    first.signal("SIGKILL");
    await first.exited;

    await using second = await serve(cwd);
    await expectKept(second, [...single, ...batch, ...large]);
    expect(await second.stop()).toBe(0);
    expect(readdirSync(cwd)).toEqual(["data"]);
  });

  test.skipIf(process.platform !== "linux")(
    "has no more memory after it unpacked its engine than after any other start",
    async () => {
      const resident = ({ pid }: Server) =>
        Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
      const cwd = place();
      const first = await serve(cwd);
      expect(await first.stop()).toBe(0);
      await using other = await serve(cwd);
      await using unpacks = await serve(cwd, join(cwd, "new"));

      expect(resident(other)).toBeGreaterThan(50_000);
      // What was unpacked has more than that. What is free goes back to the system by and by.
      while (resident(unpacks) - resident(other) > 30_000) await Bun.sleep(100);
    },
  );

  test("starts after it was killed while it unpacked its engine", async () => {
    const cwd = place();
    const data = join(cwd, "data");
    for (const afterMs of casesOf([60, 150], [30, 60, 90, 120, 150, 200, 250])) {
      await using killed = start(data, { command: [executable], cwd });
      await Bun.sleep(afterMs);
      killed.signal("SIGKILL");
    }

    await using server = await serve(cwd);

    await settled(server);
  });

  test("waits for room to unpack its engine, and then starts", async () => {
    await using disk = await smallDisk(400_000_000);
    disk.fill(10_000_000);
    await using server = start(join(disk.path, "data"), { command: disk.command([executable]) });
    while (!server.output().err.includes("the start waits for space")) await Bun.sleep(20);

    disk.empty();

    const url = await server.listening;
    while (!(await fetch(`${url}/_readiness`)).ok) await Bun.sleep(20);
    expect(await server.stop()).toBe(0);
  });

  test("shows its documentation from its own bytes alone", async () => {
    await using server = await serve(place());
    const get = (path: string) => fetch(server.url + path);

    const page = await get("/docs");
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = ""]) => link);
    const parts = links.filter((link) => !link.startsWith("data:"));

    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(parts).toEqual(expect.arrayContaining(["docs/swagger-ui.css", "docs/start.js"]));
    for (const part of parts) {
      const asset = await get(`/${part}`);
      expect([part, asset.status]).toEqual([part, 200]);
      expect((await asset.text()).length).toBeGreaterThan(100);
    }
    const { info, paths } = (await (await get("/openapi.json")).json()) as Record<string, object>;
    expect(info).toMatchObject({ version: manifest.version });
    expect(Object.keys(paths ?? {})).toEqual(
      expect.arrayContaining(["/batch/", "/api/environments/{project_id}/events/"]),
    );
  });

  test("shows on its first start where everything is", async () => {
    const cwd = place();
    await using server = start(join(cwd, "data"), { command: [executable], cwd, env: BARE });
    const url = await server.listening;
    await ready(url);

    const { out } = server.output();
    const key = readFileSync(join(cwd, "data", "initial-key"), "utf8").trim();
    const projectKey = /phc_\w+/.exec(out)?.[0] ?? "";
    const curl = /^ {2}curl .*$/m.exec(out)?.[0] ?? "";
    const sent = Bun.spawn(["sh", "-c", `${curl} --silent --fail`], { stdout: "pipe" });

    expect(await sent.stdout.text()).toBe('{"status":"Ok"}');
    expect(out).toContain(`posthog.init('${projectKey}', { api_host: '${url}' })`);
    expect(out).not.toContain("phx_");
    const headers = { authorization: `Bearer ${key}` };
    const projects = await (await fetch(`${url}/api/projects/`, { headers })).json();
    expect(projects).toMatchObject({ results: [{ id: 1, api_token: projectKey }] });
  });

  test("is not affected by files that Bun would read", async () => {
    const cwd = place();
    const trap = `require("node:fs").writeFileSync(${JSON.stringify(join(cwd, "sprung"))}, "");`;
    const plant = (path: string, content: string) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), content);
    };
    plant(".env", "HOGLET_PROJECT_KEY=phc_planted\nHOGLET_COLOUR=red\nHOGLET_PORT=none\n");
    plant("bunfig.toml", 'preload = ["./trap.js"]\n[run]\npreload = ["./trap.js"]\n');
    plant("trap.js", trap);
    plant("tsconfig.json", '{"compilerOptions": {"paths": {"*": ["./trap.js"]}}}');
    plant("package.json", '{"name": "planted", "imports": {"#x": "./trap.js"}, "type": "commonjs"');
    for (const name of ["node-api", "node-bindings", "node-bindings-linux-x64"]) {
      plant(`node_modules/@duckdb/${name}/package.json`, '{"main": "index.js"}');
      plant(`node_modules/@duckdb/${name}/index.js`, trap);
    }
    const planted = readdirSync(cwd).sort();

    await using server = await serve(cwd);
    const events = stepsOf("one", 3);
    await post(server, "/batch/", JSON.stringify(bodyOf(events)));

    await expectKept(server, events);
    expect(readdirSync(cwd).sort()).toEqual(["data", ...planted].sort());
    expect((await run(cwd, ["version"])).out).toStartWith(`hoglet ${manifest.version} `);
  });
});

describe("its data directory", () => {
  test("is for its owner alone, with any umask", async () => {
    const cwd = place();
    const command = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', executable];
    const data = join(cwd, "deep", "data");
    await using server = start(data, { command, cwd, env: BARE });
    const url = await server.listening;
    await ready(url);
    const projectKey = /phc_\w+/.exec(server.output().out)?.[0];
    const body = JSON.stringify({ ...bodyOf(stepsOf("one", 3)), api_key: projectKey });
    await fetch(`${url}/batch/`, { method: "POST", body });
    const wal = join(data, "events", "1.duckdb.wal");
    while (!existsSync(wal)) await Bun.sleep(10);

    expect(openToOthers(data)).toEqual([]);

    expect(await server.stop()).toBe(0);
    expect(openToOthers(data)).toEqual([]);
  });

  test("is closed to others when it was open to them", async () => {
    const cwd = place();
    mkdirSync(join(cwd, "data"), { mode: 0o755 });

    await using server = await serve(cwd);

    await settled(server);
    expect(openToOthers(server.data)).toEqual([]);
  });

  test.each(["file", "file/below"])("is named when it cannot be one: %s", async (name) => {
    const cwd = place();
    writeFileSync(join(cwd, "file"), "");

    const { code, out, err } = await run(cwd, ["serve", "--port", "0", "--data", name]);

    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(join(cwd, name));
    expect(err).toMatch(/^The data directory .+ cannot be used \(E\w+\)\. Make it .+\.\n$/);
  });

  test("is refused to a second server, with a sentence", async () => {
    const cwd = place();
    await using server = await serve(cwd);

    const second = await run(cwd, ["serve", "--port", "0"]);

    expect(second).toEqual({
      code: 4,
      out: "",
      err: `Another hoglet is using ${server.data}. Stop it, or give --data another.\n`,
    });
    const events = stepsOf("one", 3);
    await post(server, "/batch/", JSON.stringify(bodyOf(events)));
    await expectKept(server, events);
  });
});

describe("its commands", () => {
  test("print the version and the list of commands", async () => {
    const cwd = place();

    const version = await run(cwd, ["version"]);
    const help = await run(cwd, ["help"]);

    const machine = `${process.platform}-${process.arch}`;
    expect(version.code).toBe(0);
    expect(version.out).toMatch(
      new RegExp(`^hoglet ${manifest.version} .*${machine} bun ${Bun.version}\n$`),
    );
    expect([help.code, help.err]).toEqual([0, ""]);
    for (const word of ["serve", "key create", "project rotate-key", "--data", "--port"]) {
      expect(help.out).toContain(word);
    }
    expect(await run(cwd, ["key", "create", "--help"])).toEqual(help);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("print a page of the documentation without the sources", async () => {
    const { code, out } = await run(place(), ["docs", "limits"]);

    const page = readFileSync(join(ROOT, "src/docs/limits.md"), "utf8");
    expect([code, out]).toEqual([0, page]);
  });

  test("serve the console from the executable alone", async () => {
    await using server = await serve(place());
    const page = await (await fetch(`${server.url}/console/`)).text();
    const assets = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
    const types = await Promise.all(
      assets.map(async (path) => (await fetch(server.url + path)).headers.get("content-type")),
    );

    const script = "text/javascript; charset=utf-8";
    const picture = "image/svg+xml; charset=utf-8";
    expect(types).toEqual([picture, "font/woff2", "text/css; charset=utf-8", script]);
    const main = await (await fetch(server.url + assets.at(-1))).text();
    const later = [...main.matchAll(/import\("\.\/([\w-]+\.js)"\)/g)].map(([, name]) => name);
    expect(later.length).toBeGreaterThan(5);
    for (const name of later) {
      const file = await fetch(`${server.url}/console/assets/${name}`);
      expect([name, file.status, file.headers.get("content-type")]).toEqual([name, 200, script]);
    }
  });

  test("print the licences of all that is inside, whole also for a slow reader", async () => {
    const cwd = place();
    const { code, out } = await run(cwd, ["licenses"]);
    const slow = Bun.spawn(["sh", "-c", `"${executable}" licenses | (sleep 1; cat)`], {
      ...{ cwd, env: environment() },
    });

    expect(code).toBe(0);
    expect(out).toStartWith(`hoglet ${manifest.version} (MIT)\n\n`);
    for (const name of Object.keys(manifest.dependencies)) {
      // The package of this platform is in its place.
      if (name !== "@duckdb/node-bindings")
        expect(out).toMatch(new RegExp(`^${name} \\d.*\\(.*\\)$`, "m"));
    }
    for (const inside of ["bun", `@duckdb/node-bindings-${process.platform}-${process.arch}`]) {
      expect(out).toContain(`\n${inside} `);
    }
    expect(out).toContain("Stichting DuckDB Foundation");
    expect(out).toContain("Apache License\n");
    // The table of countries is made of its data.
    expect(out).toContain("Number Resource Organization");
    expect(await slow.stdout.text()).toBe(out);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.each([
    ["an unknown flag", ["serve", "--colour", "red"], {}, "--colour"],
    ["an unknown setting", ["serve"], { HOGLET_COLOUR: "red" }, "HOGLET_COLOUR"],
  ])("end with 2 and a sentence on %s", async (_what, args, env, named) => {
    const cwd = place();

    const { code, out, err } = await run(cwd, args, env);

    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(named);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("make keys and projects when no server runs, also after one was killed", async () => {
    const cwd = place();
    const early = await run(cwd, ["key", "create"]);
    await using first = await serve(cwd);
    expect(await statusWith(first, early.out.trim())).toBe(200);
    first.signal("SIGKILL");
    await first.exited;
    expect(existsSync(join(first.data, "hoglet.sock"))).toBe(true);

    const late = await run(cwd, ["key", "create"]);
    const project = await run(cwd, ["project", "create", "Second"]);

    await using second = await serve(cwd);
    expect(await statusWith(second, late.out.trim())).toBe(200);
    expect(await statusWith(second, early.out.trim())).toBe(200);
    expect(project.out).toMatch(/^2 phc_\w{20,}\n$/);
    const api_key = project.out.trim().split(" ")[1];
    const answer = await second.capture({ ...bodyOf(stepsOf("one", 1)), api_key });
    expect(answer.status).toBe(200);
    const other = `${second.url}/api/environments/2/events/?limit=1`;
    while ((await second.get<{ count: number }>(other)).count < 1) await Bun.sleep(20);
  });

  test("tell whether a server is there, and that a port is taken", async () => {
    const cwd = place();
    await using server = await serve(cwd);
    const { port } = new URL(server.url);

    expect(await run(cwd, ["health", "--port", port])).toMatchObject({ code: 0 });
    const taken = await run(cwd, ["serve", "--port", port, "--data", "other"]);
    expect(taken).toMatchObject({ code: 1, out: "" });
    expect(taken.err).toStartWith(`Cannot listen on 127.0.0.1 port ${port}. The port is taken`);
    expect(existsSync(join(cwd, "other"))).toBe(false);

    server.signal("SIGTERM");
    await server.exited;
    expect(await run(cwd, ["health", "--port", port])).toMatchObject({ code: 1, out: "" });
  });

  test("show the settings and where they come from, but no key", async () => {
    const cwd = place();
    writeFileSync(join(cwd, "hoglet.toml"), "dedup_window = 24\n");

    const { code, out } = await run(cwd, ["config", "--port", "0"]);

    expect(code).toBe(0);
    expect(out).toMatch(/^dedup_window +24 hours +file/m);
    expect(out).toMatch(/^port +0 +flag/m);
    expect(out).toMatch(/^personal_key +\(secret\) +environment/m);
    expect(out).not.toContain(PERSONAL_KEY);
    expect(out).not.toContain(PROJECT_KEY);
  });
});

/** Waits until a server that listens has replayed its journal. */
async function ready(url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error("The server ended before it listened");
  while (!(await fetch(`${url}/_readiness`)).ok) await Bun.sleep(10);
}

/**
 * What is below a directory, and itself, that has another mode than 0700 or 0600. The server may
 * remove a file between the listing and the look at it: what is gone is open to nobody.
 */
function openToOthers(directory: string): string[] {
  const below = readdirSync(directory, { recursive: true }).map(String);
  expect(below).toEqual(expect.arrayContaining(["hoglet.sqlite", "lock.db"]));
  expect(below.length).toBeGreaterThan(8);
  return ["", ...below].flatMap((name) => {
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
    if (stats === undefined) return [];
    const mode = stats.mode & 0o777;
    return mode === (stats.isDirectory() ? 0o700 : 0o600) ? [] : [`${name} ${mode.toString(8)}`];
  });
}
