import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RestoreProgress } from "../core/ingest/restore.ts";
import type { Journal } from "../core/ports/journal.ts";
import type { Log } from "../core/ports/log.ts";
import { ARCHIVE_DIRECTORY, openArchiveFiles } from "../stores/archive/files.ts";
import { EVENTS_DIRECTORY, openDuckdb } from "../stores/duckdb/engine/duckdb.ts";
import { isDamage } from "../stores/duckdb/engine/faults.ts";
import { currentGeneration, generationFile } from "../stores/duckdb/engine/generations.ts";
import { noteDamage } from "../stores/duckdb/events/quarantine.ts";
import { eventStore } from "../stores/duckdb/events/store.ts";
import { nodeDisk } from "../stores/files/disk.ts";
import { endMark } from "../stores/journal/end-mark.ts";
import { openJournal, SEGMENT_BYTES_MAX } from "../stores/journal/journal.ts";
import { reachedIn } from "../stores/journal/recovery.ts";
import { removeLoad } from "../stores/loads/loads.ts";
import { opened } from "./process/data-directory.ts";
import { releaseExecutablePages } from "./process/executable-pages.ts";
import { lowerPoolPriority } from "./process/priority.ts";
import { countedArchive, reportEmpty } from "./recovery/archive-repair.ts";
import { checkTogether } from "./recovery/check-together.ts";
import { planRebuild, progressLog } from "./recovery/event-store-rebuild.ts";
import { openEventStore } from "./recovery/open-event-store.ts";
import type { Settings } from "./settings/settings.ts";
import type { Base, Environment } from "./stores.ts";
import { HOUR_MS, openOrRollBack } from "./stores.ts";
import { EXIT_INTERNAL, startFsync } from "./threads/start.ts";

const MB = 1_000_000;

/**
 * The fewest segments of a full journal. Only whole segments are removed, so two large ones would exceed the
 * setting `journal` by far.
 */
const SEGMENTS_MIN = 4;

/** How long the disk takes the journal without a refusal until it counts as well again, in milliseconds. */
const JOURNAL_STEADY_MS = 2000;

/** The file with the last number of the journal. */
const JOURNAL_END = "journal.end";

type EventsEnvironment = Pick<Environment, "now" | "log"> & {
  rebuild?: boolean;
  /** Called while the event store is rebuilt. */
  onProgress?: (progress: RestoreProgress) => void;
};

/**
 * Opens archive, journal and event store, and checks that they belong together. With `rebuild` the event
 * store is rebuilt from the others. Throws DataError if one of them cannot be used.
 */
