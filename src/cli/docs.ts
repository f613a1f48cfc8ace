import { closestNames } from "../core/values/similar-names.ts";
import { table } from "../core/values/table.ts";
import { PAGES } from "../docs/index.ts";
import { type Command, EXIT, UsageError } from "./command.ts";

/** How many names are offered in place of one that no page has. */
const OFFERED_MAX = 3;

/** Prints the list of all pages, or one page as it is: Markdown. */
export const docs: Command = {
  name: "docs",
  summary: "List the pages of the documentation, or print one.",
  optionalArgs: ["NAME"],
  async run({ args: [name] }, io) {
    const isList = name === undefined || /^(\/?docs\/)?index(\.md)?$/.test(name);
    const lines = isList ? pageList() : [pageText(name)];
    for (const line of lines) io.out(line);
    return EXIT.ok;
  },
};

function pageList(): string[] {
  return table(
    ["name", "about"],
    PAGES.map(({ name, about }) => [name, about]),
  );
}

/** The page with a name; links of pages to other ones, such as `keys.md` and `/docs/keys`, name it, too. */
function pageText(asked: string): string {
  const name = asked.replace(/^\/?docs\//, "").replace(/\.md$/, "");
  const page = PAGES.find((one) => one.name === name);
  if (page !== undefined) return page.text.trimEnd();
  const names = PAGES.map((one) => one.name);
  const near = closestNames(name, names).filter(({ like }) => like > 0);
  const offered = near.slice(0, OFFERED_MAX).map((one) => one.name);
  const hint = offered.length === 0 ? "See: hoglet docs." : `Did you mean ${offered.join(", ")}?`;
  throw new UsageError(`There is no page ${name}. ${hint}`);
}
