import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folderOf = (name: string) =>
  dirname(Bun.resolveSync(`${name}/package.json`, import.meta.dir));

/** Bytes of a flag; a few with fine drawings have more, and are shown as the code of their country. */
const FLAG_BYTES_MAX = 1500;

/** Brands of browsers, systems and sites, by the name of their picture in simple-icons. */
const BRANDS = [
  ...["android", "apple", "facebook", "firefoxbrowser", "github", "google"],
  ...["googlechrome", "opera", "perplexity", "pinterest", "reddit"],
  ...["tiktok", "ubuntu", "x", "ycombinator", "youtube"],
];

/** Pictures that no package has, on 16 by 16. */
const OWN: Record<string, string> = {
  desktop: "M1 2h14v9H1zm1.5 1.5v6h11v-6zM5 12.5h6V14H5z",
  mobile: "M4 1h8v14H4zm1.5 1.5v9h5v-9zM7.2 12.6h1.6v1.2H7.2z",
  tablet: "M2 1h12v14H2zm1.5 1.5v9.5h9V2.5zM7.2 12.7h1.6v1.2H7.2z",
  windows: "M1 2.5l6-.8v5.8H1zm7-.9 7-1v6.9H8zM1 8.5h6v5.8l-6-.8zm7 0h7v6.9l-7-1z",
  safari:
    "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.4a5.6 5.6 0 1 1 0 11.2A5.6 5.6 0 0 1 8 2.4zM11.5 4.5 7 7l-2.5 4.5L9 9z",
};

/** Flags of countries by their code, and signs of brands and devices, as one SVG of symbols. Imported as a macro. */
export function emblems(): string {
  const flags = join(folderOf("country-flag-icons"), "3x2");
  const brands = join(folderOf("simple-icons"), "icons");
  const symbol = (id: string, svg: string) => {
    const [, box = "", inner = ""] = /viewBox="([^"]*)"[^>]*>(.*)<\/svg>/s.exec(svg) ?? [];
    return `<symbol id="${id}" viewBox="${box}">${inner.replace(/<title>.*?<\/title>/, "")}</symbol>`;
  };
  const symbols = [
    ...readdirSync(flags)
      .filter((file) => /^[A-Z]{2}\.svg$/.test(file))
      .sort()
      .map((file) => [file.slice(0, 2), readFileSync(join(flags, file), "utf8")] as const)
      .filter(([, svg]) => svg.length < FLAG_BYTES_MAX)
      .map(([code, svg]) => symbol(code, svg)),
    ...BRANDS.map((name) => symbol(name, readFileSync(join(brands, `${name}.svg`), "utf8"))),
    ...Object.entries(OWN).map(
      ([name, path]) =>
        `<symbol id="${name}" viewBox="0 0 16 16"><path fill-rule="evenodd" d="${path}"/></symbol>`,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}
