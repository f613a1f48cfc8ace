import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { turnOf } from "../../support/start/rounds.ts";

/** Builds that are counted, or are the time, or a commit: of two the longer number is the larger. */
const VERSIONS = [
  ...[
    ...["0.0.0", "0.0.0-a", "0.0.99999999999999999999-rc", "1.2.3", "1.2.999999999"],
    "1.2.1000000000",
  ],
  ...["1.2.9007199254740992", "1.2.9007199254740993", "1.2.20261123023515", "v1.20261123.0"],
  ...[
    "12345678901.0.0",
    "123456789012.0.0-beta",
    `1.2.${"9".repeat(38)}`,
    `1.2.1${"0".repeat(37)}`,
  ],
];

/** One number has more than 38 digits, so these are no versions. */
const TOO_LONG = [
  ...[
    "10.170141183460469231731687303715884105728.2",
    "170141183460469231731687303715884105727.0.0",
  ],
  ...[`1.2.1${"0".repeat(38)}`, `1.2.2${"0".repeat(38)}`, `1.2.1${"0".repeat(38)}-rc`],
  ...[`1.${"9".repeat(39)}.0`, `${"9".repeat(60)}.0.0`],
];

/** By hand: the numbers one after the other, and then a pre-release before the release. */
function partsOf(version: string): bigint[] {
  const [numbers = "", pre] = version.replace("v", "").split("-");
  return [...numbers.split(".").map(BigInt), pre === undefined ? 1n : 0n];
}

function compared(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : Number((a[at] ?? 0n) > (b[at] ?? 0n)) * 2 - 1;
}

const OPERATORS: Record<string, (order: number) => boolean> = {
  semver_eq: (order) => order === 0,
  semver_neq: (order) => order !== 0,
  semver_gt: (order) => order > 0,
  semver_gte: (order) => order >= 0,
  semver_lt: (order) => order < 0,
  semver_lte: (order) => order <= 0,
};

describe("versions of long numbers", () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await testApp();
    const events = [...VERSIONS, ...TOO_LONG].map((build) =>
      event({ event: "built", distinct_id: build, properties: { build, $set: { build } } }),
    );
    await app.capture(batch(...events));
  });

  afterAll(() => app[Symbol.asyncDispose]());

  const post = async (path: string, body: unknown) => {
    const { status, body: answer } = await app.ask("POST", `/api/environments/1${path}`, {
      body,
      headers: { prefer: "return=representation" },
    });
    expect({ status, answer }).toMatchObject({ status: 200 });
    return answer;
  };

  test.each(Object.entries(OPERATORS))("%s", async (operator, passes) => {
    for (const value of turnOf(VERSIONS, Object.keys(OPERATORS).indexOf(operator), 2)) {
      const expected = VERSIONS.filter((version) => passes(compared(version, value)));
      // A text that is no version passes every negated test.
      if (operator === "semver_neq") expected.push(...TOO_LONG);
      const filter = { key: "build", operator, value };
      const properties = encodeURIComponent(JSON.stringify([{ ...filter, type: "person" }]));
      const { body } = await app.get(`/persons/?properties=${properties}`);
      const persons = (body as { results: { properties: { build: string } }[] }).results;
      const answer = (await post("/max_tools/create_and_query_insight/", {
        insight_type: "trends",
        query: {
          ...{ kind: "TrendsQuery", series: [{ event: "built" }], dateRange: { date_from: "-1d" } },
          properties: [{ ...filter, type: "event" }],
        },
      })) as { results: { aggregated_value: number }[]; sql: string };
      const drafted = (await post("/query/", {
        query: { kind: "SQLQuery", query: answer.sql },
      })) as { columns: string[]; results: unknown[][] };
      const [whole] = drafted.results.filter(
        (row) => row[drafted.columns.indexOf("bucket")] === null,
      );

      expect([value, persons.map((one) => one.properties.build).toSorted()]).toEqual([
        ...[value, expected.toSorted()],
      ]);
      expect([value, answer.results[0]?.aggregated_value ?? 0]).toEqual([value, expected.length]);
      expect([value, whole?.[drafted.columns.indexOf("value")] ?? 0]).toEqual([
        ...[value, expected.length],
      ]);
    }
  });
});
