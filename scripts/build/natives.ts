import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { NATIVES_PREFIX } from "../../src/stores/duckdb/engine/native-library.ts";

/** Characters of a SHA-256 in the name of the unpacked directory. */
const LABEL_HASH_CHARS = 12;

const ADDON = "duckdb.node";
const LIBRARIES = ["libduckdb.so", "libduckdb.dylib", "duckdb.dll"];

/** The package whose loader is replaced. */
export const BINDINGS = "@duckdb/node-bindings";
const EMBEDDED = "embedded-natives";

/** The native files of a `@duckdb/node-bindings-<platform>` package in `directory`, addon first. */
export function nativesIn(directory: string): [addon: string, library: string] {
  const library = LIBRARIES.find((name) => existsSync(join(directory, name)));
  if (library === undefined) throw new Error(`no DuckDB library in ${directory}`);
  return [join(directory, ADDON), join(directory, library)];
}

/** The name of the unpacked directory: the version, and a short hash over the bytes of `paths`. */
export async function nativesLabel(version: string, paths: readonly string[]): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of paths) hasher.update(await Bun.file(path).bytes());
  return `${NATIVES_PREFIX}${version}-${hasher.digest("hex").slice(0, LABEL_HASH_CHARS)}`;
}

/**
 * Puts the call of `loadNatives` in place of DuckDB's own loader, which looks in node_modules.
 * `paths` are embedded under their own names; `engine` is the path of src/stores/duckdb/engine/native-library.ts, and the
 * same list is put into natives.ts beside it.
 *
 * Two modules, because DuckDB's code is CommonJS and needs `module.exports`, while only an ES
 * import can say that it wants the file and not the module.
 */
export function embedNatives(engine: string, label: string, paths: readonly string[]): BunPlugin {
  const loader = [
    `const { loadNatives } = require(${JSON.stringify(engine)});`,
    `const { files } = require("${EMBEDDED}");`,
    `module.exports = loadNatives({ label: ${JSON.stringify(label)}, files });`,
  ];
  const files = paths.map((path, index) => {
    const name = JSON.stringify(path.split(/[\\/]/).at(-1));
    return { name, index, path: JSON.stringify(path) };
  });
  const embedded = [
    ...files.map(({ index, path }) => `import file${index} from ${path} with { type: "file" };`),
    `export const files = [`,
    ...files.map(({ index, name }) => `  { name: ${name}, source: file${index} },`),
    `];`,
  ];
  const listed = [
    `import { files } from "${EMBEDDED}";`,
    `export const natives = { label: ${JSON.stringify(label)}, files };`,
  ];
  const modules = new Map([
    [BINDINGS, loader.join("\n")],
    [EMBEDDED, embedded.join("\n")],
  ]);
  return {
    name: "embed-natives",
    setup(build) {
      build.onResolve({ filter: /^(@duckdb\/node-bindings|embedded-natives)$/ }, ({ path }) => ({
        path,
        namespace: "natives",
      }));
      build.onLoad({ filter: /[\\/]engine[\\/]natives\.ts$/ }, () => ({
        contents: listed.join("\n"),
        loader: "js",
      }));
      build.onLoad({ filter: /.*/, namespace: "natives" }, ({ path }) => ({
        contents: modules.get(path) ?? "",
        loader: "js",
      }));
    },
  };
}
