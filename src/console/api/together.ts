import { request, type Schemas } from "./client.ts";
import { asProblem, problemOf } from "./problem.ts";
import { isSignedOut } from "./signed-out.ts";
import { mayWait, pause } from "./slots.ts";
import { partsOf } from "./stream.ts";

/** A question, and who waits for its answer. */
type Asked = {
  body: Schemas["QueryAsked"];
  signal: AbortSignal;
  /** How often it was refused for now. */
  refusals: number;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};

/** A line of the answer. */
type Line = { at: number; status: number; retry_after?: number; answer: unknown };

/** The most questions of one request. */
const QUERIES_MAX = 64;

let waiting: Asked[] = [];

/**
 * Asks a question in one request with all others of the same moment, such as those of the tiles of a dashboard; each gets
 * its answer as soon as it is there. Throws a problem if it is refused.
 */
export function askTogether(body: Schemas["QueryAsked"], signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    add({ body, signal, refusals: 0, resolve, reject });
  });
}

function add(asked: Asked): void {
  waiting.push(asked);
  if (waiting.length > 1) return;
  // Components that appear together ask one after the other.
  queueMicrotask(() => {
    const all = waiting;
    waiting = [];
    while (all.length > 0) send(all.splice(0, QUERIES_MAX));
  });
}

/** Sends questions, and gives each its answer. The request ends once no part of the page waits for it. */
async function send(all: Asked[]): Promise<void> {
  const leave = new AbortController();
  const open = new Set(all);
  const close = (asked: Asked) => {
    if (open.delete(asked) && open.size === 0) leave.abort();
  };
  for (const asked of all) {
    const gone = () => {
      asked.reject(asked.signal.reason);
      close(asked);
    };
    if (asked.signal.aborted) gone();
    else asked.signal.addEventListener("abort", gone, { once: true });
  }
  // The same question, such as the whole of several lists, is asked once.
  const sent = [...Map.groupBy(open, ({ body }) => JSON.stringify(body)).values()];
  if (sent.length === 0) return;
  try {
    const queries = sent.map(([one]) => one?.body);
    const { body, headers } = await request("POST", "query/stream/", {
      body: { queries },
      signal: leave.signal,
    });
    for await (const part of partsOf(body as NonNullable<typeof body>, "\n")) {
      const line = JSON.parse(part) as Line;
      for (const asked of sent[line.at] ?? []) {
        if (open.delete(asked)) settle(asked, line, headers);
      }
    }
    throw new TypeError("The answer is not whole.");
  } catch (error) {
    for (const { reject } of open) reject(asProblem(error));
  }
}

function settle(asked: Asked, { status, retry_after, answer }: Line, headers: Headers) {
  if (status < 400) return asked.resolve(answer);
  if (status === 401) isSignedOut.value = true;
  asked.refusals += 1;
  const seconds = mayWait(status, retry_after ?? null, asked.refusals);
  if (seconds === undefined) {
    return asked.reject(problemOf(new Response(null, { status, headers }), answer));
  }
  pause(seconds * 1000, asked.signal).then(() => add(asked), asked.reject);
}
