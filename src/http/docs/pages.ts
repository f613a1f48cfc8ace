import style from "swagger-ui-dist/swagger-ui.css" with { type: "text" };
import bundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "text" };
import type { JsonObject } from "../../core/values/json.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hoglet API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** `queryConfigEnabled` off: nobody makes the page load another document by its address. */
const START = `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
`;

/** Nothing but what this server serves; Swagger UI draws its icons from data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Swagger UI, from the executable alone, and the document it shows. */
export function docsRoutes(document: () => Promise<JsonObject>) {
  let made: Promise<JsonObject> | undefined;
  const asset = (text: string, type: string) => () =>
    new Response(text, {
      headers: {
        "content-type": `${type}; charset=utf-8`,
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-cache",
      },
    });
  return {
    "/openapi.json": async () => {
      made ??= document();
      return Response.json(await made, { headers: { "x-content-type-options": "nosniff" } });
    },
    "/docs": asset(PAGE, "text/html"),
    "/docs/swagger-ui.css": asset(style, "text/css"),
    "/docs/swagger-ui-bundle.js": asset(bundle, "text/javascript"),
    "/docs/start.js": asset(START, "text/javascript"),
  };
}
