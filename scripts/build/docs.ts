/**
 * Writes all that is generated from the source, the pages of `src/docs` and the types of the console:
 * `bun scripts/build/docs.ts`.
 */

import { join } from "node:path";
import { consoleTypes } from "./api-types.ts";
import { generatedPages } from "./generated-pages.ts";

const DOCS = join(import.meta.dir, "../../src/docs");

for (const [name, text] of Object.entries(await generatedPages())) {
  await Bun.write(join(DOCS, name), text);
}

await Bun.write(join(DOCS, "../console/api/types.ts"), await consoleTypes());
