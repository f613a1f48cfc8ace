import { describe, expect, test } from "bun:test";
import { type KeyReads, type KeyWrites, keyReads, keyWrites } from "../../src/storage/keys.ts";
import { openSqlite } from "../../src/storage/sqlite.ts";
import { type UserReads, type UserWrites, userReads, userWrites } from "../../src/storage/users.ts";

type Stores = Disposable & { keys: KeyReads & KeyWrites; users: UserReads & UserWrites };

/** Every implementation of the stores of keys and of their owners, made anew. */
const IMPLEMENTATIONS: [string, () => Stores][] = [
  [
    "SQLite",
    () => {
      const sqlite = openSqlite(":memory:");
      return {
        keys: { ...keyReads(sqlite), ...keyWrites(sqlite) },
        users: { ...userReads(sqlite), ...userWrites(sqlite) },
        [Symbol.dispose]: sqlite.close,
      };
    },
  ],
];

const AT = "2026-11-21T12:00:00.000000Z";

const user = (email: string) => ({
  uuid: Bun.randomUUIDv7(),
  distinct_id: email,
  first_name: "",
  last_name: "",
  email,
  is_email_verified: false,
  hedgehog_config: { hat: ["red"] },
  role_at_organization: null,
  created_at: AT,
});

const key = (user_id: number, label: string) => ({
  user_id,
  label,
  hash: `sha256$${label}`,
  mask_value: "phx_...abcd",
  scopes: ["person:read"],
  scoped_teams: label === "confined" ? [1, 2] : null,
  created_at: AT,
  expires_at: null,
  revoked_at: null,
});

describe.each(IMPLEMENTATIONS)("keys and users on %s", (_name, make) => {
  test("users are found by id and address; the first is the owner", async () => {
    using stores = make();

    const ann = await stores.users.insert(user("ann@x.y"));
    const bob = await stores.users.insert(user("bob@x.y"));

    expect(await stores.users.owner()).toEqual(ann);
    expect(await stores.users.byEmail("bob@x.y")).toEqual(bob);
    expect(await stores.users.find(bob.id)).toMatchObject({ hedgehog_config: { hat: ["red"] } });
    expect(await stores.users.find(9)).toBeUndefined();
    expect(stores.users.insert(user("ann@x.y"))).rejects.toThrow();
  });

  test("keys are found by their hash until they are revoked, once", async () => {
    using stores = make();
    const { id } = await stores.users.insert(user("ann@x.y"));
    const one = await stores.keys.insert(key(id, "one"));
    const confined = await stores.keys.insert(key(id, "confined"));

    expect(await stores.keys.byHash("sha256$confined")).toEqual(confined);
    expect(confined).toMatchObject({ scopes: ["person:read"], scoped_teams: [1, 2] });
    expect(await stores.keys.list()).toEqual([one, confined]);

    expect(await stores.keys.revoke(one.id, AT)).toMatchObject({ revoked_at: AT });
    expect(await stores.keys.revoke(one.id, AT)).toBeUndefined();
    expect(await stores.keys.byHash("sha256$one")).toBeUndefined();
    expect(await stores.keys.list()).toEqual([confined]);
  });

  test("a key belongs to a user that there is", async () => {
    using stores = make();
    expect(stores.keys.insert(key(7, "orphan"))).rejects.toThrow();
  });
});
