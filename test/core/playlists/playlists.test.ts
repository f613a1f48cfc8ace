import { expect, test } from "bun:test";
import { playlists } from "../../../src/core/playlists/playlists.ts";
import { projectWrites, userWrites } from "../../../src/stores/sqlite/access.ts";
import { playlistReads, playlistWrites } from "../../../src/stores/sqlite/playlists.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";

/** Playlists in a store of their own, with two projects and a user; `bytes` are their chance. */
async function fresh(bytes: () => number) {
  const sqlite = openSqlite(":memory:");
  const created_at = "2026-11-21T12:00:00.000000Z";
  for (const name of ["first", "second"]) {
    const project = { uuid: name, name, api_token: name, timezone: "UTC", created_at };
    await projectWrites(sqlite).insert(project);
  }
  await userWrites(sqlite).insert({
    uuid: "u",
    distinct_id: "u",
    first_name: "",
    last_name: "",
    email: "a@b.c",
    is_email_verified: false,
    hedgehog_config: { hat: "red" },
    role_at_organization: "",
    created_at,
  });
  return playlists({
    reads: playlistReads(sqlite),
    writes: playlistWrites(sqlite),
    projects: { get: () => Promise.reject(new Error("no list is asked for")) },
    now: () => 0,
    randomBytes: (count) => new Uint8Array(count).fill(bytes()),
  });
}

test("a short id that the project has is drawn again; another project may have it", async () => {
  const draws = [0, 0, 0, 1, 0];
  const store = await fresh(() => draws.shift() ?? 9);

  const made = [await store.create(1, 1, {}), await store.create(1, 1, {})];
  const elsewhere = await store.create(2, 1, { deleted: false });

  expect(made.map(({ short_id }) => short_id)).toEqual(["22222222", "33333333"]);
  expect(elsewhere.short_id).toBe("22222222");
  expect(made[0]?.created_by.hedgehog_config).toEqual({ hat: "red" });
});

test("drawing short ids ends", async () => {
  const store = await fresh(() => 0);
  await store.create(1, 1, {});
  expect(store.create(1, 1, {})).rejects.toThrow("were taken");
});
