import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { ArchivedFile, ArchivedKind, ArchivePlace } from "../../core/ports/archive.ts";

/** A file by its path: `kind/project/month/first-last.rows.checksum.parquet`. */
const NAME = /^(events|logs)\/(\d+)\/(\d{4}-\d{2})\/(\d+)-(\d+)\.(\d+)\.([0-9a-f]{16})\.parquet$/;

/** Hexadecimal digits of a checksum. */
const CHECKSUM_DIGITS = 16;

/** Returns a file with its path. */
export function named(file: Omit<ArchivedFile, "path">): ArchivedFile {
  const { kind, project_id, month, first, last, rows, checksum } = file;
  const name = `${first}-${last}.${rows}.${checksum}.parquet`;
  return { ...file, path: `${kind}/${project_id}/${month}/${name}` };
}

/** Returns the file of a path below the archive's directory, with `/`; undefined for other names. */
export function fileOfPath(path: string): ArchivedFile | undefined {
  const [, kind, project, month, first, last, rows, checksum] = NAME.exec(path) ?? [];
  if (kind === undefined || month === undefined || checksum === undefined) return undefined;
  return {
    ...{ kind: kind as ArchivedKind, project_id: Number(project), month, path, checksum },
    ...{ first: Number(first), last: Number(last), rows: Number(rows) },
  };
}

/**
 * Leaves out files that others have replaced, because a crash may leave both. The newer one is recognised: a
 * joined file has a wider range, an erased one has fewer rows, and a repaired one has a later `writtenAt`.
 */
export function withoutReplaced(
  found: readonly ArchivedFile[],
  writtenAt: (file: ArchivedFile) => number,
): ArchivedFile[] {
  const places = Map.groupBy(found, placeOf);
  return [...places.values()].flatMap((files) => {
    const width = ({ first, last }: ArchivedFile) => last - first;
    const counting: ArchivedFile[] = [];
    const ranked = files.toSorted(
      (a, b) => width(b) - width(a) || a.rows - b.rows || writtenAt(b) - writtenAt(a),
    );
    for (const file of ranked) {
      const isReplaced = counting.some((o) => o.first <= file.last && file.first <= o.last);
      if (!isReplaced) counting.push(file);
    }
    return counting;
  });
}

/** Returns a place as one text, to be used as a key. */
export function placeOf({ kind, project_id, month }: ArchivePlace): string {
  return `${kind} ${project_id} ${month}`;
}

/** Returns the number of rows of some files. */
export function rowsOf(files: readonly ArchivedFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}

/** Returns the checksum that the name of a file has: the first digits of its SHA-256. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex").slice(0, CHECKSUM_DIGITS);
}
