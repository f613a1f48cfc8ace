import { expect, test } from "bun:test";
import { join } from "node:path";
import type { AddressPacks } from "../../../../src/core/ports/person-search.ts";
import { folded } from "../../../../src/core/values/case-folding.ts";
import { addressPacks } from "../../../../src/stores/sqlite/persons/email-index.ts";
import { personWrites } from "../../../../src/stores/sqlite/persons/writes.ts";
import { projectWrites } from "../../../../src/stores/sqlite/projects.ts";
import { openSqlite, readSqlite } from "../../../../src/stores/sqlite/sqlite.ts";
import { NO_CHANGES } from "../../../support/data/persons.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";

const AT = "2026-11-21T12:00:00.000000Z";

/** A person store with the projects 1 and 2, and addresses in memory. */
async function store(bytesMax: number) {
  const directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const writer = openSqlite(path);
  for (const name of ["one", "two"]) {
    await projectWrites(writer).insert({
      ...{ uuid: Bun.randomUUIDv7(), name, api_token: `phc_${name}` },
      ...{ timezone: "UTC", created_at: AT },
    });
  }
  const reader = readSqlite(path);
  const persons = personWrites(writer);
  const packs = addressPacks(reader, bytesMax);
  let seq = 0;
  return {
    packs,
    /** Makes persons with addresses, and says the version of the store. */
    async add(project_id: number, emails: readonly string[]): Promise<number> {
      seq += 1;
      const created = emails.map((email) => ({
        ...{ project_id, uuid: Bun.randomUUIDv7(), properties: { email } },
        ...{ created_at: AT, is_identified: false },
      }));
      return (await persons.apply({ ...NO_CHANGES, created, applied_seq: seq })).version;
    },
    [Symbol.dispose]() {
      reader.close();
      writer.close();
      directory[Symbol.dispose]();
    },
  };
}

/** Waits for what is read meanwhile; undefined if it is not in memory after a second. */
async function soon(packs: AddressPacks, project: number, search: string) {
  for (let n = 0; n < 50; n += 1) {
    const found = await packs.count(project, search);
    if (found !== undefined) return found;
    await Bun.sleep(20);
  }
  return undefined;
}

test("addresses in memory are as many with a part as there are, of one project", async () => {
  using stored = await store(10_000_000);
  const odd = ["a\nb@x", "ÄNN@x", "ann@x ann@x", "", "😀@x", "q"];
  const many = Array.from({ length: 10_000 }, (_, n) => `${n % 7 === 0 ? "Ann" : "bob"}.${n}@x.y`);
  const emails = [...many, ...odd];
  const version = await stored.add(1, emails);
  const last = await stored.add(2, ["ann@other"]);
  expect(last).toBeGreaterThan(version);

  stored.packs.missed(1);
  expect(await stored.packs.count(1, "ann")).toBeUndefined();
  stored.packs.missed(1);

  expect(await soon(stored.packs, 1, "ann")).toBeDefined();
  for (const part of ["ANN", "@", "x.y", "n.9", "änn", "a\nb", "😀", "ann@x a", "zz", "y"]) {
    const count = emails.filter((email) => folded(email).includes(folded(part))).length;
    expect([part, await stored.packs.count(1, part)]).toEqual([part, { count, version: last }]);
  }
  expect(await stored.packs.count(2, "ann")).toBeUndefined();
  stored.packs.forget(2);
  expect(await stored.packs.count(1, "zz")).toMatchObject({ count: 0 });
  stored.packs.forget(1);
  expect(await stored.packs.count(1, "zz")).toBeUndefined();
});

test("more addresses than may be held are not", async () => {
  using stored = await store(1000);
  await stored.add(
    1,
    Array.from({ length: 300 }, (_, n) => `p${n}@x.y`),
  );

  stored.packs.missed(1);
  stored.packs.missed(1);

  expect(await soon(stored.packs, 1, "p")).toBeUndefined();
});
