import { readFileSync } from "node:fs";
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" with {
  type: "file",
};
import { bundled } from "./bundle.ts" with { type: "macro" };
import { emblems } from "./emblems.ts" with { type: "macro" };

/** A file of the console. Its name changes with its content, so a browser may keep it for ever. */
export type Asset = { name: string; type: string; plain: Uint8Array; gzipped?: Uint8Array };

/** The scripts of the console, the first page's first. They load each other by their names, which change with their content. */
export const SCRIPTS = bundled("main.tsx").map(([name, text]) => ({
  ...zipped("js", "text/javascript", text),
  name,
}));

/** Flags, and signs of brands and devices. The page asks for it once it shows one. */
export const EMBLEMS = zipped("svg", "image/svg+xml", emblems());

/** The typeface of the console: the Latin letters of Inter in all weights. Its format is compressed already. */
export const FONT = prepared("woff2", "font/woff2", readFileSync(inter));

/** A browser that has the typeface late goes on with its own, so that no text moves. */
const FACE = `@font-face{font-family:"Inter Variable";font-weight:100 900;font-display:optional;src:url(${FONT.name})format("woff2")}`;

/** The style of the console. */
export const STYLE = zipped(
  "css",
  "text/css",
  FACE +
    bundled("styles/main.css")
      .map(([, text]) => text)
      .join(""),
);

function prepared(extension: string, type: string, plain: Uint8Array): Asset {
  const hash = new Bun.CryptoHasher("sha256").update(plain).digest("hex").slice(0, 16);
  return { name: `${hash}.${extension}`, type, plain };
}

function zipped(extension: string, type: string, text: string): Required<Asset> {
  const plain = Buffer.from(text);
  const asset = prepared(extension, `${type}; charset=utf-8`, plain);
  return { ...asset, gzipped: Bun.gzipSync(plain, { level: 9 }) };
}
