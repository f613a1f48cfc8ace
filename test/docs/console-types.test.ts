import { expect, test } from "bun:test";
import { join } from "node:path";
import { consoleTypes } from "../../scripts/build/api-types.ts";
import { ROOT } from "../support/start/server.ts";

test("the console is compiled with the types of today's API", async () => {
  const written = await Bun.file(join(ROOT, "src/console/api/types.ts")).text();

  if (written !== (await consoleTypes())) {
    throw new Error("src/console/api/types.ts is old. Run: bun scripts/build/docs.ts");
  }
  expect(written).toContain('"/api/environments/{project_id}/persons/"');
});
