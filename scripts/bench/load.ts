/**
 * The load generator, a process of its own: raw sockets, one request at a time on each, requests
 * written from memory. Every answer must be 200 with the status Ok. Jobs come as messages from
 * the process that started it, results go back the same way.
 */
import { eventStream, type Run, type Stream } from "./events.ts";
import { sendByFetch } from "./fetch.ts";

/** What to send. */
export type Job = {
  port: number;
  /** Which stream of events; goes on where its last job ended. */
  stream: number;
  connections: number;
  /** Events in a request; 1 sends single events. */
  batch: number;
  /** Sends by `fetch`, as SDKs do, and not by raw sockets, which cost a third. */
  fetch?: boolean;
  /** Stops after so long or so many requests, whichever comes first. */
  seconds: number;
  requestsMax?: number;
  /**
   * Requests a second. They are due at fixed times, and the time of an answer counts from when
   * its request was due, also if there was no connection free then. Without it each connection
   * sends as soon as it has its answer.
   */
  rate?: number;
};

/** What came of a job; times are milliseconds since the epoch with fractions. */
export type Sent = {
  requests: number;
  events: number;
  /** Events that no event sent before repeats. */
  unique: number;
  bytes: number;
  errors: number;
  firstError: string | null;
  startedAt: number;
  lastAnswerAt: number;
  /** When each request was due or sent, and how long its answer took in milliseconds. */
  due: number[];
  took: number[];
};

/** Answers that are kept one by one; of more, the first ones. */
const SAMPLES_MAX = 2_000_000;

/** How long the last answers may take, in milliseconds. */
const DRAIN_MS_MAX = 30_000;

const HIGHEST_STATUS_BYTE = 12;
const OK = new TextEncoder().encode('{"status":"Ok"}');

type Connection = {
  socket: Bun.Socket<Connection>;
  /** What the socket has not taken yet. */
  rest: Uint8Array;
  dueAt: number;
  busy: boolean;
};

/** One job, from its first request to its last answer. */
async function send(job: Job, stream: Stream): Promise<Sent> {
  const before = stream.written();
  const idle: Connection[] = [];
  const due = new Float64Array(SAMPLES_MAX);
  const took = new Float64Array(SAMPLES_MAX);
  let samples = 0;
  let requests = 0;
  let outstanding = 0;
  let bytes = 0;
  let errors = 0;
  let firstError: string | null = null;
  let lastAnswerAt = 0;
  let stopped = false;
  let pacing = job.rate !== undefined;
  const finished = Promise.withResolvers<void>();

  const request = (connection: Connection, dueAt: number) => {
    const message = stream.next(job.batch);
    requests += 1;
    outstanding += 1;
    bytes += message.length;
    connection.busy = true;
    connection.dueAt = dueAt;
    const taken = connection.socket.write(message);
    // The stream reuses its memory, so what is left over is copied.
    if (taken < message.length) connection.rest = message.slice(taken);
  };

  const mayGoOn = (now: number) => !stopped && now < endsAt && requests < requestsMax;

  const answered = (connection: Connection, data: Uint8Array) => {
    const now = performance.now();
    outstanding -= 1;
    connection.busy = false;
    lastAnswerAt = now;
    if (!isOk(data)) {
      errors += 1;
      firstError ??= new TextDecoder().decode(data).slice(0, 500);
    }
    if (samples < SAMPLES_MAX) {
      due[samples] = connection.dueAt;
      took[samples] = now - connection.dueAt;
      samples += 1;
    }
    if (job.rate === undefined && mayGoOn(now)) request(connection, now);
    else idle.push(connection);
    const isLast = job.rate === undefined ? !mayGoOn(now) : !pacing;
    if (outstanding === 0 && isLast) finished.resolve();
  };

  const broken = (reason: string) => {
    errors += 1;
    firstError ??= reason;
    stopped = true;
    finished.resolve();
  };

  const connections = await connect(job, { answered, broken });
  const requestsMax = job.requestsMax ?? Number.POSITIVE_INFINITY;
  const startedAt = performance.now();
  const endsAt = startedAt + job.seconds * 1000;
  idle.push(...connections);
  if (job.rate === undefined) {
    for (const connection of idle.splice(0)) if (mayGoOn(startedAt)) request(connection, startedAt);
  } else {
    await paced(job.rate, { startedAt, endsAt, requestsMax, idle, request });
    pacing = false;
  }
  const patience = job.seconds * 1000 + DRAIN_MS_MAX;
  if (outstanding > 0) {
    await Promise.race([finished.promise, Bun.sleep(patience)]);
  }
  stopped = true;
  for (const { socket } of connections) socket.end();
  const after = stream.written();
  return {
    requests,
    events: after.events - before.events,
    unique: after.unique - before.unique,
    bytes,
    errors: errors + outstanding,
    firstError: firstError ?? (outstanding > 0 ? `${outstanding} without an answer` : null),
    startedAt: performance.timeOrigin + startedAt,
    lastAnswerAt: performance.timeOrigin + lastAnswerAt,
    due: [...due.subarray(0, samples)].map((at) => performance.timeOrigin + at),
    took: [...took.subarray(0, samples)],
  };
}

