import { describe, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

type Listed = { count: number; next: string | null; results: Record<string, unknown>[] };

const page = async (app: TestProject, address: string) =>
  (await app.ask("GET", address.replace("http://localhost:8000", ""))).body as Listed;

/** Walks along a list, a row at a time, and returns one field; `meanwhile` runs after each page. */
async function walk(app: TestProject, path: string, field: string, meanwhile = async () => {}) {
  const walked: unknown[] = [];
  let next: string | null = app.api + path;
  while (next !== null && walked.length < 99) {
    const { results, next: link }: Listed = await page(app, next);
    expect(results).toHaveLength(1);
    walked.push(results[0]?.[field]);
    next = link;
    await meanwhile();
  }
  return walked;
}

test("limit and offset of a list that are empty are as if they were not there", async () => {
  const app = await newProject();
  const lists = ["persons/", "session_recording_playlists/", "events/", "insights/", "groups/"];
  for (const name of [...lists, "event_definitions/", "persons/deletion_status/"]) {
    const query = name === "groups/" ? "group_type_index=0&" : "";
    const path = `${app.api}/${name}?${query}limit=&offset=`;
    expect([name, (await app.ask("GET", path)).status]).toEqual([name, 200]);
  }
  expect((await app.ask("GET", "/api/projects/?limit=&offset=")).status).toBe(200);
  const spaced = await app.ask("GET", `${app.api}/persons/?limit=%20`);
  expect(spaced).toMatchObject({ status: 400, body: { attr: "limit" } });
});

const PERSON = event({ distinct_id: "ann", properties: { $set: { email: "ann@x.y" } } });
const GROUP = event({
  event: "$groupidentify",
  properties: { $group_type: "company", $group_key: "acme", $group_set: {} },
});

test.each([
  ["persons/", "email=&search=&distinct_id=&properties=&properties[]="],
  ["session_recording_playlists/", "created_by=&short_id=&search="],
  ["events/", "event=&distinct_id="],
  ["groups/", "group_type_index=0&search="],
  ["event_definitions/", "search="],
  ["property_definitions/", "search="],
])("empty filters of %s do not filter", async (list, query) => {
  const app = await newProject();
  await app.capture(batch(PERSON, GROUP));
  await app.ask("POST", `${app.api}/session_recording_playlists/`, { body: { name: "carts" } });
  const rows = async (parameters: string) => {
    const { status, body } = await app.get(`/${list}?${parameters}`);
    return { status, results: (body as Listed).results };
  };

  const unfiltered = await rows(list === "groups/" ? "group_type_index=0" : "");
  expect(unfiltered.results.length).toBeGreaterThan(0);
  expect(await rows(query)).toEqual(unfiltered);
});

test.each([
  ["groups/", "group_type_index"],
  ["persons/activity/", "page"],
  ["session_recording_playlists/", "order"],
  ["ingestion_warnings/", "type"],
])("another empty parameter of %s is refused: %s", async (list, attr) => {
  const app = await newProject();
  expect(await app.get(`/${list}?${attr}=`)).toMatchObject({ status: 400, body: { attr } });
});

describe("a walk along next shows each row once while others are added", () => {
  test("of groups, and finds them in any case of any script", async () => {
    const app = await newProject();
    const identify = (key: string) =>
      event({
        event: "$groupidentify",
        properties: { $group_type: "company", $group_key: key, $group_set: {} },
      });
    await app.capture(batch(...["b", "c", "ÜBER", "d"].map(identify)));

    let more = 0;
    const walked = await walk(app, "/groups/?group_type_index=0&limit=1", "group_key", async () => {
      await app.capture(batch(identify(`a${more++}`)));
    });

    expect(walked).toEqual(["b", "c", "d", "ÜBER"]);
    const found = await page(app, `${app.api}/groups/?group_type_index=0&search=%C3%BCb`);
    expect(found).toMatchObject({ count: 1, results: [{ group_key: "ÜBER" }] });
  });

  test("of insights", async () => {
    const app = await newProject();
    const ask = async (name: string) => {
      const series = [{ kind: "EventsNode", event: null }];
      const body = { query: { kind: "TrendsQuery", series }, name };
      const path = `${app.api}/max_tools/create_and_query_insight/`;
      expect((await app.ask("POST", path, { body })).status).toBe(200);
    };
    for (const name of ["1", "2", "3"]) await ask(name);

    let more = 0;
    const walked = await walk(app, "/insights/?limit=1", "name", () => ask(`more ${more++}`));

    expect(walked).toEqual(["3", "2", "1"]);
  });

  test("of deletions", async () => {
    const app = await newProject();
    const gone = async (distinct_id: string) => {
      await app.capture(batch(event({ distinct_id })));
      const { results } = await page(app, `${app.api}/persons/?distinct_id=${distinct_id}`);
      const { uuid } = results[0] ?? {};
      await app.ask("DELETE", `${app.api}/persons/${uuid}/?delete_events=true`);
      return uuid;
    };
    const uuids = [await gone("1"), await gone("2"), await gone("3")];

    let more = 0;
    const path = "/persons/deletion_status/?limit=1";
    const walked = await walk(app, path, "person_uuid", async () => {
      await gone(`more${more++}`);
    });

    expect(walked).toEqual(uuids.reverse());
  });

  test("of definitions, and of warnings", async () => {
    const app = await newProject();
    const of = (name: string, count: number) => Array(count).fill(event({ event: name }));
    await app.capture(batch(...of("a", 3), ...of("b", 2), ...of("c", 2), ...of("d", 1)));

    const walked = await walk(app, "/event_definitions/?limit=1", "name", async () => {
      await app.capture(batch(...of("a", 1), ...of("new", 9)));
    });
    expect(walked).toEqual(["a", "b", "c", "d"]);

    await app.capture(batch(event({ event: "" }), event({ distinct_id: "" })));
    const types = (await page(app, `${app.api}/ingestion_warnings/`)).results;
    expect(types.length).toBeGreaterThan(1);
    expect(await walk(app, "/ingestion_warnings/?limit=1", "type")).toEqual(
      types.map(({ type }) => type),
    );
  });
});
