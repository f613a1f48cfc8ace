import { beforeEach, expect, test } from "bun:test";
import type { TestProject } from "../../../support/start/app.ts";
import { sharedApp } from "../../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const NOON = "2026-11-21T12:00:00.000000Z";
const HOSTILE = `<img src=x onerror=alert(1)>'";--\u202e\u{1f994}`;

type Annotation = { id: number; content: string };
type Listed = { count: number; next: string | null; results: Annotation[] };

const annotationsOf = () => `${app.api}/annotations/`;
const make = async (body: object) => {
  const made = await app.ask("POST", annotationsOf(), { body });
  expect(made.status).toBe(201);
  const annotation = made.body as Annotation;
  return { annotation, address: `${annotationsOf()}${annotation.id}/` };
};
const listed = async (query = "") => (await app.ask("GET", annotationsOf() + query)).body as Listed;
const contents = async (query = "") => (await listed(query)).results.map(({ content }) => content);
const insight = async () => {
  const query = { kind: "TrendsQuery", series: [{}] };
  const { body } = await app.ask("POST", `${app.api}/insights/`, { body: { query } });
  return body as { id: number; short_id: string };
};

test("an annotation is of the project and of now, unless it says otherwise", async () => {
  const { annotation } = await make({ content: HOSTILE });

  expect(annotation).toEqual({
    content: HOSTILE,
    id: expect.any(Number),
    date_marker: NOON,
    scope: "project",
    dashboard_item: null,
    deleted: false,
    created_at: NOON,
    created_by: expect.objectContaining({ id: 1 }),
    updated_at: NOON,
  } as never);
  expect((await listed()).results).toEqual([annotation]);
});

test("an annotation may be of an insight, and is changed in the sent fields alone", async () => {
  const { id } = await insight();
  const { annotation, address } = await make({ content: "a", dashboard_item: id });
  expect(annotation).toMatchObject({ scope: "dashboard_item", dashboard_item: id });

  for (const [body, changed] of [
    [{ content: "b" }, { content: "b" }],
    [{ date_marker: "2026-11-01" }, { date_marker: "2026-11-01T00:00:00.000000Z" }],
    [{ scope: "project" }, { scope: "project", dashboard_item: null }],
    [{ scope: "dashboard_item", dashboard_item: id }, { scope: "dashboard_item" }],
    [{ dashboard_item: null }, { scope: "project", dashboard_item: null }],
    [{ deleted: true }, { deleted: true }],
    [{ deleted: false }, { deleted: false }],
    [{}, {}],
  ] as const) {
    const answered = await app.ask("PATCH", address, { body });
    expect(answered).toMatchObject({ status: 200, body: changed });
    const read = await app.ask("GET", address);
    const isDeleted = "deleted" in changed && changed.deleted;
    expect(read).toMatchObject(isDeleted ? { status: 404 } : { status: 200, body: answered.body });
  }
});

test("an annotation is deleted by PATCH, never by DELETE", async () => {
  const { address } = await make({ content: "a" });

  expect(await app.ask("DELETE", address)).toMatchObject({ status: 405, body: "" });
  await app.ask("PATCH", address, { body: { deleted: true } });
  expect([await contents(), await contents("?deleted=true")]).toEqual([[], ["a"]]);
});

test.each<[string, object, string, string]>([
  ["no text", { date_marker: "-1d" }, "required", "content"],
  ["an empty text", { content: " " }, "required", "content"],
  ["a long text", { content: "x".repeat(401) }, "too_long", "content"],
  ["an unknown time", { content: "a", date_marker: "soon" }, "invalid_input", "date_marker"],
  ["an unknown scope", { content: "a", scope: "team" }, "invalid_choice", "scope"],
  ["no insight", { content: "a", scope: "dashboard_item" }, "invalid_input", "dashboard_item"],
  ["an unknown insight", { content: "a", dashboard_item: 9e9 }, "invalid_input", "dashboard_item"],
  [
    "an insight of the project's own",
    { content: "a", scope: "project", dashboard_item: 1 },
    ...(["invalid_input", "dashboard_item"] as const),
  ],
])("an annotation is refused with %s, and unchanged", async (_what, body, code, attr) => {
  const { annotation, address } = await make({ content: "before" });

  const made = await app.ask("POST", annotationsOf(), { body });
  expect(made).toMatchObject({ status: 400, body: { code, attr } });
  if (!("content" in body)) return;
  const changed = await app.ask("PATCH", address, { body });
  expect(changed).toMatchObject({ status: 400, body: { code, attr } });
  expect((await listed()).results).toEqual([annotation]);
});

test("annotations are listed by time, the latest first, a page at a time", async () => {
  const { id } = await insight();
  await make({ content: "old", date_marker: "2026-01-01" });
  await make({ content: "exact", date_marker: "2026-11-20T23:59:59.999999Z" });
  await make({ content: "new", date_marker: "2026-11-21", dashboard_item: id });

  expect(await contents()).toEqual(["new", "exact", "old"]);
  expect(await contents("?scope=project")).toEqual(["exact", "old"]);
  expect(await contents(`?dashboard_item=${id}`)).toEqual(["new"]);
  expect(await contents("?date_from=-7d")).toEqual(["new", "exact"]);
  expect(await contents("?date_from=2026-01-01&date_to=2026-11-20")).toEqual(["exact", "old"]);
  const { next } = await listed("?limit=2");
  expect(await contents(new URL(next ?? "").search)).toEqual(["old"]);
  for (const query of ["?date_from=soon", "?date_to=", "?scope=team"]) {
    expect((await app.ask("GET", annotationsOf() + query)).status).toBe(400);
  }
});

test.each(["999999", "x", "01"])("an annotation that is absent gets 404: %s", async (id) => {
  const address = `${annotationsOf()}${id}/`;
  const changed = await app.ask("PATCH", address, { body: { content: "x" } });
  expect([changed.status, (await app.ask("GET", address)).status]).toEqual([404, 404]);
});
