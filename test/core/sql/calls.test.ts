import { expect, test } from "bun:test";
import { countedAggregates } from "../../../src/core/sql/calls.ts";
import { exactJson, type JsonObject } from "../../../src/core/values/json.ts";

const column = { class: "COLUMN_REF", alias: "", column_names: ["event"] };
const call = (function_name: string, ...children: JsonObject[]): JsonObject => {
  return { class: "FUNCTION", alias: "", function_name, schema: "", children };
};
const selecting = (...select_list: JsonObject[]): JsonObject => {
  return { error: false, statements: [{ node: { type: "SELECT_NODE", select_list } }] };
};
const written = (tree: JsonObject) => countedAggregates(exactJson(JSON.stringify(tree)));

test("min and max become the forms that the memory limit counts, and others stay", () => {
  const { tree } = written(selecting(call("MAX", column), call("count", call("min", column))));
  expect(tree).toEqual(
    selecting(call("arg_max", column, column), call("count", call("arg_min", column, column))),
  );
});

test("min and max of a cast to numbers or times stay, of one to texts do not", () => {
  const cast = (id: string) => ({ class: "CAST", child: column, cast_type: { id } });
  const fixed = call("min", cast("TIMESTAMP"));
  expect(written(selecting(fixed)).tree).toEqual(selecting(fixed));
  for (const id of ["VARCHAR", "UNBOUND", "LIST"]) {
    expect(written(selecting(call("min", cast(id)))).tree).toEqual(
      selecting(call("arg_min", cast(id), cast(id))),
    );
  }
});

test("an unnamed column gets the text of its expression", () => {
  const named = { ...call("min", column), alias: "first" };
  const { renamed } = written(selecting(column, named, call("upper", call("max", column))));
  expect(renamed.map(({ item }) => item["function_name"])).toEqual(["upper"]);
  expect(renamed[0]?.was).toMatchObject(selecting(call("upper", call("max", column))));
});

test("a number that a double cannot hold stays as it is written", () => {
  const tree =
    '{"value":170141183460469231731687303715884105727,"other":1.50,"of":[9007199254740993]}';
  expect(JSON.stringify(countedAggregates(exactJson(tree)).tree)).toBe(tree);
});
