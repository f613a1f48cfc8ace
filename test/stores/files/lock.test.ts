import { expect, test } from "bun:test";
import { join } from "node:path";
import { lockDirectory } from "../../../src/stores/files/lock.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

test("a directory is locked once, until it is released", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "lock.db");

  const first = lockDirectory(path);
  const second = lockDirectory(path);
  first?.release();
  const third = lockDirectory(path);

  expect(first).toBeDefined();
  expect(second).toBeUndefined();
  expect(third).toBeDefined();
  third?.release();
});
