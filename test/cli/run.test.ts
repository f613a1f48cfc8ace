import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/app/process/version.ts";
import type { Io } from "../../src/cli/command.ts";
import { COMMANDS, run } from "../../src/cli/run.ts";
import { temporaryDirectory } from "../support/start/app.ts";

/** Runs a command; `printing` is how its output is not as usual. */
async function hoglet(
  argv: string[],
  env: Record<string, string> = {},
  printing: Partial<Pick<Io, "unprinted" | "isNowhere">> = {},
) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(argv, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    unprinted: async () => undefined,
    isNowhere: false,
    isTerminal: false,
    env,
    ...printing,
  });
  return { code, out, err };
}

describe("the command line", () => {
  test("prints every command and setting as help", async () => {
    const { code, out } = await hoglet(["help"]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out.join("\n")).toContain(`hoglet ${name}`);
    expect(out.join("\n")).toContain("--public-url");
    expect((await hoglet(["serve", "--help"])).out).toEqual(out);
  });

  test("prints its version", async () => {
    const { out } = await hoglet(["version"]);
    expect(out[0]).toStartWith(`hoglet ${VERSION}`);
  });

  test("says where the licences are when it runs from its sources", async () => {
    const { code, out } = await hoglet(["licenses"]);
    expect([code, out]).toEqual([0, [expect.stringContaining("node_modules")]]);
  });

  test("prints settings with their source", async () => {
    const { out } = await hoglet(["config", "--port", "9000"], { HOGLET_HOST: "0.0.0.0" });
    expect(out.find((line) => line.startsWith("port "))).toMatch(/9000\s+flag/);
    expect(out.find((line) => line.startsWith("host "))).toMatch(/0\.0\.0\.0\s+environment/);
  });

  test.each([
    [[], "What should hoglet do"],
    [["fly"], "There is no command fly"],
    [["key"], "There is no command key"],
    [["serve", "--prot", "1"], "knows no flag --prot"],
    [["serve", "--port"], "--port needs a value"],
    [["serve", "--port", "x"], "--port must be a whole number"],
    [["serve", "now"], "Usage: hoglet serve"],
    [["key", "revoke"], "Usage: hoglet key revoke ID"],
    [["key", "revoke", "x"], "ID must be a whole number"],
    [["key", "roll", "x"], "ID must be a whole number"],
    [["project", "rename", "x", "Shop"], "ID must be a whole number"],
    [["project", "rename", "1"], "Usage: hoglet project rename ID NAME"],
    [["project", "rotate-key", "1", "--grace-hours", "1d"], "--grace-hours must be"],
    [["config", "--trusted-proxies", "10.0.0.0/33"], "--trusted-proxies must be addresses"],
    [["config", "--trusted-proxies", "proxy.local"], "--trusted-proxies must be addresses"],
    [["key", "create", "--expires", "soon"], "--expires must be like"],
    [["key", "create", "--expires", "0d"], "--expires must be in the future"],
    [["serve", "--bogus"], "knows no flag --bogus"],
    [["serve", "--bogus", "--port", "1"], "knows no flag --bogus"],
    [["config", "--project-key", "foo"], "--project-key must be phc_"],
    [["config", "--personal-key", "phx_short"], "--personal-key must be phx_"],
    [["config", "--owner-email", "nobody"], "--owner-email must be an e-mail address"],
    [["version", "--label", "x"], "knows no flag --label"],
    [["version", "--now"], "knows no flag --now"],
    [["deletions", "run", "--now=1"], "--now takes no value"],
    [["serve", "--memory", "127"], "--memory must be a whole number from 128"],
  ])("%p is refused with exit code 2, and makes nothing", async (argv, sentence) => {
    using directory = temporaryDirectory();
    const data = join(directory.path, "data");
    const { code, err } = await hoglet([...argv, ...(argv.length > 0 ? [`--data=${data}`] : [])]);
    expect(code).toBe(2);
    expect(err.join("\n")).toContain(sentence);
    expect(existsSync(data)).toBe(false);
  });

  test("a wrong variable is refused with exit code 2", async () => {
    const { code, err } = await hoglet(["config"], { HOGLET_PROT: "1" });
    expect([code, err[0]]).toEqual([2, "HOGLET_PROT is no setting of hoglet. See: hoglet help."]);
  });

  test.each(["version", "--version", "-v", "help", "help serve", "--help"])(
    "%s works with wrong settings",
    async (typed) => {
      using directory = temporaryDirectory();
      const file = join(directory.path, "broken.toml");
      writeFileSync(file, "= no TOML");
      const wrong = { HOGLET_CONFIG: file, HOGLET_PROT: "1", HOGLET_PORT: "none" };

      const { code, out, err } = await hoglet(typed.split(" "), wrong);

      expect([code, err]).toEqual([0, []]);
      expect(out[0]).toStartWith("hoglet");
    },
  );

  test("no server is no health", async () => {
    const { code, err } = await hoglet(["health", "--port", "1"]);
    expect([code, err[0]]).toEqual([1, "No answer from http://127.0.0.1:1/_readiness."]);
  });
});

