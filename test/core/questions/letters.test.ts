import { expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { testApp } from "../../support/start/app.ts";

test("a letter is a value where its property is named", async () => {
  await using app = await testApp();
  const sold = (size: unknown, distinct_id: string) =>
    event({ event: "shirt sold", distinct_id, properties: { size, grade: "a" } });
  await app.capture(
    batch(sold("S", "ann"), sold("M", "ann"), sold("S", "bob"), sold(["S"], "cat")),
  );
  const ask = async (query: string) => {
    const body = { query: { kind: "WordsQuery", query } };
    const answer = await app.ask("POST", `${app.api}/query/`, { body });
    const { results, code } = answer.body as {
      results?: { aggregated_value: number }[];
      code?: string;
    };
    return results?.[0]?.aggregated_value ?? code;
  };

  expect(await ask("shirt sold where size is s last 7 days")).toBe(2);
  expect(await ask("shirt sold where size is M last 7 days")).toBe(1);
  expect(await ask("shirt sold where grade is a last 7 days")).toBe(4);
  expect(await ask("shirt sold where size is q last 7 days")).toBe("invalid_input");
});
