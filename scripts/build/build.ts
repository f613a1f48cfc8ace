import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import manifest from "../../package.json";
import { COUNTRIES_PACKAGE } from "./countries.ts";
import { licencesOf } from "./licenses.ts";
import { signatureState, withoutSignature } from "./macos.ts";
import { BINDINGS, embedNatives, nativesIn, nativesLabel } from "./natives.ts";
import { fetched, installed, pinned } from "./packages.ts";

const ROOT = join(import.meta.dir, "../..");
const DIST = join(ROOT, "dist");

/** The folder of the modules that are started as a Worker, relative to `src`. */
const THREADS = "./app/threads/";

/** The main module first, then every module that is started as a Worker; all relative to `src`. */
export const ENTRIES = [
  "main.ts",
  ...["store-worker.ts", "decode-worker.ts", "fsync-worker.ts"].map((name) => join(THREADS, name)),
];

/** The script and the style of the console, relative to `src`. */
const CONSOLE_ENTRIES = ["console/main.tsx", "console/styles/main.css"];

const USAGE = `bun scripts/build/build.ts [--all] [--check] [--out DIR]
  --all      build for every platform, not only this one
  --check    then look into each executable: its format, and DuckDB's bytes
  --out DIR  write to DIR, which is not emptied first, instead of dist`;

/** A platform that Hoglet is built for. `platform` and `arch` are as Node.js names them. */
type Target = {
  name: "linux-x64" | "linux-arm64" | "macos-x64" | "macos-arm64" | "windows-x64";
  platform: NodeJS.Platform;
  arch: string;
  bun: Bun.Build.CompileTarget;
  runtime: string;
  format: string;
};

/**
 * The Linux ones are for glibc. Nothing is said about the CPU, because Bun has one executable for
 * all x64 machines: it needs SSE4.2 and chooses AVX code at run time.
 */
const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    platform: "linux",
    arch: "x64",
    bun: "bun-linux-x64",
    runtime: "@oven/bun-linux-x64",
    format: "ELF x86-64",
  },
  {
    name: "linux-arm64",
    platform: "linux",
    arch: "arm64",
    bun: "bun-linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    format: "ELF arm64",
  },
  {
    name: "macos-x64",
    platform: "darwin",
    arch: "x64",
    bun: "bun-darwin-x64",
    runtime: "@oven/bun-darwin-x64",
    format: "Mach-O x86-64",
  },
  {
    name: "macos-arm64",
    platform: "darwin",
    arch: "arm64",
    bun: "bun-darwin-arm64",
    runtime: "@oven/bun-darwin-aarch64",
    format: "Mach-O arm64",
  },
  {
    name: "windows-x64",
    platform: "win32",
    arch: "x64",
    bun: "bun-windows-x64",
    runtime: "@oven/bun-windows-x64",
    format: "PE x86-64",
  },
];

/** One executable that was built, and the native files that must be in it. */
type Built = { target: Target; path: string; natives: readonly string[] };

/**
 * The format and machine in the first bytes of an executable, such as "ELF x86-64".
 * "unknown" when they are none of those that Hoglet is built for.
 */
export function executableFormat(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0);
  if (magic === 0x7f_45_4c_46) return `ELF ${machine(view.getUint16(18, true), 0x3e, 0xb7)}`;
  if (magic === 0xcf_fa_ed_fe) {
    return `Mach-O ${machine(view.getUint32(4, true), 0x1_00_00_07, 0x1_00_00_0c)}`;
  }
  if (magic >>> 16 !== 0x4d_5a) return "unknown";
  const header = view.getUint32(0x3c, true);
  if (view.getUint32(header) !== 0x50_45_00_00) return "unknown";
  return `PE ${machine(view.getUint16(header + 4, true), 0x86_64, 0xaa_64)}`;
}

function machine(code: number, x64: number, arm64: number): string {
  if (code === x64) return "x86-64";
  return code === arm64 ? "arm64" : "unknown";
}

/** Whether all of `needle` is in `haystack`; fast for large needles, which occur at most once. */
export function contains(haystack: Buffer, needle: Buffer): boolean {
  const at = haystack.indexOf(needle.subarray(0, 4096));
  return at !== -1 && haystack.subarray(at, at + needle.length).equals(needle);
}

function isHost({ platform, arch }: Target): boolean {
  return platform === process.platform && arch === process.arch;
}

/** The commit, with `-dirty` when it is not quite it; "" without git or outside a repository. */
async function commit(): Promise<string> {
  // Without this, an unpacked source archive would take the commit of a repository around it.
  if (!existsSync(join(ROOT, ".git"))) return "";
  const said = await $`git describe --always --dirty --abbrev=12 --exclude="*"`
    .cwd(ROOT)
    .nothrow()
    .quiet();
  return said.exitCode === 0 ? said.text().trim() : "";
}

/** The Bun executable that the target starts with. */
async function runtimeOf(target: Target): Promise<string> {
  // Present only if this very Bun is the one for glibc that bun.lock pins.
  if (isHost(target) && installed(target.runtime) !== undefined) return process.execPath;
  const directory = await fetched(target.runtime);
  const path = join(directory, "bin", target.platform === "win32" ? "bun.exe" : "bun");
  chmodSync(path, 0o755);
  return path;
}

/** What is the same in every executable: the commit, and the files that are bundled. */
type Common = { revision: string; files: readonly string[] };

/** The modules of src and of packages that get into the executable. */
async function bundled(): Promise<string[]> {
  const server = await inputsOf({ entrypoints: ENTRIES, target: "bun", external: [BINDINGS] });
  // The server has the console as texts, so the modules of the console are not among its own.
  const console = await inputsOf({ entrypoints: CONSOLE_ENTRIES, target: "browser" });
  return [...server, ...console];
}

