import { renameSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { ArchivedFile, ArchivedKind, Manifest } from "../../core/ports/archive.ts";
import { withArchiveCheck } from "./check.ts";
import { sha256Of } from "./files.ts";

/** A file by its name: `kind/project/month/first-last.parquet`, or `….2.parquet` for one written later. */
const NAME = /^(events|logs)\/(\d+)\/(\d{4}-\d{2})\/(\d+)-(\d+)(?:\.\d+)?\.parquet$/;

type Found = Omit<ArchivedFile, "rows"> & { written: number };

/**
 * The list of an archive, from the files in `directory` with these `paths` (decision 76). Of two that
 * have the same rows, as a crash may leave, the one counts that is of more, or later. One that is not whole
 * gets the suffix `aside`; how many rows it had is unknown.
 */
export async function listedAnew(
  directory: string,
  paths: readonly string[],
  aside: string,
): Promise<Manifest> {
  const counting = withoutCopies(paths.flatMap((path) => foundAt(directory, path)));
  return withArchiveCheck(directory, async (check) => {
    const files: ArchivedFile[] = [];
    for (const found of counting) {
      const path = join(directory, found.path);
      const rows = await check.rowsOf({ ...found, path });
      if (rows === undefined) renameSync(path, path + aside);
      else files.push(await listed(found, rows, path));
    }
    files.sort((a, b) => a.first - b.first);
    const last = Math.max(0, ...counting.map((file) => file.last));
    return { version: 1, last, files, is_listed_anew: true };
  });
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
      const isCopy = taken.some((other) => isBeside(other, file));
      if (!isCopy) taken.push(file);
    }
    return taken;
  });
}

async function listed(
  { written: _, ...file }: Found,
  rows: number,
  path: string,
): Promise<ArchivedFile> {
  return { ...file, rows, bytes: statSync(path).size, sha256: await sha256Of(path) };
}

type Range = { first: number; last: number };

function isBeside(one: Range, other: Range): boolean {
  return one.first <= other.last && other.first <= one.last;
}