/** Sends what is due, whether or not earlier answers are late; returns when all is sent. */
async function paced(
  rate: number,
  pace: {
    startedAt: number;
    endsAt: number;
    requestsMax: number;
    idle: Connection[];
    request: (connection: Connection, dueAt: number) => void;
  },
): Promise<void> {
  const { startedAt, endsAt, idle, request } = pace;
  const total = Math.min(pace.requestsMax, Math.floor(((endsAt - startedAt) * rate) / 1000));
  let next = 0;
  while (next < total) {
    const now = performance.now();
    for (;;) {
      const dueAt = startedAt + (next * 1000) / rate;
      const connection = dueAt <= now && next < total ? idle.pop() : undefined;
      if (connection === undefined) break;
      request(connection, dueAt);
      next += 1;
    }
    await Bun.sleep(1);
  }
}

async function connect(
  { port, connections: count }: Job,
  on: {
    answered: (connection: Connection, data: Uint8Array) => void;
    broken: (reason: string) => void;
  },
): Promise<Connection[]> {
  const none = new Uint8Array(0);
  const open = () =>
    Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port,
      socket: {
        data({ data: connection }, data) {
          on.answered(connection, data);
        },
        drain(socket) {
          const { rest } = socket.data;
          if (rest.length === 0) return;
          socket.data.rest = rest.subarray(socket.write(rest));
        },
        close({ data: connection }) {
          if (connection.busy) on.broken("a connection was closed before its answer");
        },
        error(_socket, error) {
          on.broken(error.message);
        },
      },
      data: { rest: none, dueAt: 0, busy: false } as unknown as Connection,
    });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await open();
      socket.data.socket = socket;
      return socket.data;
    }),
  );
}

/** Answers are small: one that comes in two parts is counted as an error. */
function isOk(data: Uint8Array): boolean {
  if (data.length < HIGHEST_STATUS_BYTE + OK.length) return false;
  if (data[9] !== 0x32 || data[10] !== 0x30 || data[11] !== 0x30) return false;
  const start = data.length - OK.length;
  return OK.every((byte, index) => data[start + index] === byte);
}

if (import.meta.main) {
  let run: Run | undefined;
  const streams = new Map<number, Stream>();
  process.on("message", async (message: { run: Run } | { job: Job }) => {
    if ("run" in message) {
      run = message.run;
      process.send?.({ ready: true });
      return;
    }
    const { job } = message;
    if (run === undefined) throw new Error("The run comes before its first job");
    const stream = streams.get(job.stream) ?? eventStream(run, job.stream);
    streams.set(job.stream, stream);
    const sent = await (job.fetch ? sendByFetch(job, stream) : send(job, stream));
    process.send?.({ sent });
  });
  process.on("disconnect", () => process.exit(0));
}
