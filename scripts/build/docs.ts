/** Writes the pages of `src/docs` that are generated from the source: `bun scripts/build/docs.ts`. */

import { join } from "node:path";
import { generatedPages } from "./generated-pages.ts";

const DOCS = join(import.meta.dir, "../../src/docs");

for (const [name, text] of Object.entries(await generatedPages())) {
  await Bun.write(join(DOCS, name), text);
}