export async function openEvents(
  settings: Settings,
  { directory, stores }: Pick<Base, "directory" | "stores">,
  { now, log, rebuild = false, onProgress = progressLog(log) }: EventsEnvironment,
) {
  const generation = currentGeneration(join(directory, EVENTS_DIRECTORY));
  const file = generationFile(join(directory, EVENTS_DIRECTORY), generation);
  const persons = await stores.persons.applied();
  const files = await openArchive(settings, { directory, persons });
  const journalBytesMax = settings.journal * MB;
  const { journal, noted } = await markedJournal(log, {
    ...journalOutages(log, join(directory, "journal")),
    directory: join(directory, "journal"),
    after: Math.max(persons, files.state().last),
    onCut: (part) => log.warn("truncated torn write at journal end", part),
    onCorrupt: (part) => log.error("quarantined corrupt journal data", part),
    segmentBytesMax: Math.min(SEGMENT_BYTES_MAX, journalBytesMax / SEGMENTS_MIN),
  });
  const seqs = {
    archived: files.state().last,
    first: journal.first(),
    last: journal.durableSeq(),
  };
  if (settings.archive === "on") reportEmpty({ ...seqs, persons }, log);
  const open = () =>
    openDuckdb({
      directory,
      archiveDirectory: files.directory,
      generation,
      memory_bytes: settings.memory * MB,
      threads: settings.threads,
      diskFloorPercent: settings.disk_floor,
      onThreads: lowerPoolPriority,
      onUnpacked: releaseExecutablePages,
      onFatal(error, current) {
        if (isDamage(error)) noteDamage(current);
        log.error("the event store failed; ending, so that a restart opens it again", { error });
        process.exit(EXIT_INTERNAL);
      },
    });
  const opening = opened(file, "Give this user the file, or run hoglet rebuild.", () =>
    openEventStore({
      ...{ file, open, files },
      journalFirst: seqs.first,
      rebuild,
      check: (events, held) => checkTogether(directory, { events, held, persons, ...seqs }),
      now,
      log,
    }),
  );
  const store = await openOrRollBack(opening, journal.close);
  const { duckdb, applied } = store;
  if (applied < journal.durableSeq()) {
    const events = journal.durableSeq() - applied;
    log.warn("replaying journal into event store", { events });
  }
  const eventsStored = eventStore(duckdb, join(directory, "dead-letters.ndjson"));
  const { batches } = stores;
  const places = { directory, batches, journalGaps: stores.journalGaps };
  const needs = { store, files, eventsStored, rebuild, onProgress, log };
  const rebuildPlan = planRebuild(settings, places, { ...needs, ...seqs, noted });
  const { archive, archiveCounts } = countedArchive(duckdb, files, log);
  const common = { journal, events: eventsStored, restoring: rebuildPlan.restoring };
  return {
    ...store,
    journal,
    eventsStored,
    ...rebuildPlan,
    archiveCounts,
    archive,
    ingestNeeds: { ...common, batches, removeLoad, windowMs: settings.dedup_window * HOUR_MS },
    archivingNeeds: {
      ...common,
      archive,
      isArchiving: settings.archive === "on",
      now,
      journalBytesMax,
    },
  };
}

/**
 * Logs one line when the disk refuses the journal in `path`, and one when it has taken it for
 * JOURNAL_STEADY_MS: where a little space is left, small requests fit in between.
 */
function journalOutages(log: Log, path: string) {
  let isOut = false;
  let steady: NodeJS.Timeout | undefined;
  return {
    onRefused(error: unknown) {
      clearTimeout(steady);
      if (!isOut) log.error("the journal cannot be written: events get 503", { path, error });
      isOut = true;
    },
    onAccepted() {
      steady = setTimeout(() => {
        isOut = false;
        log.info("the journal is written again", { path });
      }, JOURNAL_STEADY_MS);
      steady.unref();
    },
  };
}

/** Opens the archive. It fails with advice if its files cannot be used. */
function openArchive(
  settings: Settings,
  { directory, persons }: { directory: string; persons: number },
) {
  const archive = join(directory, ARCHIVE_DIRECTORY);
  const journal = join(directory, "journal");
  const advice =
    "Restore it from a backup, or move it away: then events that are only in it are lost.";
  const inJournal = () =>
    existsSync(journal) ? reachedIn({ disk: nodeDisk, directory: journal }) : 0;
  return opened(archive, advice, () =>
    openArchiveFiles(archive, {
      make: settings.archive === "on",
      reached: () => Math.max(persons, inJournal()),
    }),
  );
}

type JournalOptions = Omit<Parameters<typeof openJournal>[0], "disk" | "onDurable">;

/** Opens the journal, and the file with its last number, `noted`. The journal ends before that if its end is lost. */
async function markedJournal(log: Log, options: JournalOptions) {
  const path = join(dirname(options.directory), JOURNAL_END);
  const end = await opened(path, "Give this user the file.", async () => endMark(path));
  const noted = end.read();
  const opening = syncedJournal(log, { ...options, onDurable: end.write });
  const journal = await openOrRollBack(opening, async () => end.close());
  const close = async () => {
    await journal.close();
    end.close();
  };
  return { journal: { ...journal, close }, noted };
}

/** Opens the journal, with a thread of its own that waits for the disk. */
async function syncedJournal(
  log: Log,
  options: Omit<Parameters<typeof openJournal>[0], "disk">,
): Promise<Journal> {
  const { disk, close } = startFsync(log);
  const opening = opened(options.directory, "Check its disk.", () =>
    openJournal({ ...options, disk }),
  );
  const journal = await openOrRollBack(opening, close);
  return {
    ...journal,
    async close() {
      await journal.close();
      close();
    },
  };
}
