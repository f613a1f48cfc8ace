import { expect, test } from "bun:test";
import { propertyColumn } from "../../../src/stores/loads/person-columns.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { testApp } from "../../support/start/app.ts";

const PREFER = { prefer: "return=representation" };

/** A person has properties in columns of each kind, and none in most of them. */
test("every question finds all properties of a person, by user or SDK", async () => {
  await using app = await testApp();
  const $set = { plan: "pro", $browser: "Firefox", $initial_browser: "Safari", none: null };
  await app.capture(
    batch(
      event({ event: "seen", distinct_id: "ann", properties: { $set } }),
      event({ event: "seen", distinct_id: "bob", properties: { $set: { $browser: "Chrome" } } }),
      event({ event: "seen", distinct_id: "eve", properties: {} }),
    ),
  );
  const ask = async (path: string, body: object): Promise<unknown> =>
    (await app.ask("POST", `/api/environments/1/${path}`, { body, headers: PREFER })).body;
  const select = "SELECT properties FROM persons ORDER BY coalesce(properties.$browser, 'none')";
  const query = { kind: "SQLQuery", query: select };

  const { results } = (await ask("query/", { query })) as { results: [string | object][] };
  const found = results.map(([value]) => (typeof value === "string" ? JSON.parse(value) : value));
  expect(found).toEqual([
    expect.objectContaining({ $browser: "Chrome" }),
    expect.objectContaining($set),
    expect.not.objectContaining({ plan: "pro" }),
  ]);

  const { body } = await app.get("/property_definitions/?type=person");
  const names = (body as { results: { name: string }[] }).results.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["plan", "$browser", "$initial_browser"]));

  const seenBy = async (key: string, value: string) => {
    const properties = [{ key, value, type: "person" }];
    const series = [{ kind: "EventsNode", event: "seen", properties }];
    const insight = { query: { kind: "TrendsQuery", series }, insight_type: "trends" };
    const told = await ask("max_tools/create_and_query_insight/", insight);
    return (told as { results: { data: number[] }[] }).results.map(({ data }) =>
      data.reduce((sum, count) => sum + count, 0),
    );
  };
  expect(await seenBy("plan", "pro")).toEqual([1]);
  expect(await seenBy("$browser", "Firefox")).toEqual([1]);
  expect(await seenBy("$initial_browser", "Safari")).toEqual([1]);
  expect(await seenBy("$browser", "Safari")).toEqual([0]);
});

test("a property is in the column in which existing stores have it", () => {
  const found = [
    "plan",
    "email",
    "createdAt",
    "",
    "ключ",
    "$os",
    "$initial_os",
    "$current_url",
  ].map((name) => [name, propertyColumn(name)]);
  expect(Object.fromEntries(found)).toEqual({
    "": "properties_0",
    plan: "properties_2",
    ключ: "properties_2",
    email: "properties_6",
    createdAt: "properties_6",
    $os: "properties_8",
    $initial_os: "properties_11",
    $current_url: "properties_13",
  });
});
