import { afterAll, beforeAll, expect, test } from "bun:test";
import { OpenAI } from "@posthog/ai/openai";
import { PostHog } from "posthog-node";
import { personsOf } from "../support/data/persons.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();

/** More than a list of events shows of one property (src/docs/limits.md). */
const LONG = "a long question ".repeat(3000);

/** A provider of models that answers each question with the same words, whole or in parts. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { stream, messages } = (await request.json()) as { stream?: boolean; messages: object[] };
    const shared = { id: "c-1", created: 1_770_096_589, model: "m-1" };
    const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
    if (JSON.stringify(messages).includes("refuse")) {
      return Response.json({ error: { message: "too much", type: "limit" } }, { status: 400 });
    }
    if (stream) {
      const chunk = (choices: object[], more = {}) =>
        `data: ${JSON.stringify({ ...shared, object: "chat.completion.chunk", choices, ...more })}\n\n`;
      const deltas = ["Hel", "lo"].map((content) => chunk([{ index: 0, delta: { content } }]));
      const text = [...deltas, chunk([], { usage }), "data: [DONE]\n\n"].join("");
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    }
    const message = { role: "assistant", content: "Hello" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ ...shared, object: "chat.completion", choices, usage });
  },
});

const complaints: unknown[] = [];
const { warn, error } = console;

beforeAll(() => {
  console.warn = console.error = (...words: unknown[]) => complaints.push(words);
});

afterAll(async () => {
  Object.assign(console, { warn, error });
  await provider.stop(true);
});

test("@posthog/ai stores each call of a model once: whole, in parts, failed, and long", async () => {
  const posthog = new PostHog(PROJECT_KEY, { host: server.url });
  posthog.on("error", (problem: unknown) => complaints.push(problem));
  const openai = new OpenAI({
    apiKey: "sk-test",
    baseURL: `${provider.url.origin}/v1`,
    maxRetries: 0,
    posthog,
  });
  const ask = (content: string, traceId: string) => ({
    model: "m-1",
    messages: [{ role: "user" as const, content }],
    posthogDistinctId: "ann",
    posthogTraceId: traceId,
    posthogProperties: { place: "cart" },
  });

  await openai.chat.completions.create(ask("Hi", "whole"));
  await openai.chat.completions.create(ask(LONG, "long"));
  const parts = await openai.chat.completions.create({ ...ask("Hi", "parts"), stream: true });
  for await (const _ of parts);
  await expect(openai.chat.completions.create(ask("refuse", "failed"))).rejects.toThrow("too much");
  await posthog.shutdown();

  await server.stored(4, "&distinct_id=ann");
  const events = await server.events("&distinct_id=ann&event=$ai_generation");
  const calls = Object.fromEntries(events.map((one) => [one.properties["$ai_trace_id"], one]));
  expect(events.length).toBe(4);
  const answered = { $ai_model: "m-1", $ai_input_tokens: 12, $ai_output_tokens: 3, place: "cart" };
  const said = (content: unknown) => [{ role: "assistant", content }];
  expect(calls["whole"]?.properties).toMatchObject({
    ...answered,
    $ai_input: [{ role: "user", content: "Hi" }],
    $ai_output_choices: said(expect.anything()),
    $ai_http_status: 200,
  });
  expect(calls["parts"]?.properties).toMatchObject(answered);
  expect(calls["failed"]?.properties).toMatchObject({ $ai_is_error: true, $ai_http_status: 400 });
  const long = await server.get<{ properties: { $ai_input: { content: string }[] } }>(
    `/events/${calls["long"]?.uuid}/`,
  );
  expect(long.properties.$ai_input[0]?.content).toBe(LONG);
  expect(await personsOf(server, "ann")).toHaveLength(1);
  expect(complaints).toEqual([]);
});