describe("keys and projects without a server", () => {
  test("tell of a user who was made for a key, and of none who was there", async () => {
    using directory = temporaryDirectory();
    const create = (...args: string[]) =>
      hoglet(["key", "create", "--data", directory.path, ...args]);

    await create();
    const first = await create("--user", "ann@x.y");
    const again = await create("--user", "ANN@x.Y");
    const other = await create("--user", "bob\u202e@x.y");
    const own = await create();

    expect([first.err, again.err]).toEqual([["Its owner is a new user: ann@x.y."], []]);
    expect([other.err, own.err]).toEqual([["Its owner is a new user: bob\\u202e@x.y."], []]);
    expect((await hoglet(["help"])).out.join("\n")).toContain("a new user if unknown");
  });

  test("are shown without what a terminal would act on", async () => {
    using directory = temporaryDirectory();
    const data = ["--data", directory.path];
    const lively = "a\u001b[2J\u009b1m\u202eb\u2066c\n";
    const shown = "a\\u001b[2J\\u009b1m\\u202eb\\u2066c\\u000a";

    await hoglet(["project", "create", lively, ...data]);
    await hoglet(["key", "create", "--label", lively, ...data]);
    const printed = [
      await hoglet(["project", "list", ...data]),
      await hoglet(["project", "rename", "1", lively, ...data]),
      await hoglet(["key", "list", ...data]),
      await hoglet(["key", "revoke", "1", ...data]),
    ];

    for (const { code, out } of printed) {
      expect([code, out.join("")]).toEqual([0, expect.stringContaining(shown)]);
      expect(out.join("")).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
    }
  });

  test("are made, listed, rotated and revoked; a key is shown once", async () => {
    using directory = temporaryDirectory();
    const data = ["--data", directory.path];

    const made = await hoglet([
      "key",
      "create",
      ...data,
      "--label",
      "ci",
      "--scopes",
      "person:read",
      "--expires",
      "90d",
      "--user",
      "ann@x.y",
    ]);
    const listed = await hoglet(["key", "list", ...data]);
    const rolled = await hoglet(["key", "roll", "1", ...data]);
    const relisted = await hoglet(["key", "list", ...data]);
    const revoked = await hoglet(["key", "revoke", "1", ...data]);
    const again = await hoglet(["key", "revoke", "1", ...data]);
    const project = await hoglet(["project", "create", "Shop", ...data]);
    const [, token = ""] = project.out[0]?.split(" ") ?? [];
    const renamed = await hoglet(["project", "rename", "1", "Second shop", ...data]);
    const rotated = await hoglet(["project", "rotate-key", "1", ...data]);
    const ended = await hoglet(["project", "rotate-key", "1", "--grace-hours", "0", ...data]);
    const projects = await hoglet(["project", "list", ...data]);

    expect(made.out).toEqual([expect.stringMatching(/^phx_[0-9A-Za-z]{43}$/)]);
    expect(made.err).toEqual([
      `A new data directory was created at ${directory.path}.`,
      "Its owner is a new user: ann@x.y.",
    ]);
    expect(listed.out[1]).toContain("person:read");
    expect(listed.out.join("\n")).not.toContain(made.out[0] ?? "");
    expect(rolled.out).toEqual([expect.stringMatching(/^phx_[0-9A-Za-z]{43}$/)]);
    expect(relisted.out[1]).toContain(`phx_...${rolled.out[0]?.slice(-4)}`);
    expect(relisted.out).toHaveLength(2);
    expect(revoked.out[0]).toContain("(ci)");
    expect([again.code, again.err]).toEqual([1, ["There is no such key."]]);
    expect(rotated.out[0]).toMatch(/^phc_/);
    expect(rotated.out[0]).not.toBe(token);
    expect(rotated.err).toEqual([expect.stringContaining(`${token} is accepted until 20`)]);
    expect([ended.code, ended.err]).toEqual([0, []]);
    expect(renamed.out).toEqual(["1 Second shop"]);
    expect(projects.out[1]).toContain(ended.out[0] ?? "");
    expect(projects.out[1]).toContain("Second shop");
  });

  test("take no word after -- as a flag", async () => {
    using directory = temporaryDirectory();
    const data = ["--data", directory.path];

    await hoglet(["key", "create", ...data]);
    const revoked = await hoglet(["key", "revoke", ...data, "--", "1"]);
    const made = await hoglet(["project", "create", ...data, "--", "--help"]);
    const projects = await hoglet(["project", "list", ...data, "--"]);
    const tooMany = await hoglet(["project", "list", "--", ...data]);

    expect([revoked.code, made.code, projects.code]).toEqual([0, 0, 0]);
    expect(projects.out[1]).toContain("--help");
    expect([tooMany.code, tooMany.err]).toEqual([2, ["Usage: hoglet project list"]]);
  });

  test("revoke a key that could not be printed", async () => {
    using directory = temporaryDirectory();
    const data = ["--data", directory.path];
    await hoglet(["project", "create", "Shop", ...data]);
    const full = { unprinted: async () => "ENOSPC" };
    const nowhere = { isNowhere: true };
    const keys = async () => (await hoglet(["key", "list", ...data])).out.slice(1);

    const lost = await hoglet(["key", "create", ...data], {}, full);
    const unseen = await hoglet(["key", "create", ...data], {}, nowhere);
    expect([lost.code, lost.err]).toEqual([
      1,
      ["The key could not be printed (ENOSPC), so it is revoked."],
    ]);
    expect([unseen.code, unseen.err]).toEqual([1, [expect.stringContaining("could not be shown")]]);
    expect(await keys()).toEqual([]);

    const kept = await hoglet(["key", "create", ...data]);
    const rolled = await hoglet(["key", "roll", "2", ...data], {}, full);
    const [row = ""] = await keys();
    expect([rolled.code, rolled.err]).toEqual([1, [expect.stringContaining("Roll the key again")]]);
    expect(row).toStartWith("2 ");
    for (const { out } of [kept, rolled]) expect(row).not.toContain(out[0]?.slice(-4) ?? "none");
    expect((await hoglet(["key", "roll", "2", ...data], {}, nowhere)).code).toBe(1);
    expect(await keys()).toEqual([row]);
  });

  test("say that they could not print, and nothing of a reader who has gone", async () => {
    using directory = temporaryDirectory();
    const data = ["--data", directory.path];
    await hoglet(["project", "create", "Shop", ...data]);

    const full = await hoglet(["project", "list", ...data], {}, { unprinted: async () => "EIO" });
    const gone = await hoglet(["help"], {}, { unprinted: async () => "EPIPE" });

    expect([full.code, full.err]).toEqual([1, ["The output could not be written (EIO)."]]);
    expect([gone.code, gone.err]).toEqual([1, []]);
  });

  test.each([
    [["key", "create", "--scopes", "person:fly"], "Scopes are"],
    [["key", "create", "--label", "x".repeat(41)], "at most 40"],
    [["key", "create", "--user", "nobody"], "e-mail"],
    [["project", "create", " "], "A name is required"],
    [["project", "rotate-key", "7"], "Project not found"],
    [["project", "rotate-key", "1", "--grace-hours", "9000"], "from 0 to 8760"],
    [["project", "rename", "7", "Shop"], "Project not found"],
    [["project", "rename", "1", " "], "A name is required"],
    [["key", "roll", "7"], "no such key"],
    [["key", "create", "--projects", "7"], "Ids of projects that exist"],
    [["key", "create", "--projects", ""], "Ids of projects that exist"],
    [["key", "create", "--label", "a", "--label", "b"], "--label is there twice"],
    [["key", "create", "--label=a", "--label=a"], "--label is there twice"],
    [["serve", "--port", "1", "--port=2"], "--port is there twice"],
  ])("%p is refused", async (argv, sentence) => {
    using directory = temporaryDirectory();
    await hoglet(["project", "create", "Shop", "--data", directory.path]);
    const { code, err } = await hoglet([...argv, "--data", directory.path]);
    const isTyped = !/^(Project not found|no such key)$/.test(sentence);
    expect([code, err.join()]).toEqual([isTyped ? 2 : 1, expect.stringContaining(sentence)]);
  });
});

