import { expectUsed } from "../app/process/data-directory.ts";
import { openLog } from "../app/process/log.ts";
import { type RebuildProgress, rebuildEvents } from "../app/rebuild.ts";
import { type Command, EXIT, type Io } from "./command.ts";

/** Characters of the bar. */
const BAR_WIDTH = 30;

/** Rebuilds the event store. */
export const rebuild: Command = {
  name: "rebuild",
  summary: "Rebuild the event store from archive, journal and persons; no server may run.",
  async run({ config: { settings } }, io) {
    expectUsed(settings.data);
    const log = openLog({ format: "human", now: Date.now });
    const bar = progressBar(io);
    const quiet = { ...log, info: () => {}, warn: () => {} };
    const rebuilt = await rebuildEvents(settings, {
      now: Date.now,
      log: quiet,
      logFormat: "human",
      onProgress: bar.show,
    }).finally(bar.end);
    const { events, logs, lost } = rebuilt;
    io.out(`The event store is rebuilt: ${events} events, ${logs} log records.`);
    if (lost > 0) {
      io.out(
        `The journal has lost ${lost} sequence numbers, which no store has either: unless they were refused, the disk failing, events are lost.`,
      );
    }
    return EXIT.ok;
  },
};

/** A bar that moves on a terminal; elsewhere a line for each tenth. */
function progressBar({ out, isTerminal }: Io) {
  let last = "";
  let isDrawn = false;
  return {
    show({ from, done, of }: RebuildProgress): void {
      const share = of === 0 ? 1 : Math.min(1, done / of);
      const percent = Math.floor(share * 100);
      const text = `${from}: ${done} of ${of}`;
      const tenth = `${from} ${Math.floor(percent / 10)}`;
      if (isTerminal) {
        // As long as the percentage says, which is never of more than is done.
        const bar = "#".repeat(Math.round((percent * BAR_WIDTH) / 100)).padEnd(BAR_WIDTH, ".");
        process.stdout.write(`\r\x1b[K[${bar}] ${percent} % ${text}`);
        isDrawn = true;
      } else if (tenth !== last) {
        out(`${percent} % ${text}`);
      }
      last = tenth;
    },
    end(): void {
      if (isDrawn) process.stdout.write("\n");
    },
  };
}
