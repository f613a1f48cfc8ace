import { describe, expect, test } from "bun:test";
import { concrete, OPERATIONS, projectsOf, type Row } from "../support/answers/operations.ts";
import { testApp } from "../support/start/app.ts";
import { sharedApp } from "../support/start/shared-app.ts";

const newProject = sharedApp();
const projectOf = projectsOf(newProject);

const hasBody = ([method, , , success]: Row) =>
  (method === "POST" || method === "PATCH") && success < 400;
const REPRESENTED = { prefer: "return=representation" };

/** Operations that take no body, and do not read what is sent. */
const BODILESS = /\/(?:cancel|roll)\/$/;

describe.each(OPERATIONS.filter((row) => hasBody(row) && !BODILESS.test(row[1])))(
  "%s %s",
  (...row) => {
    const [method, path, , , , asked = {}] = row;

    test("refuses a field that it would drop, by its name", async () => {
      const { own, ids } = await projectOf(row);
      for (const name of ["surprise", "nmae", "constructor"]) {
        const body = { ...asked.body, [name]: "x" };
        const sent = { body, headers: REPRESENTED };
        const answered = await own.ask(method, concrete(path, ids) + (asked.query ?? ""), sent);
        expect([name, answered]).toMatchObject([name, { status: 400, body: { attr: name } }]);
      }
    });
  },
);

/** Things that are read and changed at one path. */
const THINGS = OPERATIONS.filter(
  ([method, path]) =>
    method === "PATCH" && OPERATIONS.some(([other, same]) => other === "GET" && same === path),
);

describe.each(THINGS)("%s %s", (...row) => {
  const [, path, , , , asked = {}] = row;
  const isTable = path.includes("property_definitions");

  test("sent as it was read, it stays the same", async () => {
    const { own, ids } = await projectOf(row);
    const at = concrete(path, ids);
    const { body } = await own.ask("GET", at);
    const answered = await own.ask("PATCH", at, { body: body as object });
    expect(answered.status).toBe(200);
    const { body: after } = await own.ask("GET", at);
    const steady = ({ ...thing }: object) => ({ ...thing, last_modified_at: 0 });
    expect(steady(after as object)).toEqual(steady(body as object));
  });

  test("refuses another value of what the server sets", async () => {
    if (isTable) return;
    const { own, ids } = await projectOf(row);
    const at = concrete(path, ids);
    for (const name of ["id", "created_at", "count"]) {
      const { body } = await own.ask("GET", at);
      if (!Object.hasOwn(body as object, name)) continue;
      const answered = await own.ask("PATCH", at, { body: { ...(body as object), [name]: 7 } });
      expect([name, answered]).toMatchObject([name, { status: 400, body: { attr: name } }]);
    }
  });

  test("is changed by If-Match only if it is as it was read", async () => {
    const { own, ids } = await projectOf(row);
    const at = concrete(path, ids);
    const etag = async () => (await own.ask("GET", at)).headers.get("etag") ?? "";
    const change = (tag: string) =>
      own.ask("PATCH", at, { body: asked.body ?? {}, headers: { "if-match": tag } });
    const stale = (await etag()).replace(/^"./, '"-');

    const refused = await change(stale);
    expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((refused.body as { detail: string }).detail).toContain("Changed since it was read: ");
    for (const form of ["NOW", "W/NOW", '"old", NOW', "*"]) {
      const { status } = await change(form.replace("NOW", await etag()));
      expect([form, status]).toEqual([form, 200]);
    }
  });
});

const DELETED = OPERATIONS.filter(
  ([method, path, , success]) =>
    method === "DELETE" && success < 400 && THINGS.some(([, same]) => same === path),
);

test.each(DELETED.map((row) => [row[1], row] as const))(
  "DELETE %s is checked by If-Match",
  async (path, row) => {
    // The deleted key may be that of the tests.
    await using app = await testApp();
    const { own, ids } = await projectsOf(app.project)(row);
    const at = concrete(path, ids);
    const tag = (await own.ask("GET", at)).headers.get("etag") ?? "";
    const remove = (wanted: string) => own.ask("DELETE", at, { headers: { "if-match": wanted } });

    expect(await remove('"old"')).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await own.ask("GET", at)).status).toBe(200);
    expect((await remove(tag)).status).toBe(row[3]);
  },
);

test("a change that has no version refuses If-Match", async () => {
  const own = await newProject();
  const sent = { body: { name: "one" }, headers: { "if-match": '"old"' } };
  const refused = await own.ask("POST", `${own.api}/dashboards/`, sent);
  expect(refused).toMatchObject({ status: 400, body: { attr: "If-Match" } });
});

