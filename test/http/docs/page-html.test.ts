import { expect, test } from "bun:test";
import { pageHtml } from "../../../src/http/docs/page-html.ts";

const page = (name: string, text: string) => ({ name, title: "A & B", about: "It is.", text });

const mainOf = (name: string, text: string) =>
  /<main>\n([\s\S]*)<\/main>/.exec(pageHtml(page(name, text), [], "/docs/"))?.[1]?.trim();

test("HTML in a page is shown as text, and code stays as it is", () => {
  expect(mainOf("keys", "a <b>b</b> `<i>`\n\n<script>alert(1)</script>")).toBe(
    "<p>a &lt;b&gt;b&lt;/b&gt; <code>&lt;i&gt;</code></p>\n<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
  );
  expect(pageHtml(page("keys", "# A"), [], "/docs/")).toContain(
    "<title>A &amp; B - Hoglet</title>",
  );
});

test.each([
  ["keys", "persons.md", "/docs/persons"],
  ["keys", "persons.md#filters", "/docs/persons#filters"],
  ["keys", "#projects", "#projects"],
  ["keys", "decisions/capture.md", "/docs/decisions/capture"],
  ["keys", "decisions/", "/docs/index#decisions"],
  ["decisions/capture", "../keys.md", "/docs/keys"],
  ["decisions/capture", "logs.md", "/docs/decisions/logs"],
  ["keys", "/docs", "/docs/../docs"],
  ["keys", "https://bun.com/docs.md", "https://bun.com/docs.md"],
])("on the page %s the link %s leads to %s", (name, href, target) => {
  expect(mainOf(name, `[x](${href})`)).toBe(`<p><a href="${target}">x</a></p>`);
});

test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example/", "mailto:a@example.com"])(
  "the link %s leads nowhere",
  (href) => {
    expect(mainOf("keys", `[x](${href})`)).toBe("<p><a>x</a></p>");
  },
);

test("a wide table scrolls by itself, and a heading can be linked to", () => {
  const html = mainOf("keys", "## Find a person\n\n| a |\n|---|\n| b |");

  expect(html).toContain('<h2 id="find-a-person">');
  expect(html).toMatch(/<div class="wide"><table>[\s\S]*<\/table><\/div>/);
});

test("the navigation has every page, and marks the current one", () => {
  const pages = [page("keys", "# Keys"), page("decisions/api", "# API")];

  const html = pageHtml(page("keys", "# Keys"), pages, "/docs/");

  expect(html).toContain('<li><a href="/docs/keys" aria-current="page">A &amp; B</a></li>');
  expect(html).toContain('<li><a href="/docs/decisions/api">A &amp; B</a></li>');
});
