/**
 * Writes the types of the API that the console is compiled with: `bun scripts/build/console-types.ts`.
 * They come from the OpenAPI document, and so never differ from the server.
 */

import { join } from "node:path";
import { consoleTypes } from "./api-types.ts";

await Bun.write(join(import.meta.dir, "../../src/console/api/types.ts"), await consoleTypes());
