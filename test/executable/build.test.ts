import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contains, ENTRIES, executableFormat } from "../../scripts/build/build.ts";
import { licencesOf } from "../../scripts/build/licenses.ts";
import { signatureState, withoutSignature } from "../../scripts/build/macos.ts";
import { embedNatives, nativesLabel } from "../../scripts/build/natives.ts";
import { hasIntegrity, pinned } from "../../scripts/build/packages.ts";
import { type Natives, unpack } from "../../src/stores/duckdb/engine/native-library.ts";

const isWindows = process.platform === "win32";

let root = "";
let parent = "";
let natives: Natives;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hoglet-build-"));
  parent = join(root, "data", "engine");
  const embed = (name: string, content: string) => {
    writeFileSync(join(root, name), content);
    return { name, source: join(root, name) };
  };
  natives = {
    label: "duckdb-1.0.0-abc",
    files: [embed("duckdb.node", "the addon"), embed("libduckdb.so", "the library")],
  };
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const mode = (path: string) => lstatSync(path).mode & 0o777;
const read = (home: string, name: string) => readFileSync(join(home, name), "utf8");

describe("unpacking the native files", () => {
  test("writes them side by side, where only this user can read", async () => {
    const home = await unpack(parent, natives);

    expect(home).toBe(join(parent, "duckdb-1.0.0-abc"));
    expect(read(home, "duckdb.node")).toBe("the addon");
    expect(read(home, "libduckdb.so")).toBe("the library");
    expect(readdirSync(parent)).toEqual(["duckdb-1.0.0-abc"]);
    if (isWindows) return;
    expect([parent, home].map(mode)).toEqual([0o700, 0o700]);
    expect(readdirSync(home).map((name) => mode(join(home, name)))).toEqual([0o600, 0o600, 0o600]);
  });

  test("touches nothing the second time", async () => {
    const library = join(await unpack(parent, natives), "libduckdb.so");
    const before = lstatSync(library, { bigint: true });

    await unpack(parent, natives);

    const after = lstatSync(library, { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
  });

  test("puts a changed file right, even one of the old size and time", async () => {
    const library = join(await unpack(parent, natives), "libduckdb.so");
    const { atime, mtime } = lstatSync(library);
    writeFileSync(library, "THE library");
    utimesSync(library, atime, mtime);

    const home = await unpack(parent, natives);

    expect(read(home, "libduckdb.so")).toBe("the library");
  });

  test("puts a missing file, a short one and a link right", async () => {
    const home = await unpack(parent, natives);
    rmSync(join(home, "duckdb.node"));
    writeFileSync(join(home, "libduckdb.so"), "the lib");

    await unpack(parent, natives);
    expect(read(home, "duckdb.node")).toBe("the addon");
    expect(read(home, "libduckdb.so")).toBe("the library");

    if (isWindows) return;
    const elsewhere = join(root, "elsewhere");
    writeFileSync(elsewhere, "the library");
    rmSync(join(home, "libduckdb.so"));
    symlinkSync(elsewhere, join(home, "libduckdb.so"));
    await unpack(parent, natives);
    expect(lstatSync(join(home, "libduckdb.so")).isFile()).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toBe("the library");
  });

  test("unpacks again what a kill left without a stamp, or with a part of it", async () => {
    const home = await unpack(parent, natives);
    const stamp = readFileSync(join(home, "verified"), "utf8");
    writeFileSync(join(home, "libduckdb.so"), "the lib");
    for (const left of ["", stamp.slice(0, 20)]) {
      writeFileSync(join(home, "verified"), left);

      await unpack(parent, natives);

      expect(read(home, "libduckdb.so")).toBe("the library");
      expect(readdirSync(parent)).toEqual(["duckdb-1.0.0-abc"]);
    }
  });

  test.skipIf(isWindows)("refuses a directory that is a link", async () => {
    const elsewhere = join(root, "elsewhere");
    mkdirSync(elsewhere);
    mkdirSync(join(root, "data"));
    symlinkSync(elsewhere, parent);
    await expect(unpack(parent, natives)).rejects.toThrow("must be a directory, not a link");

    rmSync(parent);
    mkdirSync(parent);
    symlinkSync(elsewhere, join(parent, natives.label));
    await expect(unpack(parent, natives)).rejects.toThrow("must be a directory, not a link");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.skipIf(isWindows)(
    "trusts no stamp from a directory that others could write to",
    async () => {
      const home = await unpack(parent, natives);
      const library = join(home, "libduckdb.so");
      writeFileSync(library, "THE library");
      const line = (name: string) => {
        const { ino, size, mtimeNs, ctimeNs } = lstatSync(join(home, name), { bigint: true });
        return `${name} ${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
      };
      writeFileSync(join(home, "verified"), line("duckdb.node") + line("libduckdb.so"));
      chmodSync(home, 0o777);

      await unpack(parent, natives);

      expect(read(home, "libduckdb.so")).toBe("the library");
      expect(mode(home)).toBe(0o700);
    },
  );

  test("removes old versions and leftovers, and nothing else", async () => {
    const twoHoursAgo = Date.now() / 1000 - 7200;
    for (const name of ["duckdb-0.9.0-def", "duckdb-new-x1", "duckdb-1.1.0-new", "notes"]) {
      mkdirSync(join(parent, name), { recursive: true });
      writeFileSync(join(parent, name, "file"), "");
      if (name !== "duckdb-1.1.0-new") utimesSync(join(parent, name), twoHoursAgo, twoHoursAgo);
    }

    await unpack(parent, natives);

    expect(readdirSync(parent).sort()).toEqual(["duckdb-1.0.0-abc", "duckdb-1.1.0-new", "notes"]);
  });
});

describe("embedding the native files", () => {
  test("a directory gets another name when one byte differs", async () => {
    const paths = natives.files.map(({ source }) => source);
    const before = await nativesLabel("1.5.5", paths);
    writeFileSync(join(root, "libduckdb.so"), "the librarY");

    const after = await nativesLabel("1.5.5", paths);

    expect(before).toMatch(/^duckdb-1\.5\.5-[0-9a-f]{12}$/);
    expect(after).not.toBe(before);
  });

  test("the bundle asks for the files and their names, and loads nothing else", async () => {
    const entry = join(root, "entry.js");
    writeFileSync(entry, `console.log(require("@duckdb/node-bindings").label);`);
    const engine = join(root, "engine.js");
    writeFileSync(engine, `export const loadNatives = (natives) => natives;`);
    const paths = natives.files.map(({ source }) => source);

    const { outputs } = await Bun.build({
      entrypoints: [entry],
      target: "bun",
      plugins: [embedNatives(engine, "duckdb-1.0.0-abc", paths)],
    });

    const [code, ...assets] = await Promise.all(outputs.map((output) => output.text()));
    expect(code).toContain(`name: "libduckdb.so"`);
    expect(code).toContain(`label: "duckdb-1.0.0-abc"`);
    expect(code).not.toContain("linux-x64");
    expect(assets.sort()).toEqual(["the addon", "the library"]);
  });

  test("every thread of src is an entry of the build, or the executable lacks it", async () => {
    const src = join(import.meta.dir, "../../src");
    const started: string[] = [];
    for await (const file of new Bun.Glob("**/*.ts").scan(src)) {
      const source = await Bun.file(join(src, file)).text();
      const names = [...source.matchAll(/startThread\("([^"]+)"/g)].map(([, name = ""]) => name);
      started.push(...names.map((name) => join(dirname(file), name)));
      if (/new Worker\(/.test(source)) expect(names.length).toBeGreaterThan(0);
    }
    expect(started.length).toBeGreaterThan(0);
    expect(ENTRIES).toEqual(expect.arrayContaining(started));
  });
});

describe("packages of other platforms", () => {
  test("are pinned by hash in bun.lock", () => {
    expect(pinned("@oven/bun-windows-x64").integrity).toMatch(/^sha512-/);
    expect(pinned("@duckdb/node-bindings-darwin-arm64").version).toMatch(/^1\./);
    expect(() => pinned("@duckdb/node-bindings-sunos-x64")).toThrow("does not pin");
  });

  test("are refused when the archive is another", async () => {
    const archive = join(root, "archive.tgz");
    const hash = new Bun.CryptoHasher("sha512").update("good").digest("base64");
    writeFileSync(archive, "good");
    expect(await hasIntegrity(archive, `sha512-${hash}`)).toBe(true);

    writeFileSync(archive, "evil");
    expect(await hasIntegrity(archive, `sha512-${hash}`)).toBe(false);
    expect(await hasIntegrity(join(root, "absent"), `sha512-${hash}`)).toBe(false);
  });
});

describe("the licences of an executable", () => {
  /** A package below node_modules; returns its folder. */
  function pack(name: string, manifest: object, files: Record<string, string> = {}): string {
    const folder = join(root, "node_modules", name);
    mkdirSync(join(folder, "dist"), { recursive: true });
    const json = JSON.stringify({ name, version: "1.2.3", ...manifest });
    for (const [path, text] of Object.entries({ ...files, "package.json": json })) {
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  const licences = (files: string[], folders: string[] = []) => {
    writeFileSync(join(root, "package.json"), '{"name":"own","version":"0.0.1","license":"MIT"}');
    writeFileSync(join(root, "LICENSE"), "Ours.");
    return licencesOf(root, files, folders);
  };

  test("are Hoglet's, then those of each package in it, once", async () => {
    const one = pack("@scope/one", { license: "MIT" }, { "LICENSE.md": "\n One's.\n" });
    const two = pack("two", { license: "(MIT AND BSD)", homepage: "https://two" }, { NOTICE: "N" });
    pack("absent", { license: "MIT" }, { LICENSE: "Nobody's." });

    const text = await licences(
      [join(one, "a.js"), join(one, "dist", "b.js"), join(root, "src", "main.ts")],
      [two],
    );

    const rule = `\n\n${"-".repeat(80)}\n\n`;
    expect(text.split(rule)).toEqual([
      "own 0.0.1 (MIT)\n\nOurs.",
      "@scope/one 1.2.3 (MIT)\n\n One's.",
      "two 1.2.3 (MIT AND BSD)\nhttps://two\n\nN\n",
    ]);
  });

  test("are also of what a script was put together of before", async () => {
    const map = { sources: ["webpack://x/node_modules/inner/a.js", "../node_modules/other/b.js"] };
    const outer = pack(
      "outer",
      { license: "MIT", dependencies: { inner: "1", unused: "1" } },
      {
        LICENSE: "Outer's.",
        "dist/all.js": "",
        "dist/all.js.map": JSON.stringify(map),
        "dist/all.js.LICENSE.txt": "Parts'.",
      },
    );
    for (const name of ["inner", "unused", "other"]) {
      pack(name, { license: "MIT" }, { LICENSE: `${name}'s.` });
    }

    const text = await licences([join(outer, "dist", "all.js")]);

    expect(text).toContain("Outer's.\n\nParts'.");
    expect(text).toContain("inner's.");
    expect(text).not.toMatch(/unused|other/);
  });

  test("are the comments in its files where a package has no other text", async () => {
    const code = "// Copyright A.\n// Free.\ncode();\n/**\n * Copyright B.\n */\n// a remark\n";
    const folder = pack("bare", { license: "ISC" }, { "dist/a.js": code, "dist/b.js": code });

    const text = await licences([join(folder, "dist", "a.js"), join(folder, "dist", "b.js")]);

    expect(text).toEndWith("bare 1.2.3 (ISC)\n\nCopyright A.\nFree.\n\nCopyright B.\n");
  });

  test("must be said: without a word of it a package is not built in", async () => {
    const none = pack("none", {});
    const named = pack("named", { license: "ISC" });

    expect(await licences([], [named])).toEndWith("The package holds no text of its licence.\n");
    await expect(licences([], [none])).rejects.toThrow("none says nothing of its licence");
  });
});

describe("looking into an executable", () => {
  test.each([
    ["ELF x86-64", "7f454c4602010100000000000000000002003e00"],
    ["ELF arm64", "7f454c460201010000000000000000000200b700"],
    ["Mach-O x86-64", "cffaedfe07000001"],
    ["Mach-O arm64", "cffaedfe0c000001"],
    ["PE x86-64", `4d5a${"00".repeat(58)}40000000${"50450000"}6486`],
    ["unknown", "23212f62696e2f7368"],
  ])("knows %s by its first bytes", (format, hex) => {
    expect(executableFormat(Buffer.from(hex, "hex"))).toBe(format);
  });

  test("finds all of a library, not only its start", () => {
    const library = Buffer.alloc(10_000, "library");
    const cut = library.subarray(0, 9000);
    expect(contains(Buffer.concat([Buffer.from("before"), library, cut]), library)).toBe(true);
    expect(contains(Buffer.concat([Buffer.from("before"), cut]), library)).toBe(false);
  });

  test("takes the signature off a Mach-O file and leaves the rest loadable", () => {
    const linkEdit = Buffer.alloc(72);
    linkEdit.writeUInt32LE(0x19, 0);
    linkEdit.writeUInt32LE(72, 4);
    linkEdit.write("__LINKEDIT", 8);
    linkEdit.writeBigUInt64LE(128n, 40);
    linkEdit.writeBigUInt64LE(64n, 48);
    const signature = Buffer.from("1d00000010000000a000000020000000", "hex");
    const header = Buffer.alloc(32);
    header.writeUInt32LE(2, 16);
    header.writeUInt32LE(88, 20);
    const signed = Buffer.concat([header, linkEdit, signature, Buffer.alloc(72, 1)]);
    expect(signatureState(signed)).toBe("wrongly signed");

    const bare = withoutSignature(Buffer.from(signed));

    expect(signatureState(bare)).toBe("unsigned");
    expect(bare.length).toBe(160);
    expect([bare.readUInt32LE(16), bare.readUInt32LE(20)]).toEqual([1, 72]);
    expect(bare.readBigUInt64LE(32 + 48)).toBe(32n);
    expect(bare.subarray(104, 120)).toEqual(Buffer.alloc(16));
    expect(bare.subarray(120)).toEqual(signed.subarray(120, 160));
  });
});
