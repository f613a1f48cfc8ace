import type { Stream } from "./events.ts";
import type { Job, Sent } from "./load.ts";

/** Where the body of a request of {@link Stream} begins: behind an empty line. */
const BODY_MARK = "\r\n\r\n";

/** A job of {@link Job} by `fetch`, as the SDKs send: a new request in turn on each connection. */
export async function sendByFetch(job: Job, stream: Stream): Promise<Sent> {
  const url = `http://127.0.0.1:${job.port}${job.batch === 1 ? "/i/v0/e/" : "/batch/"}`;
  const before = stream.written();
  const due: number[] = [];
  const took: number[] = [];
  let bytes = 0;
  let errors = 0;
  let firstError: string | null = null;
  const startedAt = performance.now();
  const endsAt = startedAt + job.seconds * 1000;
  let lastAnswerAt = startedAt;

  const one = async () => {
    const message = Buffer.from(stream.next(job.batch));
    const body = message.subarray(message.indexOf(BODY_MARK) + BODY_MARK.length);
    const sentAt = performance.now();
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await answer.text();
    lastAnswerAt = performance.now();
    bytes += body.length;
    due.push(performance.timeOrigin + sentAt);
    took.push(lastAnswerAt - sentAt);
    if (answer.ok && text === '{"status":"Ok"}') return;
    errors += 1;
    firstError ??= text.slice(0, 500);
  };
  const requestsMax = job.requestsMax ?? Number.POSITIVE_INFINITY;
  let requests = 0;
  const inTurn = async () => {
    while (performance.now() < endsAt && requests < requestsMax) {
      requests += 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: job.connections }, inTurn));

  const after = stream.written();
  return {
    requests,
    events: after.events - before.events,
    unique: after.unique - before.unique,
    ...{ bytes, errors, firstError, due, took },
    startedAt: performance.timeOrigin + startedAt,
    lastAnswerAt: performance.timeOrigin + lastAnswerAt,
  };
}
