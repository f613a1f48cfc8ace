import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "text" };
import swaggerBundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "text" };
import { Failure } from "../../core/values/failure.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { INDEX, PAGES } from "../../docs/index.ts";
import { prefersType } from "../request/preferences.ts";
import { pageHtml } from "./page-html.ts";
import pageStyle from "./pages.css" with { type: "text" };

/** The page of Swagger UI; `docs` is the way to the folder of its files. */
const swaggerPage = (docs: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hoglet API</title>
<link rel="stylesheet" href="${docs}pages.css">
<link rel="stylesheet" href="${docs}swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<p class="to-pages"><a href="${docs}index">Documentation</a></p>
<div id="docs"></div>
<script src="${docs}swagger-ui-bundle.js"></script>
<script src="${docs}start.js"></script>
</body>
</html>
`;

/** `queryConfigEnabled` is off, so that no address of the page can load another document. */
const START = `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({
  url: new URL("../openapi.json", document.currentScript.src).href,
  dom_id: "#docs",
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
`;

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Swagger UI runs its own script and asks this server; the pages do neither. */
const SWAGGER_POLICY = [...POLICY, "script-src 'self'", "connect-src 'self'"];

/** An answer that may load only files of this server, by `policy`. */
function answer(text: string, type: string, policy = POLICY): Response {
  return new Response(text, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy.join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    },
  });
}

/**
 * A page by its name: as HTML if the caller prefers that, else as Markdown, and always so with `.md`.
 * Fails `not_found` on another name.
 */
function pageAnswer(request: Request, asked: string): Response {
  const name = asked.replace(/\.md$/, "");
  const page = [INDEX, ...PAGES].find((one) => one.name === name);
  if (page === undefined) {
    throw new Failure("not_found", "There is no such page. /docs/index has all of them.");
  }
  const accept = name === asked ? request.headers.get("accept") : null;
  const response = prefersType(accept, "text/html", "text/markdown")
    ? answer(pageHtml(page, PAGES, docsFrom(request)), "text/html")
    : answer(page.text, "text/markdown");
  response.headers.set("vary", "Accept");
  return response;
}

/**
 * The way from the path of a request to `/docs/`. Links are relative, because a proxy may serve Hoglet below
 * a path of its own.
 */
function docsFrom({ url }: Request): string {
  const rest = new URL(url).pathname.slice("/docs".length);
  return rest === "" ? "docs/" : "../".repeat(rest.split("/").length - 2) || "./";
}

type Context = { request: Request; params: Record<string, string> };

/** Swagger UI, the document it shows, and the pages, all from the executable. */
export function docsRoutes(document: () => Promise<JsonObject>) {
  let made: Promise<JsonObject> | undefined;
  const asset = (text: string, type: string) => () => answer(text, type, SWAGGER_POLICY);
  return {
    "/openapi.json": async () => {
      made ??= document();
      return Response.json(await made, { headers: { "x-content-type-options": "nosniff" } });
    },
    "/docs": ({ request }: Context) =>
      answer(swaggerPage(docsFrom(request)), "text/html", SWAGGER_POLICY),
    "/docs/swagger-ui.css": asset(swaggerStyle, "text/css"),
    "/docs/swagger-ui-bundle.js": asset(swaggerBundle, "text/javascript"),
    "/docs/start.js": asset(START, "text/javascript"),
    "/docs/pages.css": asset(pageStyle, "text/css"),
    "/docs/:page": ({ request, params }: Context) => pageAnswer(request, params["page"] ?? ""),
    "/docs/decisions": ({ request }: Context) => pageAnswer(request, INDEX.name),
    "/docs/decisions/:page": ({ request, params }: Context) =>
      pageAnswer(request, `decisions/${params["page"]}`),
  };
}