test("a wrong If-Match is refused with the form of an ETag, or without names of fields", async () => {
  const own = await newProject();
  const { body } = await own.ask("POST", `${own.api}/dashboards/`, { body: { name: "one" } });
  const at = `${own.api}/dashboards/${(body as { id: number }).id}/`;
  const change = (headers: Record<string, string>) =>
    own.ask("PATCH", at, { body: { name: "two" }, headers });
  for (const tag of ["abc", "a.b.c", '"open', "W/abc", ""]) {
    const refused = await change({ "if-match": tag });
    expect([tag, refused]).toMatchObject([tag, { status: 400, body: { attr: "If-Match" } }]);
    expect((refused.body as { detail: string }).detail).toContain("in double quotes");
  }
  for (const tag of ['"abc"', '"a.b"', '"x", "y"']) {
    const refused = await change({ "if-match": tag });
    expect([tag, refused]).toMatchObject([tag, { status: 409, body: { attr: "If-Match" } }]);
    expect((refused.body as { detail: string }).detail).not.toContain("Changed since");
  }
  for (const name of ["If-Unmodified-Since", "If-None-Match"]) {
    const refused = await change({ [name]: "*" });
    expect(refused).toMatchObject({ status: 400, body: { attr: name } });
  }
  expect((await own.ask("GET", at)).body).toMatchObject({ name: "one" });
  // It is never deleted by DELETE, whatever its version.
  const removed = await own.ask("DELETE", at, { headers: { "if-match": '"abc"' } });
  expect(removed.status).not.toBe(400);
});

test("a thing without a change since it was read is answered by 304", async () => {
  const own = await newProject();
  const { body } = await own.ask("POST", `${own.api}/dashboards/`, { body: { name: "one" } });
  const at = `${own.api}/dashboards/${(body as { id: number }).id}/`;
  const tag = (await own.ask("GET", at)).headers.get("etag") ?? "";
  const again = (known: string) => own.ask("GET", at, { headers: { "if-none-match": known } });
  for (const known of [tag, `W/${tag}`, `"old", ${tag}`, "*"]) {
    const same = await again(known);
    expect([known, same.status, same.headers.get("etag")]).toEqual([known, 304, tag]);
  }
  expect((await again('"old"')).status).toBe(200);
  await own.ask("PATCH", at, { body: { name: "two" } });
  expect(await again(tag)).toMatchObject({ status: 200, body: { name: "two" } });
});

test("a second save is refused, and names the user of the first", async () => {
  const own = await newProject();
  const series = [{ kind: "EventsNode", event: "a" }];
  const query = { kind: "TrendsQuery", series };
  const made = await own.ask("POST", `${own.api}/insights/`, { body: { query, name: "one" } });
  const { short_id, id } = made.body as { short_id: string; id: number };
  const at = `${own.api}/insights/${short_id}/`;
  const tag = (await own.ask("GET", at)).headers.get("etag") ?? "";
  const save = (name: string, path = at, headers: Record<string, string> = { "if-match": tag }) =>
    own.ask("PATCH", path, { body: { name }, headers });

  const byNumber = `${own.api}/insights/${id}/`;
  const both = await Promise.all([save("two"), save("three", byNumber)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const { body } = both.find(({ status }) => status === 409) ?? {};
  expect(body).toMatchObject({
    code: "conflict",
    attr: "name",
    detail: expect.stringMatching(/: name\. It was last modified by \S+ at 20\S+Z\. /),
  });
  // Without If-Match the last one counts, and the integer id is another name of the same.
  const last = await save("four", byNumber, {});
  expect(last).toMatchObject({ status: 200, body: { name: "four" } });
  const fresh = { "if-match": last.headers.get("etag") ?? "" };
  expect((await save("five", at, fresh)).status).toBe(200);
});

test("a dashboard is taken as it was read, also when it comes back, and its insights by their ids", async () => {
  const own = await newProject();
  const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
  const insight = (await own.ask("POST", `${own.api}/insights/`, { body: { query } }))
    .body as object;
  const tiles = [{ insight }, { text: { body: "note" } }];
  const made = await own.ask("POST", `${own.api}/dashboards/`, { body: { name: "d", tiles } });
  expect(made.status).toBe(201);
  const board = made.body as { id: number; tiles: { id: number; insight: object }[] };
  const at = `${own.api}/dashboards/${board.id}/`;
  const patch = (body: object) => own.ask("PATCH", at, { body });

  const [tile] = board.tiles;
  for (const [sent, attr] of [
    [{ tiles: [{ ...tile, insight: { ...tile?.insight, name: "x" } }] }, "tiles__0__insight__name"],
    [{ tiles: [{ ...tile, show_description: true }] }, "tiles__0__show_description"],
    [{ tiles: [{ id: tile?.id, layouts: { md: { x: 0 } } }] }, "tiles__0__layouts__md"],
    [{ _create_in_folder: "Marketing" }, "_create_in_folder"],
  ] as const) {
    expect(await patch(sent)).toMatchObject({ status: 400, body: { attr } });
  }
  expect((await patch({ ...board, deleted: true })).status).toBe(200);
  const deleted = (await own.ask("GET", `${own.api}/dashboards/?deleted=true`)).body;
  const [row] = (deleted as { results: object[] }).results;
  expect(await patch({ ...row, deleted: false })).toMatchObject({ status: 200 });
});
