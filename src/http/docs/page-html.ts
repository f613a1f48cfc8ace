import type { DocsPage } from "../../docs/index.ts";

/** Raw HTML in a page is shown as text. */
const OPTIONS = { noHtmlBlocks: true, noHtmlSpans: true, headings: { ids: true } } as const;

/**
 * A page of the documentation as HTML without scripts, with links to all `pages`; `docs` is the way to the
 * folder `/docs/`.
 */
export function pageHtml(page: DocsPage, pages: readonly DocsPage[], docs: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(page.title)} - Hoglet</title>
<link rel="stylesheet" href="${docs}pages.css">
<link rel="icon" href="data:,">
</head>
<body class="page">
<p class="to-pages"><a href="#pages">All pages</a></p>
<main>
${bodyOf(page, docs)}</main>
<nav id="pages" aria-label="Pages">
${navigation(page, pages, docs)}
</nav>
</body>
</html>
`;
}

/** The Markdown of a page as HTML; wide tables scroll by themselves, and links lead to the other pages. */
function bodyOf({ name, text }: DocsPage, docs: string): string {
  return new HTMLRewriter()
    .on("a", {
      element(link) {
        const target = linkTarget(link.getAttribute("href") ?? "", name);
        if (target === undefined) link.removeAttribute("href");
        else
          link.setAttribute(
            "href",
            target.replace(/^\/docs(?=$|#)/, "/docs/../docs").replace(/^\/docs\//, docs),
          );
      },
    })
    .on("table", {
      element(table) {
        table.before('<div class="wide">', { html: true });
        table.after("</div>", { html: true });
      },
    })
    .transform(Bun.markdown.html(text, OPTIONS));
}

/** Any base for relative links; only its path is used. */
const BASE = "http://hoglet";

/**
 * The address of a link on the page `name`: `keys.md#projects` is `/docs/keys#projects`, and a folder is
 * its heading in the list of pages. Undefined for a scheme other than HTTP.
 */
function linkTarget(href: string, name: string): string | undefined {
  if (/^(#|https?:\/\/)/.test(href)) return href;
  const url = URL.parse(href, `${BASE}/docs/${name}.md`);
  if (url?.origin !== BASE) return undefined;
  const folder = /^\/docs\/(\w+)\/$/.exec(url.pathname)?.[1];
  return folder === undefined
    ? url.pathname.replace(/\.md$/, "") + url.hash
    : `/docs/index#${folder}`;
}

function navigation(current: DocsPage, pages: readonly DocsPage[], docs: string): string {
  const link = ({ name, title }: DocsPage) => {
    const mark = name === current.name ? ' aria-current="page"' : "";
    return `<li><a href="${docs}${name}"${mark}>${Bun.escapeHTML(title)}</a></li>`;
  };
  const isDecision = ({ name }: DocsPage) => name.startsWith("decisions/");
  return [
    `<h2><a href="${docs}index">Hoglet</a></h2>`,
    "<ul>",
    ...pages.filter((page) => !isDecision(page)).map(link),
    `<li><a href="${docs}../docs">Try the API</a></li>`,
    "</ul>",
    "<h2>Decisions</h2>",
    "<ul>",
    ...pages.filter(isDecision).map(link),
    "</ul>",
  ].join("\n");
}
