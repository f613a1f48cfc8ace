import { RETRY_AFTER_S } from "../../core/values/failure.ts";

/** Whether the server can serve, and why not. */
export type Readiness = { ready: boolean; reasons: string[] };

/** Where is asked whether the process lives. */
export const LIVENESS = "/_liveness";
/** The answer to that, from the first instant to the last. */
export const liveness = () => Response.json({ status: "ok" });

/** Public checks for containers and load balancers: a status and no detail worth hiding. */
export function healthRoutes(readiness: () => Readiness) {
  const ready = () => {
    const { ready: isReady, reasons } = readiness();
    return Response.json(
      { status: isReady ? "ok" : "unavailable", reasons },
      isReady ? {} : { status: 503, headers: { "retry-after": String(RETRY_AFTER_S) } },
    );
  };
  return {
    /** The process answers. */
    [LIVENESS]: liveness,
    /** Stores are open, what a crash left is replayed, capture is taken. */
    "/_readiness": ready,
    /** The same; SDK tooling polls this one. */
    "/_health": ready,
  };
}
