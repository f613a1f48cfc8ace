import { request, type Schemas } from "./client.ts";
import { partsOf } from "./stream.ts";

/** A live event: its properties may be cut. */
export type LiveEvent = Schemas["Event"];

/** Numbers of the last second. */
export type LiveStats = {
  per_second: number;
  /** Events among them that no message had. */
  hidden: number;
  /** How long the oldest event waits to be stored. */
  lag_ms: number;
};

/** A message of the stream before its end. */
export type LiveMessage =
  | { event: "events"; data: LiveEvent[] }
  | { event: "stats"; data: LiveStats }
  | { event: "warning"; data: { type: string; meaning: string; count: number } };

/**
 * Reads live events, all or those of one name, until the signal aborts or the stream ends. Resolves to the
 * reason that the server gave; undefined if the connection broke. Throws a problem if it is refused.
 */
export async function readLive(
  eventType: string | undefined,
  take: (message: LiveMessage) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const search = eventType === undefined ? "" : `?${new URLSearchParams({ eventType })}`;
  const path = `events/live/${search}`;
  const { body } = await request("GET", path, { signal });
  if (body === null) return undefined;
  for await (const message of messagesOf(body)) {
    if (message.event === "end") return message.data.reason;
    take(message);
  }
  return undefined;
}

/** The messages of server-sent events, as they come. Comments are left out. */
async function* messagesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<LiveMessage | { event: "end"; data: { reason: string } }> {
  for await (const part of partsOf(body, "\n\n")) {
    const [, event, data = "null"] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
    if (event !== undefined) yield { event, data: JSON.parse(data) } as LiveMessage;
  }
}
