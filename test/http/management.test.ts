import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { personUuid } from "../../src/core/identity/person.ts";
import { concrete, keyWith, OPERATIONS } from "../support/answers/operations.ts";
import { batch, event } from "../support/data/build-records.ts";
import { type TestApp, type TestProject, testApp } from "../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY, startServer } from "../support/start/server.ts";
import { sharedApp } from "../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

async function idOf(distinctId: string): Promise<number | undefined> {
  const { body } = await app.get(`/persons/?distinct_id=${distinctId}`);
  return (body as { results: { id: number }[] }).results[0]?.id;
}

describe("persons", () => {
  const capture = () =>
    app.capture(
      batch(
        event({
          distinct_id: "ann",
          properties: { $set: { email: "ann@x.y" } },
          timestamp: "2026-11-01",
        }),
        event({ distinct_id: "bob", timestamp: "2026-11-03" }),
        event({ distinct_id: "cat", timestamp: "2026-11-02" }),
        event({ distinct_id: "nobody", properties: { $process_person_profile: false } }),
      ),
    );

  test("are listed newest first, in pages whose links lead on (contract 2.2, 4.2)", async () => {
    await capture();

    const first = await app.get("/persons/?limit=2");
    const second = await app.get("/persons/?limit=2&offset=2");

    const ids = ({ body }: typeof first) =>
      (body as { results: { distinct_ids: string[] }[] }).results.map(
        (person) => person.distinct_ids[0] ?? "",
      );
    expect(first.body).toMatchObject({
      count: 3,
      next: expect.stringMatching(
        /^http:\/\/localhost:8000\/api\/environments\/\d+\/persons\/\?limit=2&cursor=[^&]+&offset=2$/,
      ),
      previous: null,
    });
    expect([ids(first), ids(second)]).toEqual([["bob", "cat"], ["ann"]]);
    expect(second.body).toMatchObject({
      next: null,
      previous: `http://localhost:8000${app.api}/persons/?limit=2`,
    });
  });

  test("are found by distinct id, read by id and by uuid (contract 2.1)", async () => {
    await capture();

    const { body } = await app.get("/persons/?distinct_id=ann");
    const [ann] = (body as { results: { id: number; uuid: string }[] }).results;

    expect(ann).toEqual({
      id: expect.any(Number),
      name: "ann@x.y",
      distinct_ids: ["ann"],
      properties: { email: "ann@x.y" },
      created_at: "2026-11-01T00:00:00.000000Z",
      uuid: personUuid(app.id, "ann"),
    } as never);
    expect((await app.get(`/persons/${ann?.id}/`)).body).toEqual(ann as never);
    expect((await app.get(`/persons/${ann?.uuid}/`)).body).toEqual(ann as never);
    expect((await app.get("/persons/?distinct_id=nobody")).body).toMatchObject({
      count: 0,
      results: [],
    });
  });

  test.each([
    ["/persons/999/", 404, "not_found", null],
    ["/persons/01a1fc9a-592b-78b3-8d80-aa75992efae9/", 404, "not_found", null],
    ["/persons/9007199254740993/", 404, "not_found", null],
    ["/persons/99999999999999999999999/activity/", 404, "not_found", null],
    ["/persons/01/", 400, "invalid_input", "id"],
    ["/persons/0/", 404, "not_found", null],
    ["/persons/ann/", 400, "invalid_input", "id"],
    ["/persons/?limit=ten", 400, "invalid_input", "limit"],
    ["/persons/?limit=-1", 400, "invalid_input", "limit"],
    ["/events/?uuid=x", 400, "invalid_input", "uuid"],
    ["/events/?after=yesterday", 400, "invalid_input", "after"],
    ["/events/?offset=10001", 400, "invalid_input", "offset"],
    ["/events/?cursor=x", 400, "invalid_input", "cursor"],
    ["/events/?cursor=2026-02-30T00:00:00.000000Z_1", 400, "invalid_input", "cursor"],
    ["/events/x/", 400, "invalid_input", "uuid"],
    ["/events/0193a5b1-7f3c-4d21-8a01-2d9c3f1e5b78/", 404, "not_found", null],
    ["/nothing/", 404, "not_found", null],
    ["/persons/?distinct_id=%ff", 400, "invalid_input", "distinct_id"],
    ["/persons/?limit=1&distinct_id=a%ed%a0%80", 400, "invalid_input", "distinct_id"],
    ["/persons/?distinct_id=100%", 400, "invalid_input", "distinct_id"],
    ["/events/?event=%zz", 400, "invalid_input", "event"],
    ["/events/?properties=%5B%7B%22key%22%3A%22a%22%7D%5D", 400, "invalid_input", "properties"],
    ["/events/?event_name=tested", 400, "invalid_input", "event_name"],
    ["/events/?format=csv", 400, "invalid_input", "format"],
    ["/events/?other=%ff", 400, "invalid_input", null],
    ["/groups/?group_type_index=0&search=%c3", 400, "invalid_input", "search"],
  ])("%s answers %p %s", async (path, status, code, attr) => {
    const answered = await app.get(path);
    expect(answered).toMatchObject({ status, body: { code, attr } });
    expect(answered.headers.get("x-request-id")).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
  });

  test("are not taken for what PostHog has besides: the answer says what to ask instead", async () => {
    const { status, body } = await app.get("/surveys/7/stats/");
    expect([status, (body as { detail: string }).detail]).toEqual([
      404,
      expect.stringMatching(/^Not found\. …\/surveys\/ is not served here: there are no surveys/),
    ]);
  });

  test.each(["[]", "[{}]", '"x"', "null", "5", "true"])(
    "are not split by the body %s, which is no object",
    async (body) => {
      const headers = { "content-type": "application/json" };
      const merge = { event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } };
      await app.capture(batch(event(), event({ distinct_id: "new" }), event(merge)));
      const id = await idOf("ann");
      const split = (sent?: string) =>
        app.ask("POST", `${app.api}/persons/${id}/split/`, {
          headers,
          ...(sent === undefined ? {} : { body: sent }),
        });

      expect(await split(body)).toMatchObject({
        status: 400,
        body: { type: "validation_error", code: "invalid_input", attr: null },
      });
      expect((await app.get("/persons/")).body).toMatchObject({ count: 1 });
      expect((await split('{"main_distinct_id": "ann"}')).status).toBe(201);
    },
  );

  test("are found by a distinct id in percent-encoding", async () => {
    await app.capture(batch(event({ distinct_id: "é 100%+&\ufffd" })));
    const found = await app.get(`/persons/?distinct_id=${encodeURIComponent("é 100%+&\ufffd")}`);
    expect(found.body).toMatchObject({ count: 1 });
  });

  test("of another project are not found", async () => {
    await capture();
    const second = await app.app.projects.create({ name: "second" });

    const listed = await app.ask("GET", `/api/environments/${second.id}/persons/`);
    const id = await idOf("ann");
    const read = await app.ask("GET", `/api/environments/${second.id}/persons/${id}/`);

    expect(listed.body).toMatchObject({ count: 0, results: [] });
    expect(read).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

describe("events", () => {
  const at = (day: number) => `2026-11-${String(day).padStart(2, "0")}T00:00:00.000000Z`;
  const days = Array.from({ length: 9 }, (_, n) =>
    event({
      event: n % 2 === 0 ? "even" : "odd",
      distinct_id: n < 3 ? "ann" : "bob",
      timestamp: at(n + 1),
      properties: { n, nested: { deep: [1, "é🦔", null] } },
    }),
  );

  let app: TestApp;

  beforeAll(async () => {
    app = await testApp();
    await app.capture(batch(...days));
  });

  afterAll(() => app[Symbol.asyncDispose]());

  test.each<[string, number[]]>([
    ["", [8, 7, 6, 5, 4, 3, 2, 1, 0]],
    ["?event=odd", [7, 5, 3, 1]],
    ["?distinct_id=ann", [2, 1, 0]],
    ["?distinct_id=ann&event=even", [2, 0]],
    [`?after=${at(3)}&before=${at(6)}`, [4, 3]],
    ["?after=2026-11-07", [8, 7]],
    [`?person_id=${personUuid(1, "ann")}`, [2, 1, 0]],
    [`?uuid=${days[4]?.uuid}`, [4]],
    ["?limit=2&offset=3", [5, 4]],
    ['?event=it\'s "quoted"; DROP TABLE events', []],
  ])("list%s is newest first and counted exactly", async (query, wanted) => {
    const { status, body } = await app.get(`/events/${query}`);

    const { count, results } = body as { count: number; results: { properties: { n: number } }[] };
    expect(status).toBe(200);
    expect(results.map(({ properties }) => properties.n)).toEqual(wanted);
    expect(count).toBe(query.includes("limit") ? 9 : wanted.length);
  });

  test("keep everything that was sent", async () => {
    const { body } = await app.get(`/events/?uuid=${days[1]?.uuid}`);

    expect((body as { results: unknown[] }).results).toEqual([
      {
        uuid: days[1]?.uuid,
        event: "odd",
        distinct_id: "ann",
        person_id: personUuid(1, "ann"),
        timestamp: at(2),
        properties: { n: 1, nested: { deep: [1, "é🦔", null] } },
      },
    ]);
  });
});

describe("a walk along the events", () => {
  test("by next neither skips nor repeats one, however many came at once and come meanwhile", async () => {
    const timestamp = "2026-11-20T00:00:00Z";
    const sent = Array.from({ length: 11_500 }, () => event({ timestamp }));
    await app.capture(batch(...sent));

    const walked: string[] = [];
    const counts = new Set<number>();
    let next: string | null = `${app.api}/events/?limit=1000&event=tested`;
    while (next !== null) {
      const { status, body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
      expect(status).toBe(200);
      const page = body as { count: number; next: string | null; results: { uuid: string }[] };
      walked.push(...page.results.map(({ uuid }) => uuid));
      counts.add(page.count);
      next = page.next;
      if (walked.length === 3000) await app.capture(batch(event(), event({ timestamp })));
    }

    expect(walked).toHaveLength(sent.length);
    expect(new Set(walked)).toEqual(new Set(sent.map(({ uuid }) => uuid)));
    expect([...counts]).toEqual([11_500, 11_502]);
  });

  test("has no next after the last page, and leads back by offset", async () => {
    await app.capture(batch(event(), event(), event(), event()));

    const first = (await app.get("/events/?limit=2")).body as { next: string };
    const { pathname, search } = new URL(first.next);
    const { body } = await app.ask("GET", pathname + search);

    expect(body).toMatchObject({ count: 4, next: null });
    expect((body as { previous: string }).previous).toEndWith("/events/?limit=2");
  });
});

describe("projects", () => {
  test("are listed in the envelope and read by id or @current", async () => {
    await using app = await testApp();
    await app.app.projects.create({ name: "second" });

    const listed = await app.ask("GET", "/api/projects/");
    const current = await app.ask("GET", "/api/projects/@current/");

    expect(listed.body).toMatchObject({
      count: 2,
      results: [{ id: 1, name: "Default project", api_token: PROJECT_KEY }, { name: "second" }],
    });
    expect(current.body).toEqual((listed.body as { results: unknown[] }).results[0] as never);
  });

  test("that a key may not see are not listed", async () => {
    await using app = await testApp();
    const second = await app.app.projects.create({ name: "second" });
    const key = await keyWith(app, { scoped_teams: [second.id] });

    expect((await app.ask("GET", "/api/projects/", { key })).body).toMatchObject({
      count: 1,
      results: [{ name: "second" }],
    });
    expect((await app.ask("GET", "/api/projects/@current/", { key })).body).toMatchObject({
      id: second.id,
    });
  });
});

test("a key of the other kind is refused with the kind that is expected", async () => {
  const api = await app.get("/persons/", { key: PROJECT_KEY });
  expect(api).toMatchObject({ status: 401, body: { code: "authentication_failed" } });
  expect(api.body).toMatchObject({ detail: expect.stringMatching(/project API key.*phx_/) });

  const token = PERSONAL_KEY;
  const body = { ...batch(event()), api_key: token };
  const answers = [
    await app.ask("POST", "/batch/", { key: null, body }),
    await app.ask("POST", "/i/v1/logs/", { key: token, body: {} }),
  ];
  for (const answered of answers) {
    expect(answered).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
    expect(answered.body).toMatchObject({ detail: expect.stringMatching(/personal.*phc_/) });
    expect(answered.text).not.toContain(token);
  }
});

test("a header without Bearer is refused with the form that it should have", async () => {
  for (const authorization of [PERSONAL_KEY, `Token ${PERSONAL_KEY}`, "Basic b3du", "Bearer"]) {
    const sent = { key: null, headers: { authorization } };
    expect(await app.ask("GET", `${app.api}/persons/`, sent)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining("Authorization: Bearer phx_…") },
    });
  }
});

test("links never repeat a forged Host", async () => {
  await using app = await testApp();
  await app.capture(batch(event({ distinct_id: "a" }), event({ distinct_id: "b" })));
  const handle = app.app.http("http://127.0.0.1:8000");

  const answered = await handle(
    new Request("http://evil.example/api/environments/1/persons/?limit=1", {
      headers: { authorization: `Bearer ${await keyWith(app, {})}` },
    }),
  );

  expect(await answered.json()).toMatchObject({
    next: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:8000\/api\/environments\/1\/persons\/\?limit=1&/,
    ),
  });
});

test("HEAD is answered like GET without the body, on every path with GET", async () => {
  await using server = await startServer();
  const seen = event();
  const group = { $group_type: "company", $group_key: "acme", $group_set: {} };
  await server.capture(batch(seen, event({ event: "$groupidentify", properties: group })));
  await server.stored(2);
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  const playlists = "/api/environments/1/session_recording_playlists/";
  const made = await fetch(server.url + playlists, { method: "POST", headers });
  const { short_id: playlist } = (await made.json()) as { short_id: string };
  await fetch(`${server.url}/api/environments/1/dashboards/`, { method: "POST", headers });
  const ask = "/api/environments/1/max_tools/create_and_query_insight/";
  const json = { ...headers, "content-type": "application/json", prefer: "return=representation" };
  const post = (path: string, body: object) =>
    fetch(server.url + path, { method: "POST", headers: json, body: JSON.stringify(body) });
  await post("/api/environments/1/annotations/", { content: "prices" });
  const asked = await post(ask, { query: "all events" });
  const { short_id: insight } = ((await asked.json()) as { insight: { short_id: string } }).insight;
  const managed = OPERATIONS.filter(([method]) => method === "GET").map(
    ([, path, , , , { query = "" } = {}]) =>
      concrete(path, { playlist, insight, event: seen.uuid, deletion: "1" }) + query,
  );
  const queue = `/api/environments/1/persons/${personUuid(1, "ann")}/delete_events/`;
  await fetch(server.url + queue, { method: "POST", headers });
  const pages = ["/_liveness", "/docs", "/openapi.json", "/static/array.js", "/api/surveys/"];

  for (const path of [...managed, ...pages]) {
    const head = await fetch(server.url + path, { method: "HEAD", headers });
    const refused = await fetch(server.url + path, { method: "PUT", headers });

    expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
    expect(refused.headers.get("allow")).toContain("HEAD");
  }
});

test("health is public and says no more than it must", async () => {
  await using app = await testApp();
  for (const path of ["/_liveness", "/_readiness", "/_health"]) {
    expect((await app.ask("GET", path, { key: null })).status).toBe(200);
  }
  app.app.drain();
  expect(await app.ask("GET", "/_readiness", { key: null })).toMatchObject({
    status: 503,
    body: { status: "unavailable", reasons: ["shutting_down"] },
  });
});

test("older clients ask below /api/projects/ for what newer ones ask below /api/environments/", async () => {
  await using own = await testApp();
  await own.capture(batch(event({ event: "seen", distinct_id: "ann" })));
  const paths = ["events/", "persons/", "persons/values/?key=a", "insights/", "groups_types/"];

  for (const path of [...paths, "session_recording_playlists/", "event_definitions/?limit=1"]) {
    const [newer, older] = await Promise.all(
      ["environments", "projects"].map((word) => own.ask("GET", `/api/${word}/1/${path}`)),
    );
    expect(older?.status).toBe(newer?.status as number);
    expect(older?.text.replaceAll("/projects/", "/environments/")).toBe(newer?.text as string);
  }
  const query = { query: { kind: "HogQLQuery", query: "SELECT event FROM events" } };
  expect(await own.ask("POST", "/api/projects/1/query/", { body: query })).toMatchObject({
    ...{ status: 200, body: { results: [["seen"]] } },
  });
  expect(await own.ask("DELETE", "/api/projects/1/events/")).toMatchObject({ status: 405 });
});
