import { expect, test } from "bun:test";
import { run } from "../../src/cli/run.ts";
import { PAGES } from "../../src/docs/index.ts";

async function docs(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(["docs", ...args], {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    unprinted: async () => undefined,
    isNowhere: false,
    isTerminal: false,
    env: {},
  });
  return { code, out, err };
}

test("lists every page with a line about it", async () => {
  const { code, out } = await docs();

  expect([code, out.length]).toEqual([0, PAGES.length + 1]);
  for (const { name, about } of PAGES) {
    expect(out.some((line) => line.startsWith(`${name} `) && line.endsWith(about))).toBe(true);
  }
});

test("prints a page as it is", async () => {
  const { text = "" } = PAGES.find(({ name }) => name === "decisions/capture") ?? {};

  const { code, out } = await docs("decisions/capture");

  expect([code, `${out.join("\n")}\n`]).toEqual([0, text]);
});

test.each([
  ["person", "There is no page person. Did you mean persons, "],
  ["send_events", "There is no page send_events. Did you mean send-events?"],
  ["capture", "There is no page capture. Did you mean decisions/capture"],
  ["zzz", "There is no page zzz. See: hoglet docs."],
])("offers the nearest names for %s", async (name, sentence) => {
  const { code, out, err } = await docs(name);

  expect([code, out]).toEqual([2, []]);
  expect(err.join("\n")).toStartWith(sentence);
});

test("refuses two names", async () => {
  expect(await docs("persons", "logs")).toMatchObject({
    code: 2,
    err: ["Usage: hoglet docs [NAME]"],
  });
});

test("a page is named as links name it, too, and the index is the list", async () => {
  const plain = await docs("keys");
  for (const name of ["keys.md", "/docs/keys", "docs/keys.md"]) {
    expect(await docs(name)).toEqual(plain);
  }
  expect(await docs("index.md")).toEqual(await docs());
});
