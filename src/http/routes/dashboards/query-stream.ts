import { t } from "elysia";
import type { JsonObject } from "../../../core/values/json.ts";
import { Streamed } from "../../answer/stream.ts";
import type { Ask } from "../../operation/route.ts";
import { route } from "../../operation/route.ts";
import { AnyObject } from "../../operation/schemas.ts";

const QUERY = "/api/environments/:project_id/query/";

/** Questions of one request for several answers. */
export const STREAMED_QUERIES_MAX = 64;

/** Questions of one request that are answered at the same time; the others wait for their turn. */
export const STREAMED_RUNNING_MAX = 2;

const ASKED: JsonObject = {
  query: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "$pageview" }] },
  dashboard: 1,
};

const StreamBody = t.Object(
  {
    queries: t.Array(AnyObject(ASKED, "The body of a request to `…/query/`."), {
      minItems: 1,
      maxItems: STREAMED_QUERIES_MAX,
      description: `From 1 to ${STREAMED_QUERIES_MAX} of them.`,
    }),
  },
  { $id: "QueriesAsked", examples: [{ queries: [ASKED] }] },
);

const LINE = '{"at":0,"status":200,"answer":{"columns":["2026-11-21"],"results":[]}}\n';

/** Several questions in one request (decision 185). */
export const queryStreamRoutes = () => [
  route({
    method: "POST",
    path: `${QUERY}stream/`,
    scope: "query:read",
    operationId: "query_stream",
    summary: "Answer several questions in one request, as `…/query/` answers each of them.",
    body: StreamBody,
    status: 200,
    streams: "application/x-ndjson",
    response: t.String({
      description: `A line of JSON for each question, as soon as its answer is ready: \`at\` is its place in \`queries\`, \`answer\` and \`status\` are those of \`…/query/\`. After 429 and 503, \`retry_after\` has the seconds to wait. ${STREAMED_RUNNING_MAX} questions are answered at a time.`,
      examples: [LINE],
    }),
    async handle({ project, body, signal, ask }) {
      const path = QUERY.replace(":project_id", String(project));
      const lines = linesOf(body.queries, { path, signal, ask });
      return new Streamed(lines, { "content-type": "application/x-ndjson; charset=utf-8" });
    },
  }),
];

type Asked = { path: string; signal: AbortSignal; ask: Ask };

/** The answers as they are ready. A reader who leaves ends the questions that run, and no other begins. */
async function* linesOf(queries: readonly JsonObject[], { path, signal, ask }: Asked) {
  const leave = new AbortController();
  const either = AbortSignal.any([signal, leave.signal]);
  const running = new Map<number, Promise<{ at: number; line: string }>>();
  const begin = async (at: number, body: object) => {
    const response = await ask({ method: "POST", path, body, signal: either });
    return { at, line: await lineOf(at, response) };
  };
  try {
    const waiting = queries.entries();
    for (;;) {
      while (running.size < STREAMED_RUNNING_MAX && !either.aborted) {
        const { done, value } = waiting.next();
        if (done) break;
        const [at, query] = value;
        running.set(at, begin(at, query));
      }
      if (running.size === 0) return;
      const { at, line } = await Promise.race(running.values());
      running.delete(at);
      yield line;
    }
  } finally {
    leave.abort();
  }
}

/** An answer as a line. The text of the answer stays as it is, since a number in it may have more digits than are kept. */
async function lineOf(at: number, response: Response): Promise<string> {
  const wait = response.headers.get("retry-after");
  const head = `"at":${at},"status":${response.status}`;
  const retry = wait === null ? "" : `,"retry_after":${wait}`;
  const text = await response.text();
  // Between the parts of JSON, a line break means no more than a blank.
  return `{${head}${retry},"answer":${text.replace(/[\r\n]/g, " ")}}\n`;
}
