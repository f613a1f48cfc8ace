import { expect, test } from "bun:test";
import { unmirroredPersons } from "../../../src/core/ingest/mirror-lag.ts";

test("whom a mirror of one version lacks of another is known once all between is", () => {
  const { add, watch } = unmirroredPersons();
  add({ version: 5, ids: [1, 2] });
  const { between } = watch();

  expect(between(5, 5)).toEqual([]);
  expect(between(4, 5)).toEqual([1, 2]);
  expect(between(3, 5)).toBeUndefined();
  expect(between(4, 7)).toBeUndefined();
  add({ version: 7, ids: [4] });
  expect(between(4, 7)).toBeUndefined();
  add({ version: 6, ids: [2, 3] });
  expect(between(4, 7)?.sort()).toEqual([1, 2, 3, 4]);
  expect(between(5, 6)).toEqual([2, 3]);
});

test("a watch keeps what the mirror gets meanwhile, and a later one has no more than it lacks", () => {
  const { add, reached, watch } = unmirroredPersons();
  add({ version: 1, ids: [1] });
  const early = watch();
  reached(1);
  const late = watch();
  add({ version: 2, ids: [2] });
  reached(2);

  expect(early.between(0, 2)).toEqual([1, 2]);
  expect(late.between(1, 2)).toEqual([2]);
  expect(late.between(0, 2)).toBeUndefined();
  late.end();
  add({ version: 3, ids: [3] });
  expect(late.between(2, 3)).toBeUndefined();
  expect(early.between(2, 3)).toEqual([3]);
});
