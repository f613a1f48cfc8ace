/**
 * Writes the catalogue of the texts that the console shows, `src/console/texts.md`: `bun scripts/build/console-texts.ts`.
 * Texts stand in the source where they are used. The catalogue has all of them in one place, to be read as a whole.
 */

import { join } from "node:path";
import ts from "typescript-5";

const CONSOLE = join(import.meta.dir, "../../src/console");

/** Where the catalogue is. */
export const CATALOGUE = join(CONSOLE, "texts.md");

/** Attributes whose values nobody reads. */
const SILENT =
  /^(class|id|key|href|style|type|role|name|rel|target|kind|icon|d|viewBox|for|src|media|autocomplete|inputMode|method|scope|stroke.*|fill.*|x1|x2|y1|y2|aria-(?!label$|roledescription$).*|data-.*)$/;

/** The catalogue: the texts of each file, in the order of the source, each once a file. */
export async function consoleTexts(): Promise<string> {
  const files = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(CONSOLE)]
    .filter((file) => !/^api\/types\.ts$|\.d\.ts$/.test(file))
    .sort();
  const parts: string[] = [];
  for (const file of files) {
    const texts = textsOf(file, await Bun.file(join(CONSOLE, file)).text());
    if (texts.length > 0) parts.push(`## ${file}\n\n${texts.map((one) => `- ${one}`).join("\n")}`);
  }
  return `${HEAD}\n\n${parts.join("\n\n")}\n`;
}

const HEAD = `# Texts of the console

Every text that the console shows, by file. \`bun scripts/build/console-texts.ts\` writes this page from the source.
When you change a text, read its neighbours here. \`{…}\` stands for a value.`;

/** The texts of a file. Text and values between the tags of one element are one text. */
export function textsOf(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const add = (text: string) => {
    const line = text.replace(/\s+/g, " ").trim();
    if (isProse(line)) texts.push(line);
  };
  const visit = (node: ts.Node): void => {
    if (isSilent(node)) return;
    // Words that are searched, and not shown.
    if (ts.isVariableDeclaration(node) && node.name.getText() === "ALSO") return;
    // The first argument of a load is its key.
    const isLoad =
      ts.isCallExpression(node) && /^use(Load|Polled)$/.test(node.expression.getText());
    if (isLoad) {
      for (const argument of node.arguments.slice(1)) visit(argument);
      return;
    }
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      add(ownText(node));
      if (ts.isJsxElement(node)) visit(node.openingElement);
      for (const child of node.children) if (!ts.isJsxText(child)) visit(child);
      return;
    }
    if (ts.isStringLiteralLike(node)) add(node.text);
    if (ts.isTemplateExpression(node)) {
      add(node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join(""));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...new Set(texts)];
}

/** The text directly between the tags of an element. */
function ownText({ children }: ts.JsxElement | ts.JsxFragment): string {
  if (!children.some((child) => ts.isJsxText(child) && /\p{L}/u.test(child.text))) return "";
  const parts = children.map((child) => {
    if (ts.isJsxText(child)) return child.text.replace(/\n\s*/g, " ");
    if (!ts.isJsxExpression(child)) return child.getText().replace(/<[^>]*>/g, "");
    const isText = child.expression !== undefined && ts.isStringLiteralLike(child.expression);
    return isText ? (child.expression as ts.StringLiteral).text : "{…}";
  });
  return parts.join("");
}

/** Whether nobody reads the strings in a node: imports, types, comparisons, names of properties, and attributes. */
function isSilent(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isJsxAttribute(node)) return SILENT.test(node.name.getText());
  return false;
}

/** Whether a string is a text for people: words with a blank between them, or one word with a capital letter. */
const isProse = (text: string) =>
  /\p{L}{2}/u.test(text) &&
  !/^(SELECT|UNION) |^[#./?&@$<-]|^[A-Z]+$|^(Arrow|Escape|Enter|Home|End|Page|Tab$)|[{};=]{2}|^\w+Query$|^Actions[A-Z]/.test(
    text,
  ) &&
  (/^\p{Lu}[\p{L}’']+$/u.test(text) ||
    /\p{L}[\p{L},.:;]* \p{L}|\p{L} \{…\}|\{…\} \p{L}/u.test(text));

if (import.meta.main) await Bun.write(CATALOGUE, await consoleTexts());
