import { expect, test } from "bun:test";
import { keyWith } from "../../support/answers/operations.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestProject, testApp } from "../../support/start/app.ts";
import { type ConsoleBrowser, SESSION, signedIn } from "../../support/start/session.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const project = sharedApp();

/** As a browser opens a page whose address was typed. */
const OPENED = { "sec-fetch-dest": "document", "sec-fetch-site": "none" };

const HOSTILE = `</script><script>alert(1)</script><!--<script> \u2028 " \\u003c &lt;`;

type Known = Record<string, { etag: string | null; body: unknown }>;

async function opened(
  { ask }: TestProject,
  path: string,
  { cookie, ...headers }: { cookie: string | undefined } & Record<string, string | undefined>,
) {
  const sent = { ...OPENED, ...headers, ...(cookie === undefined ? {} : { cookie }) };
  const page = await ask("GET", path, { key: null, headers: sent as Record<string, string> });
  const [, text] =
    /<script type="application\/json" id="known">(.*?)<\/script>/s.exec(page.text) ?? [];
  const known = text === undefined ? undefined : (JSON.parse(text) as Known);
  return { page, known, control: page.headers.get("cache-control") };
}

/** The answers of the API to a page that asks itself. */
const asksItself = async (browser: ConsoleBrowser, paths: readonly string[]) =>
  Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => {
        const { headers, body } = await browser.ask("GET", path);
        return [path, { etag: headers.get("etag"), body }] as const;
      }),
    ),
  );

test("a page that a session opens has the answers of the API, and is kept nowhere", async () => {
  const one = await project();
  await one.capture(batch(event({ event: "$pageview" })));
  const browser = await signedIn(one);
  const { body } = await browser.ask("GET", `${one.api}/dashboards/`);
  const { id } = (body as { results: { id: number }[] }).results[0] ?? {};
  const cookie = browser.cookie();
  const all = [SESSION, "/api/projects/?limit=1000"];
  const ofProject = [
    ...all,
    `/api/projects/${one.id}/status/`,
    `${one.api}/dashboards/?limit=100`,
    `${one.api}/session_recording_playlists/?limit=1`,
  ];
  for (const [path, paths] of [
    ["/console/", all],
    [`/console/${one.id}/events/`, ofProject],
    [`/console/${one.id}/dashboards/${id}/`, [...ofProject, `${one.api}/dashboards/${id}/`]],
  ] as const) {
    const { page, known, control } = await opened(one, path, { cookie });
    expect([page.status, control]).toEqual([200, "no-store"]);
    expect(Object.keys(known ?? {}).toSorted()).toEqual(paths.toSorted());
    expect(known).toEqual(await asksItself(browser, paths));
  }
  // A dashboard that is not there is left to the page.
  const { known } = await opened(one, `/console/${one.id}/dashboards/999/`, { cookie });
  expect(Object.keys(known ?? {})).toHaveLength(ofProject.length);
});

test("a page has no answers without a session, or if another page may have led to it", async () => {
  const one = await project();
  const browser = await signedIn(one);
  const cookie = browser.cookie();
  const path = `/console/${one.id}/`;
  for (const headers of [
    { cookie: undefined },
    { cookie: cookie?.replace(/=.{4}/, "=AAAA") },
    { cookie, "sec-fetch-site": "cross-site" },
    { cookie, "sec-fetch-site": "same-site" },
    { cookie, "sec-fetch-dest": "iframe" },
    { cookie, "sec-fetch-dest": "empty" },
    { cookie, "sec-fetch-dest": "" },
    { cookie, "sec-fetch-site": "" },
  ]) {
    const { page, known, control } = await opened(one, path, headers);
    expect([headers, page.status, known, control]).toEqual([headers, 200, undefined, "no-cache"]);
    expect(page.text).not.toContain(one.token);
  }
  await browser.ask("DELETE", SESSION);
  expect((await opened(one, path, { cookie })).known).toBeUndefined();
});

test("a session gets no answer for which its key lacks the right", async () => {
  const one = await project();
  const browser = await signedIn(one, await keyWith(one, { scopes: ["query:read"] }));
  const { known } = await opened(one, `/console/${one.id}/`, { cookie: browser.cookie() });
  expect(Object.keys(known ?? {})).toEqual([SESSION]);
});

test("no text in an answer ends the element that has it", async () => {
  await using one = await testApp();
  const browser = await signedIn(one);
  const renamed = await browser.ask("PATCH", "/api/projects/1/", { body: { name: HOSTILE } });
  expect(renamed.status).toBe(200);
  const made = { body: { name: HOSTILE, description: HOSTILE } };
  await browser.ask("POST", `${one.api}/dashboards/`, made);
  const { page, known } = await opened(one, "/console/1/dashboards/1/", {
    cookie: browser.cookie(),
  });
  expect(page.text.match(/<script/g)).toHaveLength(2);
  expect(page.text).not.toContain("<!--");
  expect(known?.["/api/projects/?limit=1000"]?.body).toMatchObject({
    results: [{ name: HOSTILE }],
  });
  expect(known?.["/api/environments/1/dashboards/1/"]?.body).toMatchObject({ name: HOSTILE });
});
