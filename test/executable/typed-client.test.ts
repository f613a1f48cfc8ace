import { expect, mock, test } from "bun:test";
import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import typescript5 from "typescript-5";
import { temporaryDirectory } from "../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY, ROOT, startServer } from "../support/start/server.ts";

/** The types of the document, by openapi-typescript, which needs TypeScript's older interface. */
async function generated(document: string): Promise<string> {
  mock.module("typescript", () => ({ default: typescript5 }));
  const { default: openapiTs, astToString } = await import("openapi-typescript");
  return astToString(await openapiTs(document));
}

/** Type-checks a directory as strictly as the sources; what is wrong, one line each. */
function typeErrors(directory: string): string {
  const { stdout, stderr } = Bun.spawnSync([
    ...[process.execPath, "x", "--bun", "tsc", "--pretty", "false"],
    ...["--project", directory],
  ]);
  return `${stdout}${stderr}`;
}

test("a client that is generated from the document drives persons and playlists", async () => {
  using directory = temporaryDirectory();
  await using server = await startServer();
  const set = { email: "ada@example.com", plan: "pro" };
  const event = { event: "$identify", distinct_id: "ada", properties: { $set: set } };
  await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
  await server.stored(1);

  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  const inside = (name: string) => join(directory.path, name);
  await Bun.write(inside("api.d.ts"), await generated(document));
  copyFileSync(join(ROOT, "test/fixtures/client/drive.ts"), inside("drive.ts"));
  symlinkSync(join(ROOT, "node_modules"), inside("node_modules"));
  const config = { extends: join(ROOT, "tsconfig.json"), include: [directory.path] };
  await Bun.write(inside("tsconfig.json"), JSON.stringify(config));

  expect(typeErrors(directory.path)).toBe("");
  const { drive } = await import(inside("drive.ts"));
  expect(await drive(server.url, PERSONAL_KEY)).toEqual({
    persons: {
      count: 1,
      changed: { ...set, seats: 3 },
      unset: true,
      read: { email: set.email, seats: 3 },
      activity: ["delete_property", "updated"],
      deleted: 204,
      gone: "not_found",
    },
    playlists: {
      name: "Lost carts",
      by: "owner@localhost.localdomain",
      pinned: true,
      added: 200,
      recordings: ["r-1"],
      removed: 204,
      listed: ["Lost carts"],
      refused: 405,
      gone: "not_found",
    },
  });
});
