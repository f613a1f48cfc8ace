/** Whether the server can serve, and why not. */
export type Readiness = { ready: boolean; reasons: string[] };

/** Public checks for containers and load balancers: a status and no detail worth hiding. */
export function healthRoutes(readiness: () => Readiness) {
  const ready = () => {
    const { ready: isReady, reasons } = readiness();
    return Response.json(
      { status: isReady ? "ok" : "unavailable", reasons },
      { status: isReady ? 200 : 503 },
    );
  };
  return {
    /** The process answers. */
    "/_liveness": () => Response.json({ status: "ok" }),
    /** Stores are open, what a crash left is replayed, capture is taken. */
    "/_readiness": ready,
    /** The same; SDK tooling polls this one. */
    "/_health": ready,
  };
}
