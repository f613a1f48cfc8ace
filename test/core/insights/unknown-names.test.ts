import { beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeAll(async () => {
  app = await newProject();
  const properties = {
    plan: "pro",
    station: { city: "Ulm" },
    $set: { age: 7, home: { city: "Ulm" } },
  };
  const group = { $group_type: "company", $group_key: "acme", $group_set: { seats: 5 } };
  await app.capture(
    batch(
      event({ event: "ordered", properties }),
      event({ event: "$groupidentify", properties: group }),
    ),
  );
});

const warningsOf = async (query: object) => {
  const { status, body } = await app.ask("POST", `${app.api}/query/`, { body: { query } });
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { warnings?: string[] }).warnings;
};
const trends = (series: object, more: object = {}) => ({
  ...{ kind: "TrendsQuery", series: [{ event: "ordered", ...series }], ...more },
});
const by = (filter: object) => trends({ properties: [{ value: 1, ...filter }] });
const behavior = { type: "behavioral", event_type: "events", value: "performed_event" };

describe("a name that nothing in the project has", () => {
  test.each<[string, object]>([
    ['No event "orderd" has come yet. Did you mean "ordered"?', trends({ event: "orderd" })],
    [
      'No event "zz" has come yet.',
      { kind: "FunnelsQuery", series: [{ event: "ordered" }, { event: "zz" }] },
    ],
    [
      'No event "zz" has come yet.',
      {
        kind: "RetentionQuery",
        retentionFilter: { targetEntity: { id: "zz" }, returningEntity: { id: "ordered" } },
      },
    ],
    [
      'No event "zz" has come yet.',
      { kind: "EventsQuery", select: ["*"], events: ["ordered", "zz"] },
    ],
    ['No event "zz" has come yet.', trends({ properties: [{ ...behavior, key: "zz" }] })],
    [
      'No event has had a property "plam" yet. Did you mean "plan"?',
      by({ key: "plam", operator: "is_not" }),
    ],
    [
      'No event has had a property "plam" yet. Did you mean "plan"?',
      trends({}, { breakdownFilter: { breakdown: "plam" } }),
    ],
    ['No event has had a property "q.city" yet.', trends({ math: "sum", math_property: "q.city" })],
    ['No event has had a property "q" yet.', { kind: "EventsQuery", select: ["properties.q"] }],
    ['No person has a property "aged".', by({ key: "aged", type: "person" })],
    ['No person has a property "aged".', { kind: "ActorsQuery", select: ["properties.aged"] }],
    ['No group has a property "seat".', by({ key: "seat", type: "group", group_type_index: 0 })],
    [
      "No type of groups has the index 3 yet: 0 is company.",
      trends({ math: "unique_group", math_group_type_index: 3 }),
    ],
  ])("has a warning: %s", async (warning, query) => {
    expect(await warningsOf(query)).toEqual([warning]);
  });

  test.each<[object]>([
    [trends({ event: null })],
    [trends({}, { breakdownFilter: { breakdown: "event", breakdown_type: "event_metadata" } })],
    [trends({}, { breakdownFilter: { breakdown: "toHour(timestamp)", breakdown_type: "hogql" } })],
    [trends({ math: "avg", math_property: "$session_duration" })],
    [trends({ math: "unique_group", math_group_type_index: 0 })],
    [by({ key: "station.city" })],
    [by({ key: "home.city", type: "person" })],
    [by({ key: "$browser" })],
    [by({ key: "seats", type: "group", group_type_index: 0 })],
    [
      {
        kind: "EventsQuery",
        select: ["event", "count()", "properties.plan", "person.properties.age"],
      },
    ],
    [{ kind: "PathsQuery" }],
  ])("is not in %j, which has no warning", async (query) => {
    expect(await warningsOf(query)).toBeUndefined();
  });
});