/** The modules that a bundle has; `entrypoints` are relative to src. */
async function inputsOf({ entrypoints, ...options }: Bun.BuildConfig): Promise<string[]> {
  const paths = entrypoints.map((entry) => join(ROOT, "src", entry));
  const { metafile } = await Bun.build({ ...options, entrypoints: paths, metafile: true });
  if (metafile === undefined) throw new Error("the bundler does not tell what it bundled");
  return Object.keys(metafile.inputs).map((path) => resolve(path));
}

/** Builds one executable at `path`, whose folder must exist. */
async function build(target: Target, path: string, { revision, files }: Common): Promise<Built> {
  const bindings = `@duckdb/node-bindings-${target.platform}-${target.arch}`;
  const engine = installed(bindings) ?? (await fetched(bindings));
  const natives = nativesIn(engine);
  // Their files are read, and not bundled.
  const packages = [COUNTRIES_PACKAGE, "country-flag-icons", "simple-icons"];
  const folders = ["bun", ...packages].map((name) => join(ROOT, "node_modules", name));
  const licences = await licencesOf(ROOT, files, [...folders, engine]);
  const label = await nativesLabel(pinned(bindings).version, natives);
  // Bun leaves source map files beside what it writes, hence a folder to throw away.
  const work = mkdtempSync(join(dirname(path), ".build-"));
  try {
    const made = join(work, target.platform === "win32" ? "hoglet.exe" : "hoglet");
    await Bun.build({
      entrypoints: ENTRIES.map((entry) => join(ROOT, "src", entry)),
      // Workers are found at their path below this.
      root: join(ROOT, "src"),
      target: "bun",
      compile: {
        target: target.bun,
        executablePath: await runtimeOf(target),
        outfile: made,
        // A file in the folder it is started in must not change what the server does.
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
      // NODE_ENV would else be what it is while building.
      define: {
        HOGLET_COMMIT: JSON.stringify(revision),
        HOGLET_THREADS: JSON.stringify(THREADS),
        HOGLET_LICENCES: JSON.stringify(licences),
        "process.env.NODE_ENV": '"production"',
      },
      plugins: [
        embedNatives(join(ROOT, "src/stores/duckdb/engine/native-library.ts"), label, natives),
      ],
      // Not minified: it would save 0.2 % of the size, at the cost of the names in stack traces.
      sourcemap: "linked",
      // Parsed ahead: a start takes half of the time. It adds 5 % to the size.
      bytecode: true,
      format: "esm",
    });
    if (target.name === "macos-x64") await Bun.write(made, withoutSignature(await read(made)));
    chmodSync(made, 0o755);
    renameSync(made, path);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return { target, path, natives };
}

async function read(path: string): Promise<Buffer> {
  return Buffer.from(await Bun.file(path).arrayBuffer());
}

/** Says what an executable is, and whether it is what it should be. */
async function check({ target, path, natives }: Built): Promise<boolean> {
  const bytes = await read(path);
  const format = executableFormat(bytes);
  let isRight = format === target.format;
  const findings = [format];
  if (target.platform === "darwin") {
    const signature = signatureState(bytes);
    findings.push(signature);
    isRight &&= signature === (target.arch === "arm64" ? "signed" : "unsigned");
  }
  for (const native of natives) {
    const isInside = contains(bytes, await read(native));
    findings.push(`${basename(native)} ${isInside ? "inside" : "MISSING"}`);
    isRight &&= isInside;
  }
  console.log(`${isRight ? "ok  " : "FAIL"} ${basename(path)}: ${findings.join(", ")}`);
  return isRight;
}

/** Writes SHA256SUMS into the folder, for `sha256sum --check`. */
async function writeSums(folder: string, paths: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const path of paths) {
    const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes());
    lines.push(`${hash.digest("hex")}  ${basename(path)}\n`);
  }
  await Bun.write(join(folder, "SHA256SUMS"), lines.join(""));
}

/** What to build, each with its path in the folder. */
function plan(isAll: boolean, folder: string): { target: Target; path: string }[] {
  const extension = (target: Target) => (target.platform === "win32" ? ".exe" : "");
  if (isAll) {
    return TARGETS.map((target) => {
      return { target, path: join(folder, `hoglet-${target.name}${extension(target)}`) };
    });
  }
  const target = TARGETS.find(isHost);
  if (target === undefined) throw new Error(`no build for ${process.platform}-${process.arch}`);
  return [{ target, path: join(folder, `hoglet${extension(target)}`) }];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      all: { type: "boolean" },
      check: { type: "boolean" },
      help: { type: "boolean" },
      out: { type: "string" },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const bun = pinned("bun").version;
  if (Bun.version !== bun) throw new Error(`this is Bun ${Bun.version}, bun.lock pins ${bun}`);

  const folder = resolve(values.out ?? DIST);
  // Emptied first, so that dist never mixes two builds; a folder of somebody else's is not.
  if (values.out === undefined) rmSync(DIST, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const revision = await commit();
  console.log(`hoglet ${manifest.version} ${revision}`.trim());
  const common = { revision, files: await bundled() };
  const built: Built[] = [];
  for (const { target, path } of plan(values.all === true, folder)) {
    built.push(await build(target, path, common));
    const megabytes = (Bun.file(path).size / 1e6).toFixed(0);
    console.log(`${relative(ROOT, path)}: ${megabytes} MB`);
  }
  const paths = built.map(({ path }) => path);
  await writeSums(folder, paths);

  let isRight = true;
  if (values.check === true) for (const one of built) isRight = (await check(one)) && isRight;
  return isRight ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
