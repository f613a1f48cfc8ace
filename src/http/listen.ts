import { Failure } from "../core/values/failure.ts";
import { problem } from "./answer/errors.ts";
import { requestIds } from "./answer/request-log.ts";
import { UPLOAD_MS_MAX } from "./request/body.ts";
import { corsHeaders, firstSegment, isOfSdk, preflight } from "./request/cors.ts";
import { LIVENESS, liveness } from "./routes/health.ts";

/** Where and how to listen. */
export type ListenOptions = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Paths of PEM files; both or neither. */
  tls: { cert: string; key: string } | undefined;
  /** Makes the ids of answers differ from those of other starts. */
  seed: string;
};

/** A server that listens. */
export type Listening = {
  /** An address that reaches it from this machine. */
  url: string;
  port: number;
  /**
   * The ports of the clients whose requests are being answered, without those of SDKs: their bodies may never
   * end, and an SDK sends them again.
   */
  busyPorts(): ReadonlySet<number>;
  /** Answers with `handle` from now on; before that each request gets 503, except `/_liveness`. */
  open(handle: (request: Request) => Promise<Response>): void;
  /** Sets the reason in these answers 503. */
  setReason(reason: string): void;
  /** The address of the client at the other end of a request's connection. */
  connectionOf(request: Request): string | undefined;
  /** Refuses new requests, waits at most `deadlineMs` for those in flight, then closes their connections. */
  stop(deadlineMs: number): Promise<void>;
};

/**
 * Seconds after which Bun closes an idle connection. Bun does not count the bytes of a body, so a shorter
 * time would close slow uploads without an answer.
 */
const IDLE_TIMEOUT_S = UPLOAD_MS_MAX / 1000 + 15;

/** Bun's own limit answers 413 without envelope or CORS, so it is far above the one of `readBody`. */
const ENGINE_BODY_BYTES_MAX = 4_294_967_295;

/** The address that reaches a server which listens on all addresses of the machine. */
const LOOPBACK_OF: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Starts to listen, before anything else is opened: the first start must not make keys if the port is
 * taken. Fails with the code `EADDRINUSE` then.
 */
export function listen({ host, port, tls, seed }: ListenOptions): Listening {
  let closedReason: string | undefined = "The server is starting.";
  const inFlight = new Set<Request>();
  let handle = (_request: Request): Promise<Response> => Promise.reject(new Error("not open"));
  const requestId = requestIds(seed);
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: false,
    development: false,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: ENGINE_BODY_BYTES_MAX,
    ...(tls === undefined ? {} : { tls: { cert: Bun.file(tls.cert), key: Bun.file(tls.key) } }),
    async fetch(request) {
      if (closedReason !== undefined) {
        // A supervisor would end a process that seems dead.
        const isLiveness = firstSegment(request.url) === LIVENESS.slice(1);
        const refused = isLiveness ? liveness() : unavailable(request, closedReason);
        refused.headers.set("x-request-id", requestId(request));
        return refused;
      }
      inFlight.add(request);
      try {
        return await handle(request);
      } finally {
        inFlight.delete(request);
      }
    },
  });
  const reached = LOOPBACK_OF[host] ?? host;
  const urlHost = reached.includes(":") ? `[${reached}]` : reached;
  const url = `${tls === undefined ? "http" : "https"}://${urlHost}:${server.port}`;
  return {
    url,
    port: server.port ?? port,
    busyPorts: () =>
      new Set(
        [...inFlight]
          .filter((request) => !isOfSdk(request))
          .map((request) => server.requestIP(request)?.port ?? 0),
      ),
    connectionOf: (request) => server.requestIP(request)?.address,
    setReason(reason) {
      closedReason = reason;
    },
    open(server) {
      handle = server;
      closedReason = undefined;
    },
    async stop(deadlineMs) {
      closedReason = "The server is shutting down.";
      const finished = server.stop();
      const deadline = performance.now() + deadlineMs;
      while (inFlight.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      await Promise.race([finished, Bun.sleep(100)]);
      await server.stop(true);
    },
  };
}

/**
 * The answer before the server is open. It has CORS headers for SDKs on web pages: they give up sooner
 * after an answer that they cannot read.
 */
function unavailable(request: Request, detail: string): Response {
  const isSdk = isOfSdk(request);
  if (isSdk && request.method === "OPTIONS") return preflight(request);
  return problem(new Failure("unavailable", detail), {
    connection: "close",
    ...(isSdk ? corsHeaders(request) : {}),
  });
}
