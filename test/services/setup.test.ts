import { describe, expect, test } from "bun:test";
import { temporaryDirectory, testApp } from "../support/app.ts";
import { PROJECT_KEY } from "../support/server.ts";

describe("the keys of the settings (decision 16)", () => {
  test("count at the first start and at every other, and are made once", async () => {
    using directory = temporaryDirectory();
    for (const first of [true, false]) {
      await using app = await testApp({ data: directory.path });
      expect(app.app.firstStart !== undefined).toBe(first);
      expect((await app.get("/persons/")).status).toBe(200);
      expect(await app.app.keys.list()).toHaveLength(1);
      expect(await app.app.projects.all()).toMatchObject([{ id: 1, api_token: PROJECT_KEY }]);
    }
  });

  test("end when revoked, and the server starts all the same", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    {
      await using app = await testApp({ data });
      await app.app.keys.revoke(1);
    }

    await using app = await testApp({ data });

    expect((await app.get("/persons/")).status).toBe(401);
    expect(await app.app.keys.list()).toEqual([]);
  });

  test("replace a project key that was rotated", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    {
      await using app = await testApp({ data });
      expect((await app.app.projects.rotateKey(1)).api_token).not.toBe(PROJECT_KEY);
    }

    await using app = await testApp({ data });

    expect(app.app.projects.ofKey(PROJECT_KEY)).toBe(1);
  });
});
