import { expect, test } from "bun:test";
import { join } from "node:path";
import { INDEX, PAGES } from "../../src/docs/index.ts";
import { pageHtml } from "../../src/http/docs/page-html.ts";
import { ROOT } from "../support/start/server.ts";

test("every Markdown file is a page, with a title and one line about it", () => {
  const files = [...new Bun.Glob("**/*.md").scanSync(join(ROOT, "src/docs"))];

  expect(PAGES.map(({ name }) => `${name}.md`).sort()).toEqual(files.sort());
  for (const { name, title, about, text } of PAGES) {
    expect(text).toStartWith("# ");
    expect(title).not.toBe(name);
    expect(about).toMatch(/^[A-Z].*\.$/);
  }
});

test("every link between pages leads to a page, and to a heading of it", () => {
  const html = new Map(
    [INDEX, ...PAGES].map((page) => [`/docs/${page.name}`, pageHtml(page, PAGES, "/docs/")]),
  );
  const leadsNowhere = [...html].flatMap(([from, text]) =>
    [...text.matchAll(/<a (?:href="([^"]*)")?/g)]
      .filter(([, href = ""]) => !/^https?:/.test(href) && href !== "/docs/../docs")
      .filter(([, href = ""]) => {
        const [path = "", heading] = href.split("#");
        const target = html.get(path === "" ? from : path);
        return target === undefined || (heading && !target.includes(` id="${heading}"`));
      })
      .map(([, href]) => `${from}: ${href}`),
  );

  expect(leadsNowhere).toEqual([]);
});
