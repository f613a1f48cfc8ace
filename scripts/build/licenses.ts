import { existsSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

/** What of a package's folder is about its licence. */
const LICENCE_FILE = /^(nro_)?(licen[cs]e|copying|notice)/i;

/** The folder of the package that a file belongs to, behind which is the path inside it. */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;

const RULE = `\n\n${"-".repeat(80)}\n\n`;

type Manifest = {
  name: string;
  version: string;
  license?: string;
  homepage?: string;
  dependencies?: Record<string, string>;
};

/** A package in the executable, and which of its files are, as far as that is known. */
type Part = { folder: string; files: string[] };

/**
 * The licences of what an executable holds, as one text. `own` is the folder of the program itself,
 * `files` are all that were bundled, `folders` those of packages that are in it without being
 * bundled. Throws when a package says nothing of its licence.
 */
export async function licencesOf(
  own: string,
  files: readonly string[],
  folders: readonly string[],
): Promise<string> {
  const parts = new Map<string, Part>();
  const add = (folder: string, file?: string) => {
    const part = parts.get(folder) ?? { folder, files: [] };
    parts.set(folder, part);
    if (file !== undefined) part.files.push(file);
  };
  for (const folder of folders) add(folder);
  for (const file of files) {
    const [folder] = PACKAGE_FOLDER.exec(file) ?? [];
    if (folder === undefined) continue;
    add(folder, file);
    for (const inner of await packedInto(file, folder)) add(inner);
  }
  const texts = await Promise.all([...parts.values()].map(licenceOf));
  const all = [await licenceOf({ folder: own, files: [] }), ...[...new Set(texts)].sort()];
  return `${all.join(RULE)}\n`;
}

/** The folders of packages that a script was put together of before, as its source map says. */
async function packedInto(file: string, folder: string): Promise<string[]> {
  const map = Bun.file(`${file}.map`);
  const { dependencies = {} } = await manifestOf(folder);
  if (Object.keys(dependencies).length === 0 || !(await map.exists())) return [];
  const { sources = [] } = (await map.json()) as { sources?: string[] };
  const modules = join(
    folder.slice(0, folder.lastIndexOf(`${sep}node_modules${sep}`)),
    "node_modules",
  );
  return Object.keys(dependencies)
    .filter((name) => sources.some((source) => source.includes(`/node_modules/${name}/`)))
    .map((name) => [join(folder, "node_modules", name), join(modules, name)])
    .flatMap((places) => places.find((place) => existsSync(join(place, "package.json"))) ?? []);
}

async function licenceOf({ folder, files }: Part): Promise<string> {
  const { name, version, license, homepage } = await manifestOf(folder);
  const paths = readdirSync(folder)
    .filter((entry) => LICENCE_FILE.test(entry))
    .sort()
    .map((entry) => join(folder, entry));
  // What a bundler found in the parts of a script that it put together.
  const beside = files.map((file) => `${file}.LICENSE.txt`).filter((path) => existsSync(path));
  const texts = await Promise.all([...paths, ...beside].map((path) => Bun.file(path).text()));
  if (paths.length === 0) texts.push(...(await noticesIn(files)));
  if (license === undefined && texts.length === 0) {
    throw new Error(`${name} says nothing of its licence`);
  }
  const terms = license?.replace(/^\((.*)\)$/, "$1") ?? "as follows";
  const title = `${name} ${version} (${terms})`;
  const head = homepage === undefined ? title : `${title}\n${homepage}`;
  if (texts.length === 0) texts.push("The package holds no text of its licence.");
  return [head, ...texts.map((text) => text.replace(/^\s*\n/, "").trimEnd())].join("\n\n");
}

/** The comments that tell whose the code is: some packages have no other text of their licence. */
async function noticesIn(files: readonly string[]): Promise<Set<string>> {
  const sources = await Promise.all(files.map((file) => Bun.file(file).text()));
  const comments = sources.flatMap(
    (source) => source.match(/(?:^\/\/.*\n)+|\/\*[\s\S]*?\*\//gm) ?? [],
  );
  const notices = comments
    .filter((comment) => /copyright/i.test(comment))
    .map((comment) => comment.replace(/^[ \t]*(?:\/\/|\/\*+|\*+\/|\*)[ \t]?/gm, "").trim());
  return new Set(notices);
}

async function manifestOf(folder: string): Promise<Manifest> {
  return (await Bun.file(join(folder, "package.json")).json()) as Manifest;
}
