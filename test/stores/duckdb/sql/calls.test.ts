import { expect, test } from "bun:test";
import { exactJson, type JsonObject } from "../../../../src/core/values/json.ts";
import { countedAggregate } from "../../../../src/stores/duckdb/sql/calls.ts";
import { rebuilt } from "../../../../src/stores/duckdb/sql/tree.ts";

const column = { class: "COLUMN_REF", alias: "", column_names: ["event"] };
const call = (function_name: string, ...children: JsonObject[]): JsonObject => {
  return { class: "FUNCTION", alias: "", function_name, schema: "", children };
};
const selecting = (...select_list: JsonObject[]): JsonObject => {
  return { error: false, statements: [{ node: { type: "SELECT_NODE", select_list } }] };
};
const written = (tree: JsonObject) =>
  rebuilt(exactJson(JSON.stringify(tree)), countedAggregate) as JsonObject;

test("min and max become the forms that the memory limit counts, and others stay", () => {
  const tree = written(selecting(call("MAX", column), call("count", call("min", column))));
  expect(tree).toEqual(
    selecting(call("arg_max", column, column), call("count", call("arg_min", column, column))),
  );
});

test("min and max of a cast to numbers or times stay, of one to texts do not", () => {
  const cast = (id: string) => ({ class: "CAST", child: column, cast_type: { id } });
  const fixed = call("min", cast("TIMESTAMP"));
  expect(written(selecting(fixed))).toEqual(selecting(fixed));
  for (const id of ["VARCHAR", "UNBOUND", "LIST"]) {
    expect(written(selecting(call("min", cast(id))))).toEqual(
      selecting(call("arg_min", cast(id), cast(id))),
    );
  }
});

test("a number that a double cannot hold stays as it is written", () => {
  const tree =
    '{"value":170141183460469231731687303715884105727,"other":1.50,"of":[9007199254740993]}';
  expect(JSON.stringify(rebuilt(exactJson(tree), countedAggregate))).toBe(tree);
});
