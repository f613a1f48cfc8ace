/** Queries that run at the same time: the server allows each key as many. */
const QUERIES_MAX = 2;

/** Longest wait that is taken over for the user, in seconds; a longer one is an error with "try again". */
const WAIT_S_MAX = 20;

/** How often a request is sent again by itself. */
const TRIES_MAX = 4;

let running = 0;
const waiting: (() => void)[] = [];

/** Runs one of at most two queries at a time. One whose signal has aborted never begins. */
export async function inSlot<T>(
  run: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  while (running >= QUERIES_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    signal?.throwIfAborted();
    return await run();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** The seconds after which a refused request is sent again by itself; undefined if the refusal is final. */
export function mayWait(
  status: number,
  retryAfter: string | number | null,
  attempt: number,
): number | undefined {
  const seconds = Number(retryAfter ?? 1);
  const isBusy = status === 429 || status === 503;
  return isBusy && attempt < TRIES_MAX && seconds <= WAIT_S_MAX ? seconds : undefined;
}

/** Sends a request; after 429 and 503 it waits as long as the server says, and sends it again. */
export async function sendPatiently(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(request.clone());
    const seconds = mayWait(response.status, response.headers.get("retry-after"), attempt);
    if (seconds === undefined) return response;
    await pause(seconds * 1000, request.signal);
  }
}

/** Resolves after a time in milliseconds; rejects as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
