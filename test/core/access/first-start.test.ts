import { describe, expect, test } from "bun:test";
import { silentLog } from "../../../src/app/process/log.ts";
import { openAdmin, openApp } from "../../../src/app/server.ts";
import { readConfig } from "../../../src/app/settings/settings.ts";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";

describe("the keys of the settings", () => {
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

  test("are not needed: with a project from before the first start, the personal key is still made", async () => {
    using directory = temporaryDirectory();
    const bare = readConfig({ "--data": directory.path }, {}).settings;
    const environment = { now: Date.now, log: silentLog, logFormat: "json" as const };
    const admin = await openAdmin(bare, environment);
    const shop = await admin.projects.create({ name: "Shop" });
    await admin.close();

    for (const key of [expect.stringMatching(/^phx_/), undefined]) {
      const app = await openApp(bare, environment);
      expect(app.firstStart?.personal_key).toEqual(key);
      expect(await app.projects.all()).toEqual([shop]);
      await app.close(5000);
    }
  });

  test("name the owner, also where the command line made another user first", async () => {
    const settings = (data: string, email: string) =>
      readConfig({ "--data": data, "--owner-email": email }, {}).settings;
    for (const [first, second, warnings] of [
      ["zed@x.io", "boss@x.io", 0],
      ["boss@x.io", "owner@x.io", 1],
    ] as const) {
      const warned: string[] = [];
      const log = { ...silentLog, warn: (message: string) => void warned.push(message) };
      const environment = { now: Date.now, log, logFormat: "json" as const };
      using directory = temporaryDirectory();
      const admin = await openAdmin(settings(directory.path, "owner@x.io"), environment);
      const named = { label: "cli", scopes: ["*"], email: first };
      expect((await admin.keys.create(named)).made_user).toBe(first);
      await admin.close();

      const app = await openApp(settings(directory.path, "boss@x.io"), environment);
      expect((await app.users.find(1))?.email).toBe(second);
      expect((await app.users.find(2))?.email).toBe(first);
      expect(warned.filter((message) => message.startsWith("the owner's address"))).toHaveLength(
        warnings,
      );
      await app.close(5000);
    }
  });

  test("end when revoked, and the server still starts", async () => {
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
    let rotated = "";
    {
      await using app = await testApp({ data });
      rotated = (await app.app.projects.rotateKey(1)).api_token;
      expect(rotated).not.toBe(PROJECT_KEY);
    }

    await using app = await testApp({ data });

    expect(await app.app.projects.all()).toMatchObject([
      { api_token: PROJECT_KEY, former_api_tokens: [{ api_token: rotated }] },
    ]);
    expect(app.app.projects.ofKey(PROJECT_KEY)).toBe(1);
    expect(app.app.projects.ofKey(rotated)).toBe(1);
  });
});
