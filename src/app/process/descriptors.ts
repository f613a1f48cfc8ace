import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync, statSync } from "node:fs";

/** The directory that has an entry for each descriptor of this process. */
const TABLE = "/proc/self/fd";

/** A connection of this process, as the kernel sees it. */
export type Socket = {
  descriptor: number;
  /** The port at the other end. */
  remotePort: number;
  /** Milliseconds in which neither end sent a byte. */
  idleMs: number;
};

/** Files and connections that this process may have open at once; undefined where no limit is known. */
export function descriptorsMax(read = () => readFileSync("/proc/self/limits", "utf8")) {
  if (process.platform !== "linux") return undefined;
  // The soft limit counts. Bun raises it to the hard one when it starts.
  const max = /^Max open files\s+(\d+)/m.exec(read())?.[1];
  return max === undefined ? undefined : Number(max);
}

/** Files and connections that this process has open now. */
export function descriptorsOpen(): number {
  // Before Linux 6.2 the directory has no size.
  return statSync(TABLE).size || readdirSync(TABLE).length;
}

const F_GETFD = 1;
const TCP_LEVEL = 6;
const TCP_INFO = 11;
const SHUT_RDWR = 2;

/** The places of three 32-bit numbers in Linux's `struct tcp_info`: milliseconds since data were sent and came. */
const LAST_SENT_AT = 11;
const LAST_RECEIVED_AT = 13;

const load = () =>
  dlopen("libc.so.6", {
    fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    shutdown: { args: ["i32", "i32"], returns: "i32" },
  }).symbols;

let library: ReturnType<typeof load> | undefined;

const address = new DataView(new ArrayBuffer(128));
const info = new Uint32Array(64);
const length = new Uint32Array(1);

/** The connections that clients have to `port`, among descriptors below `max`. Takes no descriptor. Only for Linux. */
export function socketsOf(port: number, max: number): Socket[] {
  library ??= load();
  const { fcntl, getsockname, getpeername, getsockopt } = library;
  const portOf = (name: typeof getpeername, descriptor: number) => {
    length[0] = address.byteLength;
    return name(descriptor, ptr(address), ptr(length)) === 0 ? address.getUint16(2) : undefined;
  };
  const sockets: Socket[] = [];
  // Reading the directory would take a descriptor, and none may be left.
  for (
    let descriptor = 0, left = descriptorsOpen();
    left > 0 && descriptor < max;
    descriptor += 1
  ) {
    if (fcntl(descriptor, F_GETFD, 0) === -1) continue;
    left -= 1;
    if (portOf(getsockname, descriptor) !== port) continue;
    // A socket that listens has no other end.
    const remotePort = portOf(getpeername, descriptor);
    length[0] = info.byteLength;
    const isTcp = getsockopt(descriptor, TCP_LEVEL, TCP_INFO, ptr(info), ptr(length)) === 0;
    if (remotePort === undefined || !isTcp) continue;
    const idleMs = Math.min(info[LAST_SENT_AT] ?? 0, info[LAST_RECEIVED_AT] ?? 0);
    sockets.push({ descriptor, remotePort, idleMs });
  }
  return sockets;
}

/** Ends a connection of {@link socketsOf}; Bun then closes it, as if its client had hung up. */
export function endSocket({ descriptor }: Pick<Socket, "descriptor">): void {
  library?.shutdown(descriptor, SHUT_RDWR);
}
