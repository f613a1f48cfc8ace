import { expect, test } from "bun:test";
import { gainedKeys, gainKeys } from "../../../src/core/identity/merge.ts";
import { split } from "../../../src/core/identity/split.ts";
import type { KeptMerge, State, Whole } from "../../../src/core/identity/undo-merge.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";

/** Persons who merge and split, each with one distinct id that is also its uuid. */
function world(born: ReadonlyMap<string, State>) {
  const persons = new Map<string, State & { ids: string[] }>();
  for (const [id, state] of born) {
    persons.set(id, { ...state, properties: { ...state.properties }, ids: [id] });
  }
  let merges: KeptMerge[] = [];
  let last = 0;

  return {
    roots: () => [...persons.keys()],
    merges: () => merges,
    stateOf: (id: string): State | undefined => {
      const { ids: _, ...state } = persons.get(id) ?? { ids: [] };
      return "properties" in state ? state : undefined;
    },
    idsOf: (id: string) => persons.get(id)?.ids ?? [],

    merge(from: string, to: string): void {
      const [source, target] = [persons.get(from), persons.get(to)];
      if (source === undefined || target === undefined) throw new Error("Nobody");
      const gained = gainedKeys(source.properties, target.properties);
      last += 1;
      merges.push({
        ...{ id: last, target_uuid: to, source_uuid: from, source_id: 1, gained, kept: [] },
        target_created_at: target.created_at,
        target_is_identified: target.is_identified,
        source_properties: { ...source.properties },
        source_created_at: source.created_at,
        source_listed_at: null,
        source_is_identified: source.is_identified,
      });
      gainKeys(target.properties, source.properties, gained);
      if (source.created_at < target.created_at) target.created_at = source.created_at;
      target.ids.push(...source.ids);
      persons.delete(from);
    },

    split(uuid: string, leaving: string[]): void {
      const { ids, ...state } = persons.get(uuid) ?? { ids: [] };
      const whole = {
        ...(state as State),
        ...{ project_id: 1, uuid },
        ids: ids.map((distinct_id) => ({
          distinct_id,
          initial_uuid: distinct_id === uuid ? null : distinct_id,
        })),
      } satisfies Whole;
      const into = (target: string): KeptMerge[] =>
        merges
          .filter(({ target_uuid }) => target_uuid === target)
          .flatMap((merge) => [merge, ...into(merge.source_uuid)]);
      const asked = { distinct_ids_to_split: leaving };
      const done = split(
        whole,
        into(uuid).toSorted((a, b) => a.id - b.id),
        asked,
      );
      const left = new Set(done.parts.flatMap(({ distinct_ids }) => distinct_ids));
      persons.set(uuid, { ...done.rest, ids: ids.filter((id) => !left.has(id)) });
      for (const {
        uuid: part,
        properties,
        created_at,
        is_identified,
        distinct_ids,
      } of done.parts) {
        persons.set(part, { properties, created_at, is_identified, ids: distinct_ids });
      }
      const changed = new Map(done.changed.map((merge) => [merge.id, merge]));
      merges = merges
        .filter(({ id }) => !done.undone.includes(id))
        .map((merge) => changed.get(merge.id) ?? merge);
    },
  };
}

/** A person computed from its first state and the merges into it. */
function expectedOf(
  id: string,
  born: ReadonlyMap<string, State>,
  merges: readonly KeptMerge[],
): Pick<State, "properties" | "created_at"> {
  const { properties, created_at } = born.get(id) as State;
  const state = { properties: { ...properties } as JsonObject, created_at };
  for (const { source_uuid } of merges.filter(({ target_uuid }) => target_uuid === id)) {
    const source = expectedOf(source_uuid, born, merges);
    gainKeys(state.properties, source.properties, gainedKeys(source.properties, state.properties));
    if (source.created_at < state.created_at) state.created_at = source.created_at;
  }
  return state;
}

test("after a split, each person is as if the others had never been merged into it", () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const next = randomOf(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
    const names = ["a", "b", "c", "d", "e", "f"].slice(0, 3 + Math.floor(next() * 4));
    const born = new Map(
      names.map((name): [string, State] => {
        const keys = ["plan", "email", "city", "ref"].filter(() => next() < 0.5);
        const properties = Object.fromEntries(keys.map((key) => [key, pick([name, "same", 1])]));
        const created_at = `2026-11-22T${10 + Math.floor(next() * 10)}:00:00.000000Z`;
        return [name, { properties, created_at, is_identified: false }];
      }),
    );
    const people = world(born);
    for (let step = 0; step < 14; step++) {
      const roots = people.roots();
      const root = pick(roots);
      const others = people.idsOf(root).filter((id) => id !== root);
      if (roots.length > 1 && (others.length === 0 || next() < 0.6)) {
        people.merge(pick(roots.filter((one) => one !== root)), root);
      } else if (others.length > 0) {
        people.split(root, [pick(others), ...others.filter(() => next() < 0.3)]);
      }
      for (const id of people.roots()) {
        const shown = people.stateOf(id);
        expect({ seed, step, id, ...shown }).toMatchObject({
          ...{ seed, step, id },
          ...expectedOf(id, born, people.merges()),
        });
        expect(Object.keys(shown?.properties ?? {}).toSorted()).toEqual(
          Object.keys(expectedOf(id, born, people.merges()).properties).toSorted(),
        );
      }
      for (const { source_uuid, source_properties, source_created_at } of people.merges()) {
        expect({ properties: source_properties, created_at: source_created_at }).toEqual(
          expectedOf(source_uuid, born, people.merges()),
        );
      }
    }
  }
});
