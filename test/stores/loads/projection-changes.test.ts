import { expect, test } from "bun:test";
import type {
  ProjectedPerson,
  ProjectionChanges,
} from "../../../src/core/ports/persons/projection.ts";
import { joinChanges } from "../../../src/stores/loads/projection-changes.ts";

function changes(version: number, more: Partial<ProjectionChanges>): ProjectionChanges {
  return { version, persons: [], gone: [], overrides: [], groups: [], owned: [], ...more };
}

function person(id: number, more: Partial<ProjectedPerson> = {}): ProjectedPerson {
  const created_at = "2026-11-21T12:00:00.000000Z";
  const base = {
    project_id: 1,
    id,
    uuid: `uuid-${id}`,
    created_at,
    columns: "",
  };
  return { ...base, distinct_ids: [], moved: [], known: true, ...more };
}

const to = (old_person_id: string, person_id: string, project_id = 1) => ({
  project_id,
  old_person_id,
  person_id,
});

test("a person who changed twice is there once, as it is now, with all its new ids", () => {
  const made = person(1, { known: false, distinct_ids: ["a"] });
  const later = person(1, {
    columns: '"properties_0":{"n":1}',
    distinct_ids: ["b", "c"],
    moved: ["c"],
  });

  const joined = joinChanges(
    changes(1, { persons: [made, person(2)] }),
    changes(2, { persons: [later] }),
  );

  expect(joined).toEqual(
    changes(2, {
      persons: [
        person(1, {
          known: false,
          columns: '"properties_0":{"n":1}',
          distinct_ids: ["a", "b", "c"],
          moved: ["c"],
        }),
        person(2),
      ],
    }),
  );
});

test("a person who is gone is not put in the projection, and is taken out of it", () => {
  const merged = person(2, { distinct_ids: ["a"], moved: ["a"] });
  const joined = joinChanges(
    changes(1, { persons: [person(1, { distinct_ids: ["a"] })], gone: [8] }),
    changes(2, { persons: [merged], gone: [1] }),
  );
  expect(joined).toEqual(changes(2, { persons: [merged], gone: [8, 1] }));
});

test("ids that a split gave to another person are his alone", () => {
  const merged = person(1, { distinct_ids: ["a", "b"], moved: ["b"] });
  const elsewhere = person(3, { project_id: 2, distinct_ids: ["b"] });
  const restored = person(2, { distinct_ids: ["b"], moved: ["b"] });
  const owned = [{ project_id: 1, distinct_id: "b", person_id: "uuid-2" }];

  const joined = joinChanges(
    changes(1, { persons: [merged, elsewhere], gone: [2] }),
    changes(2, { persons: [person(1), restored], owned }),
  );

  expect(joined.persons).toEqual([
    person(1, { distinct_ids: ["a"], moved: ["b"] }),
    elsewhere,
    restored,
  ]);
});

test("a deletion is kept", () => {
  const deleted = changes(1, { gone: [8], deleted: true });
  expect(joinChanges(deleted, changes(2, {}))).toMatchObject({ gone: [8], deleted: true });
  expect(joinChanges(changes(0, {}), deleted)).toMatchObject({ gone: [8], deleted: true });
});

test("merges in a chain lead to the last person, in their own project only", () => {
  const joined = joinChanges(
    changes(1, { overrides: [to("a", "b"), to("x", "b", 2), to("p", "q")] }),
    changes(2, { overrides: [to("b", "c"), to("p", "r")] }),
  );
  expect(joined.overrides).toEqual([to("a", "c"), to("x", "b", 2), to("p", "r"), to("b", "c")]);
});

test("the last state of a group counts", () => {
  const group = { project_id: 1, type_index: 0, key: "acme", created_at: "", properties: "{}" };
  const joined = joinChanges(
    changes(1, { groups: [group, { ...group, key: "other" }] }),
    changes(2, { groups: [{ ...group, properties: '{"n":1}' }] }),
  );
  expect(joined.groups).toEqual([
    { ...group, properties: '{"n":1}' },
    { ...group, key: "other" },
  ]);
});