describe("a data directory", () => {
  test.each([
    "key list",
    "key roll 1",
    "key revoke 1",
    "project list",
    "project rename 1 Shop",
    "project rotate-key 1",
  ])("is not made by %s, which says that it is missing", async (typed) => {
    using directory = temporaryDirectory();
    const absent = join(directory.path, "data");

    for (const data of [absent, directory.path]) {
      const { code, out, err } = await hoglet([...typed.split(" "), "--data", data]);
      const sentence = `There is no data directory of hoglet at ${data}.`;
      expect([code, out, err]).toEqual([1, [], [expect.stringContaining(sentence)]]);
    }

    expect(readdirSync(directory.path)).toEqual([]);
  });

  test.each(["key create", "project create Shop"])("is made by %s, which says so", async (line) => {
    const typed = line.split(" ");
    using directory = temporaryDirectory();
    const data = join(directory.path, "data\u001b[2J");

    const first = await hoglet([...typed, "--data", data]);
    const second = await hoglet([...typed, "--data", data]);

    const sentence = `A new data directory was created at ${join(directory.path, "data")}\\u001b[2J.`;
    expect([first.code, first.err]).toEqual([0, [sentence]]);
    expect([second.code, second.err]).toEqual([0, []]);
  });

  test("that is invalid is refused with the reason", async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "file");
    writeFileSync(file, "");
    const { code, err } = await hoglet(["key", "list", "--data", file]);
    expect([code, err.join()]).toEqual([1, expect.stringContaining("cannot be used (ENOTDIR)")]);
  });

  test("is not made among other files, whose directory stays as it is", async () => {
    using directory = temporaryDirectory();
    writeFileSync(join(directory.path, "mine.txt"), "hi");
    chmodSync(directory.path, 0o755);

    const { code, err } = await hoglet(["key", "create", "--data", directory.path]);

    expect([code, err.join()]).toEqual([1, expect.stringContaining("holds other files")]);
    expect(readdirSync(directory.path)).toEqual(["mine.txt"]);
    expect(statSync(directory.path).mode & 0o777).toBe(0o755);
  });

  test("may hold what a file system or a clone put there", async () => {
    using directory = temporaryDirectory();
    mkdirSync(join(directory.path, "lost+found"));
    writeFileSync(join(directory.path, ".gitignore"), "*");
    expect((await hoglet(["key", "create", "--data", directory.path])).code).toBe(0);
  });

  test("with a damaged SQLite file is refused with the file's name", async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "hoglet.sqlite");
    writeFileSync(file, "no database, and longer than a hundred bytes ".repeat(10));

    const { code, err } = await hoglet(["key", "list", "--data", directory.path]);

    expect(code).toBe(1);
    expect(err.join()).toContain(`${file} cannot be opened: file is not a database.`);
    expect(err.join()).toContain(".recover");
  });

  test.each(["--data=", "--host="])("setting %p is no value", async (flag) => {
    const { code, err } = await hoglet(["config", flag]);
    expect([code, err.join()]).toEqual([2, `${flag.slice(0, -1)} must not be empty.`]);
  });
});
