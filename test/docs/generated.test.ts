import { expect, test } from "bun:test";
import { join } from "node:path";
import { generatedPages } from "../../scripts/build/generated-pages.ts";
import { METRICS } from "../../src/core/operations/metric-definitions.ts";
import { WARNING_TYPES } from "../../src/core/warnings/meanings.ts";
import { ROOT } from "../support/start/server.ts";

const COMMAND = "bun scripts/build/docs.ts";

const pages = await generatedPages();

test.each(Object.keys(pages))(`src/docs/%s is as \`${COMMAND}\` writes it`, async (name) => {
  const written = await Bun.file(join(ROOT, "src/docs", name)).text();

  if (written !== pages[name]) throw new Error(`src/docs/${name} is old. Run: ${COMMAND}`);
});

test("the pages explain every warning and every metric", () => {
  for (const type of WARNING_TYPES) expect(pages["warnings.md"]).toContain(`| \`${type}\` |`);
  for (const name of Object.keys(METRICS)) {
    expect(pages["metrics.md"]).toContain(`| \`${name}\` |`);
  }
});
