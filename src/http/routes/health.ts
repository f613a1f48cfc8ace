import type { Reason } from "../../core/operations/readiness.ts";
import { RETRY_AFTER_S } from "../../core/values/failure.ts";

/** Whether the server can serve, with the reasons if it cannot. */
export type Readiness = { ready: boolean; reasons: Reason[] };

/** The path that reports whether the process is alive. */
export const LIVENESS = "/_liveness";
/** The answer on that path, from the start of the process to its end. */
export const liveness = () => Response.json({ status: "ok" });

/** Public health checks for containers and load balancers; their answers have no secrets. */
export function healthRoutes(readiness: () => Readiness) {
  const ready = () => {
    const { ready: isReady, reasons } = readiness();
    return Response.json(
      { status: isReady ? "ok" : "unavailable", reasons },
      isReady ? {} : { status: 503, headers: { "retry-after": String(RETRY_AFTER_S) } },
    );
  };
  return {
    /** Whether the process answers. */
    [LIVENESS]: liveness,
    /** Whether the stores are open, the journal is replayed and capture works. */
    "/_readiness": ready,
    /** The same, for the tools of SDKs, which use this path. */
    "/_health": ready,
  };
}
