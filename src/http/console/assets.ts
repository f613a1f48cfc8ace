import { bundled } from "./bundle.ts" with { type: "macro" };

/** A file of the console. Its name changes with its content, so a browser may keep it for ever. */
export type Asset = { name: string; type: string; plain: Uint8Array; gzipped: Uint8Array };

/** The script of the console. */
export const SCRIPT = prepared("js", "text/javascript", bundled("main.tsx"));

/** The library that draws charts; the script loads it for the first chart. */
export const CHARTS = prepared("js", "text/javascript", bundled("charts/library.ts"));

/** The style of the console. */
export const STYLE = prepared("css", "text/css", bundled("styles/main.css"));

function prepared(extension: string, type: string, text: string): Asset {
  const plain = Buffer.from(text);
  const hash = new Bun.CryptoHasher("sha256").update(plain).digest("hex").slice(0, 16);
  return { name: `${hash}.${extension}`, type, plain, gzipped: Bun.gzipSync(plain, { level: 9 }) };
}
