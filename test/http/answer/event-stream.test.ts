import { expect, test } from "bun:test";
import { Failure } from "../../../src/core/values/failure.ts";
import {
  EventStream,
  eventStream,
  STREAM_BYTES_MAX,
  type StreamMessage,
} from "../../../src/http/answer/event-stream.ts";
import { event } from "../../support/data/build-records.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../../support/start/server.ts";
import { OWN_PAGE, SESSION } from "../../support/start/session.ts";

type Take = (message: StreamMessage) => boolean;

/** A stream whose messages a test sends itself. */
function opened({ check = async () => {}, isHead = false }: Partial<Opened> = {}) {
  let take: Take = () => false;
  const state = { hasLeft: false };
  const stream = new EventStream((given) => {
    take = given;
    return () => {
      state.hasLeft = true;
    };
  });
  const gone = new AbortController();
  const response = eventStream(stream, { check, isHead, signal: gone.signal });
  return {
    response,
    state,
    gone,
    take: (event: string, data: unknown = {}) => take({ event, data }),
  };
}

type Opened = { check: () => Promise<unknown>; isHead: boolean };

test("messages are sent as server-sent events, and the last one ends the answer", async () => {
  const { response, take, state } = opened();
  take("events", [1]);
  take("end", { reason: "done" });

  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  expect(await response.text()).toBe(
    'event: events\ndata: [1]\n\nevent: end\ndata: {"reason":"done"}\n\n',
  );
  expect(state.hasLeft).toBe(true);
});

test("a reader that does not read gets no more than the bound, and may read on later", async () => {
  const { response, take } = opened();
  const text = "x".repeat(1000);
  let taken = 0;
  for (let n = 0; n < 1000; n += 1) if (take("events", text)) taken += 1;

  expect(taken).toBeLessThan((2 * STREAM_BYTES_MAX) / 1000);
  expect(taken).toBeGreaterThan(10);
  const reader = response.body?.getReader();
  let read = 0;
  while (read < taken) {
    const { value } = (await reader?.read()) ?? {};
    read += new TextDecoder().decode(value).split("\n\n").length - 1;
  }
  expect(take("events", text)).toBe(true);
  await reader?.cancel();
});

test("the answer ends soon after the key, also if nothing is read", async () => {
  const check = () => Promise.reject(new Failure("authentication_failed", "no"));
  const read = await opened({ check }).response.text();
  expect(read).toBe('event: end\ndata: {"reason":"authentication_failed"}\n\n');

  const unread = opened({ check });
  for (let n = 0; n < 1000; n += 1) unread.take("events", "x".repeat(1000));
  while (!unread.state.hasLeft) await Bun.sleep(20);
  await Bun.sleep(600);
  await expect(unread.response.text()).rejects.toThrow("too slow");
});

test("a reader that goes away, or wants the headers alone, has left", async () => {
  const [cancelled, aborted, head] = [opened(), opened(), opened({ isHead: true })];
  await cancelled.response.body?.cancel();
  aborted.gone.abort();
  for (const { state } of [cancelled, aborted, head]) expect(state.hasLeft).toBe(true);
  expect(await head.response.text()).toBe("");
});

const LIVE = "/api/environments/1/events/live/";

type Message = { event: string; data: unknown };

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** A reader of the live events of a server; `next` resolves to the next message of a type. */
async function reading(
  server: Server,
  query = "",
  headers: Record<string, string> = bearer(PERSONAL_KEY),
) {
  const gone = new AbortController();
  const response = await fetch(`${server.url}${LIVE}${query}`, { headers, signal: gone.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const waiting: Message[] = [];
  let rest = "";
  const more = async () => {
    const { done, value = "" } = (await reader?.read()) ?? { done: true };
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, name = "", data = "null"] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (name !== "") waiting.push({ event: name, data: JSON.parse(data) });
    }
    return done !== true;
  };
  return {
    response,
    async next(type: string): Promise<unknown> {
      for (;;) {
        const found = waiting.shift();
        if (found?.event === type) return found.data;
        if (found === undefined && !(await more())) return undefined;
      }
    },
    [Symbol.dispose]: () => gone.abort(),
  };
}

const sent = (server: Server, ...batch: object[]) =>
  server.capture({ api_key: PROJECT_KEY, batch });

test("an event that comes live is found by a query at that moment", async () => {
  await using server = await startServer();
  using all = await reading(server);
  using paid = await reading(server, "?eventType=paid&distinctId=bob");
  expect(await all.next("stats")).toMatchObject({ per_second: 0, hidden: 0 });

  const seen = event({ event: "seen", properties: { plan: "pro", text: "x".repeat(5000) } });
  const bought = event({ event: "paid", distinct_id: "bob" });
  await sent(server, seen, event({ event: "paid" }), bought);

  const rows = (await all.next("events")) as { uuid: string; properties: object }[];
  expect(rows).toHaveLength(3);
  const row = rows.find(({ uuid }) => uuid === seen.uuid);
  expect(row?.properties).toEqual({ plan: "pro" });
  const found = await server.get<{ uuid: string }>(`/events/${seen.uuid}/`);
  expect(found.uuid).toBe(seen.uuid);
  expect(await paid.next("events")).toMatchObject([{ uuid: bought.uuid, distinct_id: "bob" }]);

  await sent(server, event({ event: "" }));
  expect(await all.next("warning")).toMatchObject({ type: "missing_event_name", count: 1 });
  expect(await server.stop()).toBe(0);
  expect(await all.next("end")).toEqual({ reason: "shutting_down" });
});

test("a session that is ended ends its readers, within the second between two checks", async () => {
  await using server = await startServer();
  const signedIn = await fetch(`${server.url}${SESSION}`, {
    method: "POST",
    headers: OWN_PAGE,
    body: JSON.stringify({ key: PERSONAL_KEY }),
  });
  const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const page = { ...OWN_PAGE, cookie };
  using reader = await reading(server, "", page);
  expect(await reader.next("stats")).toMatchObject({ hidden: 0 });

  await fetch(`${server.url}${SESSION}`, { method: "DELETE", headers: page });
  expect(await reader.next("end")).toEqual({ reason: "authentication_failed" });
  expect((await reading(server, "", page)).response.status).toBe(401);
});

test("a revoked key ends its readers, and a reader that leaves makes room", async () => {
  await using server = await startServer();
  const made = await fetch(`${server.url}/api/personal_api_keys/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ label: "live", scopes: ["query:read"] }),
  });
  const { id, value } = (await made.json()) as { id: number; value: string };
  const readers = await Promise.all([1, 2, 3, 4].map(() => reading(server, "", bearer(value))));
  const fifth = await reading(server, "", bearer(value));
  expect([...readers, fifth].map(({ response }) => response.status)).toEqual([
    ...[200, 200, 200, 200, 429],
  ]);
  expect(fifth.response.headers.has("retry-after")).toBe(true);

  readers[0]?.[Symbol.dispose]();
  const again = async () => (await reading(server, "", bearer(value))).response.status;
  while ((await again()) === 429) await Bun.sleep(20);

  await fetch(`${server.url}/api/personal_api_keys/${id}/`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${PERSONAL_KEY}` },
  });
  expect(await readers[1]?.next("end")).toEqual({ reason: "authentication_failed" });
  expect(await readers[1]?.next("end")).toBeUndefined();
});
