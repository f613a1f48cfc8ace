/** Writes the types of the API for the console, from the OpenAPI document: `bun scripts/build/api-types.ts`. */

import { join } from "node:path";
import { plugin } from "bun";
import typescript5 from "typescript-5";
import { openApi } from "../../src/http/docs/openapi.ts";
import { captureRoutes } from "../../src/http/sdk/capture.ts";
import { managementRoutes } from "../../src/http/server.ts";

/** What readers of the types do not need: without it, only a change of a shape changes the types. */
const PROSE = new Set(["description", "summary", "example", "examples", "title"]);

/** A part of the document without its prose; below `properties` the same words are names of fields. */
function withoutProse(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !PROSE.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutProse(item, key === "properties" && !isNames)]),
  );
}

/** The types of the API as TypeScript. */
async function apiTypes(): Promise<string> {
  // openapi-typescript uses an interface of TypeScript that its newer versions lack.
  await plugin({
    name: "typescript-5",
    setup: (build) => {
      build.module("typescript", () => ({ exports: { default: typescript5 }, loader: "object" }));
    },
  });
  const { default: openapiTs, astToString } = await import("openapi-typescript");
  const sdk = captureRoutes({} as never, {} as never, {} as never, {} as never);
  const document = await openApi(managementRoutes({} as never), sdk, "0");
  const text = JSON.stringify(withoutProse(document));
  return astToString(await openapiTs(text));
}

await Bun.write(join(import.meta.dir, "../../src/console/api/types.ts"), await apiTypes());
