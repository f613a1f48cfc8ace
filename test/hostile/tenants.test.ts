import { beforeAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "../support/answers/operations.ts";
import { asker, type Told } from "../support/answers/requests.ts";
import { event } from "../support/data/build-records.ts";
import { attributesOf, logsBody } from "../support/data/logs.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

type Person = { id: number; uuid: string; distinct_ids: string[] };
type Page<T> = { count: number; results: T[] };

const server = sharedServer();
const ask = asker(server);
/** The attacker's key: it has all scopes, but in the second project alone. */
let key: string;

/** Ids of the first project, which the attacker knows and sends to the second. */
const theirs = {
  id: "",
  uuid: "",
  playlist: "",
  insight: "",
  event: "",
  deletion: "",
  distinct_id: "ann",
  dashboard: "",
  annotation: "",
};

/** Ids that do not exist. */
const absent = {
  id: "999999",
  uuid: "0193a5b1-7f3c-4d21-8a01-2d9c3f1e5b77",
  playlist: "absent22",
  insight: "absent22",
  event: "0193a5b1-7f3c-4d21-8a01-2d9c3f1e5b78",
  deletion: "999999",
  distinct_id: "nobody",
  dashboard: "999999",
  annotation: "999999",
};

const of = (project: number | string, path: string) =>
  path.startsWith("/api/") ? path : `/api/environments/${project}${path}`;

beforeAll(async () => {
  const made = await ask("POST", "/api/projects/", { body: { name: "second" } });
  const { api_token } = made.body as { api_token: string };
  const draft = { label: "of the second", scopes: ["*"], scoped_teams: [2] };
  key = ((await ask("POST", "/api/personal_api_keys/", { body: draft })).body as { value: string })
    .value;
  await furnish(1, PROJECT_KEY, "ann");
  await furnish(2, api_token, "zoe");
  const [ann] = ((await ask("GET", of(1, "/persons/?distinct_id=ann"))).body as Page<Person>)
    .results;
  Object.assign(theirs, { id: String(ann?.id), uuid: ann?.uuid });
});

/** Fills a project with some of everything, all of it about the person `name`. */
async function furnish(project: number, api_key: string, name: string): Promise<void> {
  const seen = event({ distinct_id: name, event: `seen by ${name}` });
  const sent = [
    event({ distinct_id: name, properties: { $set: { email: `${name}@x.y` } } }),
    event({ distinct_id: `${name}-2` }),
    event({ event: "$create_alias", distinct_id: `${name}-2`, properties: { alias: name } }),
    event({
      event: "$groupidentify",
      distinct_id: name,
      properties: { $group_type: "company", $group_key: `${name} ltd`, $group_set: {} },
    }),
    { ...seen, event: "" },
    seen,
  ];
  await server.capture({ api_key, batch: sent });
  const record = { severityText: "INFO", body: { stringValue: `log of ${name}` } };
  await fetch(`${server.url}/i/v1/logs?token=${api_key}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(
      logsBody([record], { attributes: attributesOf({ "service.name": name }) }),
    ),
  });
  const stored = async () =>
    ((await ask("GET", of(project, "/events/"))).body as Page<unknown>).count < 5 ||
    ((await ask("POST", of(project, "/logs/query/"), { body: {} })).body as Page<unknown>).results
      .length < 1;
  while (await stored()) await Bun.sleep(50);
  const playlists = "/session_recording_playlists/";
  const playlist = await ask("POST", of(project, playlists), { body: { name: `of ${name}` } });
  const { short_id } = playlist.body as { short_id: string };
  await ask("POST", of(project, `${playlists}${short_id}/recordings/r-${name}/`));
  const question = { kind: "TrendsQuery", series: [{ event: `seen by ${name}` }] };
  const asked = await ask("POST", of(project, "/max_tools/create_and_query_insight/"), {
    body: { query: question },
  });
  const { insight } = asked.body as { insight: { short_id: string } };
  // The first list makes the dashboard of the project.
  await ask("GET", of(project, "/dashboards/"));
  const board = { name: `board of ${name}`, tiles: [{ text: { body: `text of ${name}` } }] };
  const dashboard = await ask("POST", of(project, "/dashboards/"), { body: board });
  const annotation = await ask("POST", of(project, "/annotations/"), {
    body: { content: `note of ${name}` },
  });
  const [person] = (
    (await ask("GET", of(project, `/persons/?distinct_id=${name}`))).body as Page<Person>
  ).results;
  await ask("POST", of(project, `/persons/${person?.id}/delete_events/`));
  if (project === 1) {
    for (const [kind, { body }] of Object.entries({ dashboard, annotation })) {
      Object.assign(theirs, { [kind]: String((body as { id: number }).id) });
    }
    const queued = await ask("GET", of(project, "/persons/deletion_status/?limit=1"));
    const [deletion] = (queued.body as Page<{ id: number }>).results;
    const ids = { playlist: short_id, insight: insight.short_id, event: seen.uuid };
    Object.assign(theirs, { ...ids, deletion: String(deletion?.id) });
  }
}

/** Everything that can be read of a project, as text. */
async function everything(project: number): Promise<string> {
  const reads = OPERATIONS.filter(
    // A status has the sizes of the stores, and live events have the lag: both change by themselves.
    ([method, path]) =>
      method === "GET" && path.includes(":project_id") && !/\/(status|live)\/$/.test(path),
  );
  const texts: string[] = [];
  for (const [, path, , , , { query = "" } = {}] of reads) {
    const { status, text } = await ask("GET", named(path, project, theirs) + query);
    texts.push(`${path} ${status} ${text}`);
  }
  texts.push((await ask("POST", of(project, "/logs/query/"), { body: {} })).text);
  return texts.join("\n");
}

/** A path with ids in it; `person` is by its integer id or uuid. */
function named(
  path: string,
  project: number,
  ids: typeof theirs,
  person: "id" | "uuid" = "id",
): string {
  return path
    .replace(":project_id", String(project))
    .replace(":id", () => {
      if (path.includes("dashboards")) return person === "id" ? ids.dashboard : "x";
      if (path.includes("annotations")) return person === "id" ? ids.annotation : "x";
      return ids[person];
    })
    .replace(":short_id", path.includes("insights") ? ids.insight : ids.playlist)
    .replace(":session_recording_id", "r-ann")
    .replace(":deletion_id", ids.deletion)
    .replace(":uuid", ids.event);
}

/** An answer without what tells it from others of the same kind. */
const bare = ({ status, headers, text }: Told) => ({
  status,
  text,
  headers: [...headers.keys()].sort().join(" "),
});

describe("objects of another project", () => {
  const objects = OPERATIONS.filter(
    ([, path]) => path.includes(":project_id") && /:(id|short_id|uuid|deletion_id)\b/.test(path),
  );

  test.each(objects)(
    "are answered as absent ones: %s %s",
    async (method, path, _scope, _status, _parameters, { query = "", body } = {}) => {
      const before = await everything(1);

      for (const person of ["id", "uuid"] as const) {
        for (const asking of [undefined, key]) {
          const sent = { body, ...(asking === undefined ? {} : { key: asking }) };
          const [here, none] = [theirs, absent].map((ids) => named(path, 2, ids, person) + query);
          const found = bare(await ask(method, here ?? "", sent));
          expect(found).toEqual(bare(await ask(method, none ?? "", sent)));
          const isRefused = method === "DELETE" && /(lists|boards|tations)\/:\w+\/$/.test(path);
          expect(found.status).toBe(isRefused ? 405 : 404);
        }
      }

      expect(await everything(1)).toBe(before);
    },
  );

  test("are in no list of the project", async () => {
    for (const [path, wanted] of [
      ["/events/?event=seen by ann", "events"],
      [`/events/?uuid=${theirs.event}`, "events"],
      [`/events/?person_id=${theirs.uuid}`, "events"],
      ["/events/?distinct_id=ann", "events"],
      ["/persons/?distinct_id=ann", "persons"],
      ["/persons/?email=ann@x.y", "persons"],
      ["/persons/?search=ann@x", "persons"],
      ['/persons/?properties={"key":"email","value":"ann@x.y"}', "persons"],
      ["/persons/values/?key=email&value=ann", "values"],
      [`/persons/deletion_status/?person_uuid=${theirs.uuid}`, "deletions"],
      [`/session_recording_playlists/?short_id=${theirs.playlist}`, "playlists"],
      ["/session_recording_playlists/?search=of ann", "playlists"],
      ["/dashboards/?search=board of ann", "dashboards"],
      ["/groups/?group_type_index=0&search=ann", "groups"],
    ] as const) {
      for (const [project, found] of [
        [1, true],
        [2, false],
      ] as const) {
        const { status, body } = await ask("GET", of(project, path));
        expect([wanted, project, status]).toEqual([wanted, project, 200]);
        expect([wanted, project, (body as Page<object>).results.length > 0]).toEqual([
          ...[wanted, project],
          found,
        ]);
      }
    }
    const warnings = await Promise.all(
      [1, 2].map((project) => ask("GET", of(project, "/ingestion_warnings/"))),
    );
    expect(
      warnings.map(({ text }) => ["ann", "zoe"].filter((name) => text.includes(`"${name}"`))),
    ).toEqual([["ann"], ["zoe"]]);
  });

  test("are in no result of the project", async () => {
    const trends = { kind: "TrendsQuery", series: [{}], breakdownFilter: { breakdown: "email" } };
    const lists = (body: unknown) => (body as { results: object[] }).results;
    const asked = { query: trends };
    const [counted, drafted, named, all] = [
      await ask("POST", of(2, "/max_tools/create_and_query_insight/"), { body: asked, key }),
      await ask("GET", of(2, "/query/draft_sql/"), { key }),
      await ask("POST", of(2, "/logs/query/"), { body: { query: { serviceNames: ["ann"] } }, key }),
      await ask("POST", of(2, "/logs/query/"), { body: {}, key }),
    ];

    for (const { status, text } of [counted, drafted, named, all]) {
      expect([status, /seen by ann|log of ann|ann@/.exec(text)]).toEqual([200, null]);
    }
    expect(lists(counted.body)).toMatchObject([{ aggregated_value: 5 }]);
    expect([lists(named.body).length, lists(all.body).length]).toEqual([0, 1]);
  });

  test.each([
    ["ids", () => [Number(theirs.id), theirs.uuid]],
    ["distinct_ids", () => ["ann", "ann-2"]],
  ] as const)("are unknown to bulk_delete, by %s", async (field, ids) => {
    const before = await everything(1);

    for (const asking of [undefined, key]) {
      const deleted = await ask("POST", of(2, "/persons/bulk_delete/"), {
        body: { [field]: ids(), delete_events: true },
        ...(asking === undefined ? {} : { key: asking }),
      });
      expect(deleted).toMatchObject({
        status: 404,
        body: { code: "not_found", detail: expect.stringContaining("2") },
      });
    }

    expect(await everything(1)).toBe(before);
  });

  test("have no distinct ids that a split could take", async () => {
    const before = await everything(1);
    const [zoe] = ((await ask("GET", of(2, "/persons/?distinct_id=zoe"))).body as Page<Person>)
      .results;

    for (const asked of [
      (id: string) => ({ main_distinct_id: id }),
      (id: string) => ({ distinct_ids_to_split: [id] }),
    ]) {
      const split = (id: string) =>
        ask("POST", of(2, `/persons/${zoe?.id}/split/`), { body: asked(id) });
      expect(bare(await split("ann-2"))).toEqual(bare(await split("nobody")));
      expect((await split("ann-2")).status).toBe(400);
    }

    expect(await everything(1)).toBe(before);
  });
});

test("a key learns as little about a hidden project as about a missing one", async () => {
  for (const [method, path] of OPERATIONS.filter(([, path]) => path.includes(":project_id"))) {
    const [first, ...none] = await Promise.all(
      [1, 999, 1e20].map((project) => ask(method, named(path, project, theirs), { key })),
    );
    expect(first?.status).toBe(403);
    for (const other of none) expect(other.text).toBe(first?.text ?? "");
  }
});
