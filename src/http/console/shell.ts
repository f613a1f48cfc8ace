import { EMBLEMS, FONT, SCRIPTS, STYLE } from "./assets.ts";

/** The sign of the console in tabs of the browser, as in `src/console/layout/mark.tsx`. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#2b5fd9" d="M3 22 5.5 17 3.5 15.5 8 13.5 7.5 10.5 11.5 11 12.5 7.5 16 10 18.5 7 20.5 10.8 23 10c4 3 6.5 7 6.5 11l-2 3H5z"/></svg>`;

/**
 * The only page of the console; its script shows the rest. `base` is the path below which a proxy serves
 * Hoglet, without a slash at its end. `known` has answers for its caller, as JSON without `<`; nothing else in it depends on
 * the caller, so it needs no key.
 */
export function shell(base: string, version: string, known?: string): string {
  const at = Bun.escapeHTML(base);
  const data =
    known === undefined ? "" : `<script type="application/json" id="known">${known}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="hoglet-base" content="${at}">
<meta name="hoglet-emblems" content="${at}/console/assets/${EMBLEMS.name}">
<meta name="hoglet-version" content="${Bun.escapeHTML(version)}">
<title>Hoglet</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="preload" as="font" type="${FONT.type}" crossorigin href="${at}/console/assets/${FONT.name}">
<link rel="stylesheet" href="${at}/console/assets/${STYLE.name}">
<script type="module" src="${at}/console/assets/${SCRIPTS[0]?.name}"></script>
</head>
<body>
<noscript>The console of Hoglet needs JavaScript. The documentation at ${at}/docs/index does not.</noscript>
<div id="app"></div>
${data}</body>
</html>
`;
}
