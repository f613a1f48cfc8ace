import { renameSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { countIn } from "./archive-erase.ts";
import { type ArchivedFile, type ArchivedKind, type Manifest, sha256Of } from "./archive-files.ts";
import { quoted } from "./duckdb.ts";
import { newInstance } from "./duckdb-instance.ts";

/** A file by its name: `kind/project/month/first-last.parquet`, or `….2.parquet` for one written later. */
const NAME = /^(events|logs)\/(\d+)\/(\d{4}-\d{2})\/(\d+)-(\d+)(?:\.\d+)?\.parquet$/;

/** What files are counted with, in an engine of its own that holds little at once. */
const MEMORY = "128MB";

type Found = Omit<ArchivedFile, "rows"> & { written: number };

/**
 * The list of an archive, from the files in `directory` with these `paths` (decision 116). Of two that
 * have the same rows, as a crash may leave, the one counts that is of more, or later. One that cannot be
 * read gets the suffix `aside`, and is in the list as one that is missing.
 */
export async function listedAnew(
  directory: string,
  paths: readonly string[],
  aside: string,
): Promise<Manifest> {
  const counting = withoutCopies(paths.flatMap((path) => foundAt(directory, path)));
  const instance = await newInstance(join(dirname(directory), "engine"));
  try {
    const connection = await instance.connect();
    await connection.run(`SET memory_limit = '${MEMORY}'`);
    const files: ArchivedFile[] = [];
    for (const { written: _, ...file } of counting) {
      files.push(await counted(connection, directory, file, aside));
    }
    files.sort((a, b) => a.first - b.first);
    return { version: 1, last: Math.max(0, ...files.map(({ last }) => last)), files };
  } finally {
    instance.closeSync();
  }
}

function foundAt(directory: string, name: string): Found[] {
  const path = name.replaceAll(sep, "/");
  const [, kind, project, month = "", first, last] = NAME.exec(path) ?? [];
  if (kind === undefined) return [];
  const place = { kind: kind as ArchivedKind, project_id: Number(project), month };
  const written = statSync(join(directory, path)).mtimeMs;
  return [{ ...place, path, first: Number(first), last: Number(last), written }];
}

function withoutCopies(found: readonly Found[]): Found[] {
  const places = Map.groupBy(found, (file) => `${file.kind} ${file.project_id} ${file.month}`);
  return [...places.values()].flatMap((files) => {
    const size = ({ first, last }: Found) => last - first;
    const taken: Found[] = [];
    for (const file of files.toSorted((a, b) => size(b) - size(a) || b.written - a.written)) {
      const isCopy = taken.some(({ first, last }) => file.first <= last && first <= file.last);
      if (!isCopy) taken.push(file);
    }
    return taken;
  });
}

async function counted(
  connection: DuckDBConnection,
  directory: string,
  file: Omit<ArchivedFile, "rows">,
  aside: string,
): Promise<ArchivedFile> {
  const path = join(directory, file.path);
  try {
    const rows = await countIn(connection, `read_parquet(${quoted(path)})`);
    return { ...file, rows, bytes: statSync(path).size, sha256: await sha256Of(path) };
  } catch {
    renameSync(path, path + aside);
    return { ...file, rows: 0 };
  }
}
