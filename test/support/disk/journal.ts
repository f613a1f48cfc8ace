import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry, Frame, Journal } from "../../../src/core/ports/journal.ts";
import { type Disk, nodeDisk } from "../../../src/stores/files/disk.ts";
import { openJournal } from "../../../src/stores/journal/journal.ts";
import { journalReader, type Part } from "../../../src/stores/journal/reader.ts";

type Options = Partial<Parameters<typeof openJournal>[0]>;

const folders: string[] = [];

/** Removes the directories of a test; for `afterEach` of every file that uses `place`. */
export function clear(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A directory for a journal: it does not exist yet, and `clear` removes it. */
export function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "journal-"));
  folders.push(folder);
  return join(folder, "journal");
}

/** Opens a journal, on the real disk if no other is given. */
export function open(directory: string, options: Options = {}): Promise<Journal> {
  return openJournal({ directory, disk: nodeDisk, after: 0, ...options });
}

let arrived_at = 1_700_000_000_123;

/** An entry of one event that holds this text. It arrives an hour after the one before, so each gets its own frame. */
export function entry(text: string, more: Partial<Entry> = {}): Entry {
  const lines = new TextEncoder().encode(text);
  arrived_at += 3_600_000;
  return { project_id: 7, arrived_at, kind: "events", count: 1, lines, ...more };
}

/** The directory of a closed journal that holds an event for each text. */
export async function written(texts: string[], options: Options = {}): Promise<string> {
  const directory = place();
  const journal = await open(directory, options);
  for (const text of texts) await journal.append(entry(text));
  await journal.close();
  return directory;
}

/** The parts of an entry. */
export const textOf = ({ lines }: Pick<Frame, "lines">): string => new TextDecoder().decode(lines);

/** A reader, on the real disk by default, and the bytes that it has quarantined so far. */
export function readerOf(directory: string, disk: Disk = nodeDisk) {
  const corrupt: Part[] = [];
  const onCorrupt = (part: Part) => corrupt.push(part);
  return { reader: journalReader({ directory, disk, onCorrupt }), corrupt };
}

/** Every frame of a closed journal, their texts, and the quarantined bytes. */
export function readAll(directory: string) {
  const { reader, corrupt } = readerOf(directory);
  const frames = reader.readSync({ after: 0, upTo: Number.MAX_SAFE_INTEGER, eventsMax: 1e9 });
  reader.close();
  return { frames, texts: frames.map(textOf), corrupt };
}

/** The file names of a journal's segments, ascending. */
export function segments(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith(".journal"));
  return names.sort();
}

/** The file name of the segment that begins with this event. */
export const segmentOf = (seq: number): string => `${String(seq).padStart(16, "0")}.journal`;
