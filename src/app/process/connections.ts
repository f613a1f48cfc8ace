import type { Log } from "../../core/ports/log.ts";
import { DataError } from "./data-directory.ts";
import { descriptorsMax, descriptorsOpen, endSocket, socketsOf } from "./descriptors.ts";

/** The smallest limit of files and connections with which the server starts. */
export const DESCRIPTORS_MIN = 256;

/** Descriptors that stay free for files and stores: a quarter of the limit, between these two. */
const RESERVED_MIN = 96;
const RESERVED_MAX = 1024;

/** A limit that is large enough for any use, for the advice. */
const DESCRIPTORS_ADVISED = 65_536;

/**
 * Pauses between two looks at the open descriptors, in milliseconds: the shorter, the fewer are free. No machine
 * accepts more than ACCEPTED_PER_MS connections in a millisecond. 50 looks a second are 1 % of a slow processor.
 */
const LOOK_MS_MIN = 20;
const LOOK_MS_MAX = 1000;
const ACCEPTED_PER_MS = 50;

/** The pause after connections were ended, because their clients may come back at once. */
const LOOK_AGAIN_MS = 1;

/** The share of the connections that is ended at once, so that the next ones find room. */
const SHARE_ENDED = 1 / 4;

/** Time without an ended connection after which the log says that it is over, in milliseconds. */
const CALM_MS = 3000;

/** The connections of the HTTP server, as far as it knows them. */
type Connected = {
  port: number;
  /** The remote ports of connections whose request is being answered. */
  busyPorts(): ReadonlySet<number>;
};

/** Descriptors and connections that were ended, for the metrics. */
export type DescriptorCounts = { open: number; max: number; ended: number };

/** Keeps descriptors free for files and stores. */
export type ConnectionGuard = {
  /** Undefined where no limit is known. */
  counts(): DescriptorCounts | undefined;
  stop(): void;
};

/** Throws DataError if this process may open too few files and connections to work. */
export function expectDescriptors(max = descriptorsMax()): void {
  if (max === undefined || max >= DESCRIPTORS_MIN) return;
  throw new DataError(
    `This process may open only ${max} files and connections; it needs ${DESCRIPTORS_MIN}. Run ulimit -n ${DESCRIPTORS_ADVISED} in the shell first, or set LimitNOFILE=${DESCRIPTORS_ADVISED} in the unit of systemd.`,
  );
}

/**
 * Ends connections while too few descriptors are free (decision 151): those without a request first, the longest
 * idle of them first. A connection whose request is being answered ends only if no other is left.
 */
export function guardConnections(connected: Connected, log: Log): ConnectionGuard {
  const max = descriptorsMax();
  if (max === undefined) return { counts: () => undefined, stop() {} };
  const reserved = Math.min(RESERVED_MAX, Math.max(RESERVED_MIN, Math.floor(max / 4)));
  const most = max - reserved;
  let ended = 0;
  let calmAt: number | undefined;

  const look = () => {
    const open = descriptorsOpen();
    if (open > most) {
      const count = endLongestIdle(connected, max, open - most);
      ended += count;
      const facts = { open, max, reserved, ended: count };
      if (calmAt === undefined) log.warn("too many connections; ending the longest idle", facts);
      calmAt = performance.now() + CALM_MS;
    } else if (calmAt !== undefined && performance.now() > calmAt) {
      calmAt = undefined;
      log.info("few enough connections again", { open, max, ended });
    }
    timer = setTimeout(look, calmAt === undefined ? pauseFor(most - open) : LOOK_AGAIN_MS);
  };
  let timer = setTimeout(look, LOOK_MS_MIN);
  return {
    counts: () => ({ open: descriptorsOpen(), max, ended }),
    stop: () => clearTimeout(timer),
  };
}

const pauseFor = (free: number) =>
  Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, free / ACCEPTED_PER_MS));

/** Ends at least `excess` connections, if there are as many. Returns how many. */
function endLongestIdle({ port, busyPorts }: Connected, max: number, excess: number): number {
  const busy = busyPorts();
  const sockets = socketsOf(port, max).map((socket) => ({
    ...socket,
    isBusy: busy.has(socket.remotePort),
  }));
  sockets.sort((a, b) => Number(a.isBusy) - Number(b.isBusy) || b.idleMs - a.idleMs);
  const idle = sockets.filter(({ isBusy }) => !isBusy).length;
  // Busy ones only as far as they must.
  const count = Math.max(excess, Math.min(idle, Math.ceil(sockets.length * SHARE_ENDED)));
  const chosen = sockets.slice(0, count);
  for (const socket of chosen) endSocket(socket);
  return chosen.length;
}
