import { describe, expect, test } from "bun:test";
import type { SessionRow } from "../../../src/core/ports/sessions.ts";
import { AT, RECORD_STORES, withProjects } from "../stores.ts";

const at = (second: number) => `2026-11-21T12:00:0${second}.000000Z`;

const session = (hash: string, fields: Partial<SessionRow> = {}): Omit<SessionRow, "id"> => ({
  ...{ hash, key_hash: "k", user_id: 1, method: "link", browser: "Firefox on Linux" },
  ...{ created_at: AT, last_seen_at: AT },
  ...fields,
});

const NONE = { expired: { made_before: "", seen_before: "" }, keep: 9 };

describe.each(RECORD_STORES)("sessions in %s", (_name, open) => {
  test("are found by their hash, and listed for their user, the newest first", async () => {
    using records = await withProjects(open);
    const { sessions } = records;
    const one = await sessions.insert(session("a"), NONE);
    const two = await sessions.insert(session("b"), NONE);

    expect(await sessions.byHash("a")).toEqual(one);
    expect(await sessions.byHash("c")).toBeUndefined();
    expect(await sessions.list(1)).toEqual([two, one]);
    expect(await sessions.list(2)).toEqual([]);
    await expect(sessions.insert(session("a"), NONE)).rejects.toThrow();
  });

  test("that have expired, or are too many of a user, are removed when another begins", async () => {
    using records = await withProjects(open);
    const { sessions } = records;
    await sessions.insert(session("made", { created_at: at(1), last_seen_at: at(9) }), NONE);
    await sessions.insert(session("seen", { created_at: at(9), last_seen_at: at(1) }), NONE);
    await sessions.insert(session("kept", { created_at: at(9), last_seen_at: at(9) }), NONE);
    const expired = { made_before: at(2), seen_before: at(2) };
    const hashes = async () => (await sessions.list(1)).map(({ hash }) => hash);
    await sessions.insert(session("new", { created_at: at(9), last_seen_at: at(9) }), {
      ...{ expired, keep: 9 },
    });
    expect(await hashes()).toEqual(["new", "kept"]);
    await sessions.insert(session("newer"), { ...NONE, keep: 2 });

    expect(await hashes()).toEqual(["newer", "new"]);
  });

  test("note when they were seen, and end once", async () => {
    using records = await withProjects(open);
    const { sessions } = records;
    const { id } = await sessions.insert(session("a"), NONE);
    await sessions.see(id, at(5));

    expect(await sessions.byHash("a")).toMatchObject({ last_seen_at: at(5) });
    expect(await sessions.end(id, 2)).toBe(false);
    expect([await sessions.end(id, 1), await sessions.end(id, 1)]).toEqual([true, false]);
    expect(await sessions.byHash("a")).toBeUndefined();
  });

  test("end all at once, together with links", async () => {
    using records = await withProjects(open);
    const { sessions } = records;
    await sessions.insert(session("a"), NONE);
    await sessions.insert(session("b"), NONE);
    await sessions.insertLink({ hash: "l", key_hash: "k", ends_at: at(9) }, at(0));

    expect(await sessions.endAll()).toBe(2);
    expect(await sessions.list(1)).toEqual([]);
    expect(await sessions.takeLink("l")).toBeUndefined();
  });

  test("begin by a link that is taken once; links that have ended are removed", async () => {
    using records = await withProjects(open);
    const { sessions } = records;
    const link = { hash: "l", key_hash: "k", ends_at: at(5) };
    await sessions.insertLink(link, at(0));
    expect([await sessions.takeLink("l"), await sessions.takeLink("l")]).toEqual([link, undefined]);
    await sessions.insertLink(link, at(0));
    await sessions.insertLink({ ...link, hash: "m" }, at(6));

    expect(await sessions.takeLink("l")).toBeUndefined();
    expect(await sessions.takeLink("m")).toBeDefined();
  });
});
