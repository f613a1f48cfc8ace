import { signal } from "@preact/signals";

/** Whether the last request had no answer, and since when: the time of the last answer, in milliseconds. */
export const away = signal<{ since: number } | undefined>(undefined);

let lastAnswer = Date.now();

/** An error without an answer of Hoglet's own: the connection failed, or a proxy could not reach the server. */
export class NoAnswer extends TypeError {}

/** Sends a request, and notes whether it is answered. Throws {@link NoAnswer} if it is not. */
export async function noted(sending: () => Promise<Response>): Promise<Response> {
  try {
    const response = await sending();
    if (isOfProxy(response)) throw new NoAnswer();
    lastAnswer = Date.now();
    away.value = undefined;
    return response;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    away.value ??= { since: lastAnswer };
    throw new NoAnswer();
  }
}

/** Whether a proxy says that it had no answer. Errors of Hoglet are JSON. */
const isOfProxy = ({ status, headers }: Response): boolean =>
  [502, 503, 504].includes(status) && !headers.get("content-type")?.includes("json");
