import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { METRICS } from "../../src/core/operations/metric-definitions.ts";
import { ROOT } from "../support/start/server.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const sources = [...new Bun.Glob("src/**/*.ts").scanSync(ROOT)].map(read).join("\n");

test("links of the README lead to files that exist", () => {
  const links = [...read("README.md").matchAll(/\]\((?!https?:)([^)\s]+)\)/g)];

  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(([, path = ""]) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** Texts in backticks of a page. */
const codeOf = (page: string) =>
  [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);

describe("a page for developers", () => {
  test.each(["architecture", "contributing"])("%s names files and folders that exist", (name) => {
    const paths = codeOf(`src/docs/${name}.md`)
      .map((code) => code.replace(/<noun>/g, "playlists"))
      .filter((code) =>
        /^[\w./-]+(\.ts|\/)$|^(test|scripts|src|stores|core|http|app)\/[\w/-]+$/.test(code),
      );
    const missing = paths.filter((path) =>
      ["src", "."].every((folder) => !existsSync(join(ROOT, folder, path))),
    );
    expect(paths.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });
});

/** The first column of the table under a heading of the page on operations, without backticks. */
function namedUnder(heading: string): string[] {
  const section =
    read("src/docs/operations.md").split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const cells = [...section.matchAll(/^\| (`.+?`) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
}

describe("the page on operations", () => {
  test.each(["Log", "Health"])("quotes under %s only lines that the server writes", (heading) => {
    const lines = namedUnder(heading);

    expect(lines.length).toBeGreaterThan(4);
    expect(lines.filter((line) => !sources.includes(line))).toEqual([]);
  });

  test("names only metrics that the server has", () => {
    const names = namedUnder("Metrics");

    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
  });
});
