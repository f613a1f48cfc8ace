import { expect, test } from "bun:test";
import { temporaryDirectory } from "../support/start/app.ts";
import { executable } from "../support/start/executable.ts";
import { runCommand } from "../support/start/process.ts";

/** Runs a command of hoglet in a shell, with `redirected` behind it; its code and errors. */
async function shell(args: string, redirected: string) {
  const command = `'${executable()}' ${args} ${redirected}`;
  const { code, err } = await runCommand(["-c", command], { command: ["sh"] });
  return { code, err: err.trimEnd() };
}

test.each([
  [">/dev/full", "The key could not be printed (ENOSPC), so it is revoked."],
  [
    ">&-",
    "The key could not be shown: standard output is closed, or /dev/null. Nothing was changed.",
  ],
  [
    ">/dev/null",
    "The key could not be shown: standard output is closed, or /dev/null. Nothing was changed.",
  ],
])("key create %s leaves no key", async (redirected, sentence) => {
  using directory = temporaryDirectory();
  const data = ["--data", directory.path];
  await runCommand(["project", "create", "Shop", ...data]);

  const made = await shell(`key create --data ${directory.path}`, redirected);

  expect(made).toEqual({ code: 1, err: sentence });
  expect((await runCommand(["key", "list", ...data])).out.trim().split("\n")).toHaveLength(1);
});

test("other commands say in a sentence what they cannot print", async () => {
  const sentence = "The output could not be written (ENOSPC).";
  expect(await shell("licenses", ">/dev/full")).toEqual({ code: 1, err: sentence });
  expect(await shell("help", ">/dev/null")).toEqual({ code: 0, err: "" });
});

test("a reader of the first line alone is no error", async () => {
  const { err } = await shell("help", "| head -1 >/dev/null");
  expect(err).toBe("");
});
