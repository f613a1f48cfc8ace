import { describe, expect, test } from "bun:test";
import { AT, RECORD_STORES, userNamed } from "../stores.ts";

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
  last_used_at: null,
  last_rolled_at: null,
});

const ROLL = { hash: "sha256$rolled", mask_value: "phx_...lled", last_rolled_at: AT };

describe.each(RECORD_STORES)("keys and users in %s", (_name, open) => {
  test("users are found by id and address; the first is the owner", async () => {
    using stores = await open();

    const ann = await stores.users.insert(userNamed("ann@x.y"));
    const bob = await stores.users.insert(userNamed("bob@x.y"));

    expect(await stores.users.owner()).toEqual(ann);
    await stores.users.rename(ann.id, "eve@x.y");
    expect(await stores.users.owner()).toEqual({ ...ann, email: "eve@x.y" });
    await stores.users.rename(ann.id, "ann@x.y");
    expect(await stores.users.byEmail("bob@x.y")).toEqual(bob);
    expect(await stores.users.find(bob.id)).toMatchObject({ hedgehog_config: { hat: ["red"] } });
    expect(await stores.users.find(9)).toBeUndefined();
    expect(stores.users.insert(userNamed("ann@x.y"))).rejects.toThrow();
  });

  test("keys are found by their hash until they are revoked, once", async () => {
    using stores = await open();
    const { id } = await stores.users.insert(userNamed("ann@x.y"));
    expect(await stores.keys.wasEverMade()).toBe(false);
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

  test("keys are found by id and listed by their user, without the revoked ones", async () => {
    using stores = await open();
    const ann = await stores.users.insert(userNamed("ann@x.y"));
    const bob = await stores.users.insert(userNamed("bob@x.y"));
    const one = await stores.keys.insert(key(ann.id, "one"));
    const two = await stores.keys.insert(key(bob.id, "two"));

    expect(await stores.keys.list(bob.id)).toEqual([two]);
    expect(await stores.keys.find(one.id)).toEqual(one);
    expect(await stores.keys.find(one.id, ann.id)).toEqual(one);
    expect(await stores.keys.find(one.id, bob.id)).toBeUndefined();
    await stores.keys.revoke(one.id, AT);
    expect(await stores.keys.find(one.id, ann.id)).toBeUndefined();
    expect(await stores.keys.list(ann.id)).toEqual([]);
  });

  test("a change of a key keeps its other fields, and a revoked key stays as it is", async () => {
    using stores = await open();
    const { id } = await stores.users.insert(userNamed("ann@x.y"));
    const one = await stores.keys.insert(key(id, "one"));

    const changes = { label: "1", scoped_teams: [3], expires_at: AT };
    expect(await stores.keys.change(one.id, changes)).toEqual({ ...one, ...changes });
    expect(await stores.keys.change(one.id, { scoped_teams: null })).toMatchObject({
      label: "1",
      scoped_teams: null,
    });
    await stores.keys.revoke(one.id, AT);
    expect(await stores.keys.change(one.id, { label: "2" })).toBeUndefined();
    expect(await stores.keys.roll(one.id, { ...ROLL, hash: "x" })).toBeUndefined();
  });

  test("a rolled key is found by its new hash, and its old one counts as revoked", async () => {
    using stores = await open();
    const { id } = await stores.users.insert(userNamed("ann@x.y"));
    const one = await stores.keys.insert(key(id, "one"));

    const rolled = await stores.keys.roll(one.id, ROLL);

    expect(rolled).toEqual({ ...one, ...ROLL });
    expect(await stores.keys.byHash("sha256$rolled")).toEqual({ ...one, ...ROLL });
    expect(await stores.keys.byHash("sha256$one")).toBeUndefined();
    expect(await stores.keys.isRevoked("sha256$one")).toBe(true);
    expect(await stores.keys.list()).toEqual([{ ...one, ...ROLL }]);
  });

  test("a key needs a user", async () => {
    using stores = await open();
    expect(stores.keys.insert(key(7, "orphan"))).rejects.toThrow();
  });
});
