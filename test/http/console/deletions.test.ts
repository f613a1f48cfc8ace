import { describe, expect, test } from "bun:test";
import { personUuid } from "../../../src/core/identity/person.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestProject, testApp } from "../../support/start/app.ts";
import { consoleBrowser, SESSION, signedIn } from "../../support/start/session.ts";

const RUN = "/console/api/deletions/run/";

/** A browser that signed in with a link of the command line. */
async function linked(app: TestProject, draft: { key?: string } = {}) {
  const { secret } = await app.app.sessions.makeLink(draft);
  const browser = consoleBrowser(app);
  const { body } = await browser.ask("POST", SESSION, { body: { link: secret } });
  return { browser, own: body as { runs_deletions: boolean } };
}

describe("deleting at once", () => {
  test("works for a session of a link with all rights", async () => {
    await using app = await testApp();
    await app.capture(batch(event()));
    await app.ask("DELETE", `${app.api}/persons/${personUuid(app.id, "ann")}/?delete_events=true`);
    const { browser, own } = await linked(app);
    const receipt = async () => {
      const { body } = await app.get("/persons/deletion_status/");
      const [one] = (body as { results: { status: string; counts: unknown }[] }).results;
      return one;
    };
    expect(await receipt()).toMatchObject({ status: "pending" });

    expect(own.runs_deletions).toBe(true);
    expect((await browser.ask("POST", RUN)).status).toBe(204);
    while ((await receipt())?.status === "pending") await Bun.sleep(5);
    expect(await receipt()).toMatchObject({ status: "completed", counts: { events: 1 } });
  });

  test("is refused to a key, a session of a key, and a link with fewer rights", async () => {
    await using app = await testApp();
    const narrow = await app.app.keys.create({ label: "ci", scopes: ["person:write"] });
    const callers = [await signedIn(app), (await linked(app, { key: narrow.value })).browser];

    for (const browser of callers) {
      expect((await browser.ask("GET", SESSION)).body).toMatchObject({ runs_deletions: false });
      const refused = await browser.ask("POST", RUN);
      expect(refused).toMatchObject({ status: 403, body: { code: "permission_denied" } });
    }
    expect((await app.ask("POST", RUN)).status).toBe(401);
    expect((await consoleBrowser(app).ask("POST", RUN)).status).toBe(401);
  });
});
