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
  /** Sets the ids of this start's answers apart from those of others. */
  seed: string;
};

/** A server that listens. */
export type Listening = {
  url: string;
  /** Answers with `handle` from now on; until then every request gets 503, but `/_liveness`. */
  open(handle: (request: Request) => Promise<Response>): void;
  /** What those requests are told meanwhile. */
  say(why: string): void;
  /** The address at the other end of a request's connection. */
  connectionOf(request: Request): string | undefined;
  /**
   * Takes no new request, lets those in flight finish for at most `deadlineMs`, then cuts them.
   */
  stop(deadlineMs: number): Promise<void>;
};

/**
 * Seconds after which a connection on which nothing moves is closed. What arrives of a body does
 * not count for Bun, so a slow upload would end without an answer before its time is over.
 */
const IDLE_TIMEOUT_S = UPLOAD_MS_MAX / 1000 + 15;

/**
 * Bun's own limit answers 413 without envelope or CORS, so it is far above ours, which the
 * counting reader enforces.
 */
const ENGINE_BODY_BYTES_MAX = 4_294_967_295;

/**
 * Starts to listen, before anything else is opened: a port that is taken must be found before
 * the first start has made keys. Throws with the code `EADDRINUSE` then.
 */
export function listen({ host, port, tls, seed }: ListenOptions): Listening {
  let closed: string | undefined = "The server is starting.";
  let inFlight = 0;
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
      if (closed !== undefined) {
        // Whoever is told that the process is dead would end it.
        const isAsked = firstSegment(request.url) === LIVENESS.slice(1);
        const refused = isAsked ? liveness() : unavailable(request, closed);
        refused.headers.set("x-request-id", requestId(request));
        return refused;
      }
      inFlight += 1;
      try {
        return await handle(request);
      } finally {
        inFlight -= 1;
      }
    },
  });
  const shownHost = host.includes(":") ? `[${host}]` : host;
  const url = `${tls === undefined ? "http" : "https"}://${shownHost}:${server.port}`;
  return {
    url,
    connectionOf: (request) => server.requestIP(request)?.address,
    say(why) {
      closed = why;
    },
    open(surface) {
      handle = surface;
      closed = undefined;
    },
    async stop(deadlineMs) {
      closed = "The server is shutting down.";
      const finished = server.stop();
      const deadline = performance.now() + deadlineMs;
      while (inFlight > 0 && performance.now() < deadline) await Bun.sleep(10);
      await Promise.race([finished, Bun.sleep(100)]);
      await server.stop(true);
    },
  };
}

/**
 * The answer while there is no surface. SDKs on pages must be able to read it, or it counts as no
 * answer at all, after which they give up sooner.
 */
function unavailable(request: Request, detail: string): Response {
  const isSdk = isOfSdk(request);
  if (isSdk && request.method === "OPTIONS") return preflight(request);
  return problem(new Failure("unavailable", detail), {
    connection: "close",
    ...(isSdk ? corsHeaders(request) : {}),
  });
}
