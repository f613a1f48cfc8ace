import { expect, test } from "bun:test";
import { DEFINED_EVENTS, SDK_EVENTS } from "../../../src/core/questions/names/defined.ts";
import { testApp } from "../../support/start/app.ts";

type Answer = { results?: { event: string; math: string; aggregated_value: number }[] };

test("a project without events answers zeros for names that SDKs define, and refuses others", async () => {
  await using app = await testApp();
  const ask = async (query: string) => {
    const asked = { body: { query: { kind: "WordsQuery", query } } };
    const { status, body } = await app.ask("POST", "/api/projects/1/query/", asked);
    return { status, results: (body as Answer).results };
  };
  for (const { name } of SDK_EVENTS) {
    const words = DEFINED_EVENTS.find((one) => one.startsWith(`${name};`))?.split(/[;,]/) ?? [];
    for (const [at, word] of words.slice(1).entries()) {
      if (word.includes("~")) continue;
      const { status, results } = await ask(`how many${word}s last 7 days`);
      const [one = { event: "", math: "", aggregated_value: 1 }] = results ?? [];
      // Not every verb is a noun; what is answered is about this event.
      if (at > 0 && status === 400) continue;
      expect([word, one.event, one.math, one.aggregated_value]).toEqual([word, name, "total", 0]);
    }
  }
  for (const query of ["top pages last week", "page views by country", "visitors by utm source"])
    expect((await ask(query)).results).toEqual([]);
  for (const query of ["how many sign-ups last 7 days", "revenue last month", "orders by product"])
    expect((await ask(query)).status).toBe(400);
});
