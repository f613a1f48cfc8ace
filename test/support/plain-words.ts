import ts from "typescript-5";

/** Phrases that plain sentences do not need. Names, comments, messages and pages are read by strangers. */
const BANNED: readonly RegExp[] = [
  /(^|\. |: )(What|Who) (?![^.?]*\?)/i,
  /\bwhat (is|was|has|had|came|comes|waits|fails|remains|leaves)\b/i,
  /\b(no|some)body\b/i,
  /\btold\b/i,
  /\bbehind\b(?! (an?|the|your|reverse)\b.{0,12}prox)/i,
  /\b(is|are|has|have) none\b/i,
  /\bthose (who|that)\b|\bthe (one|others) (who|that)\b/i,
  /\b(who|what)(so)?ever\b/i,
  /\banew\b/i,
  /\bbeside\b/i,
  /\bis (looked|waited|gathered)\b|\bhow (often|long) (is|are) \w+ed\b/i,
  /\b(by and by|all the same|as good as|for good|at hand|in vain)\b/i,
  /\baside\b/i,
  /\b(what|all|than|as) there (is|are|was)\b/i,
  /\blet(s|ting)? go\b|\bgiv(es?|en|ing) back\b/i,
];

/** A comment, string or paragraph, on one line. */
type Phrase = { line: number; text: string };

/** The phrases of a file that are banned, as `line: phrase`. */
export function bannedPhrases(path: string, text: string): string[] {
  const phrases = path.endsWith(".md") ? phrasesOfMarkdown(text) : phrasesOfCode(text);
  return phrases
    .filter((phrase) => BANNED.some((pattern) => pattern.test(withoutQuotes(phrase.text))))
    .map(({ line, text: phrase }) => `${path}:${line}: ${phrase}`);
}

/** A phrase without code and without quotes of other texts. */
function withoutQuotes(phrase: string): string {
  return phrase.replace(/`[^`]*`|"[^"]*"/g, '""');
}

const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Paragraphs, list items and table cells of Markdown, without blocks of code. */
function phrasesOfMarkdown(text: string): Phrase[] {
  const phrases: Phrase[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [index, line] of text.split("\n").entries()) {
    const isFence = line.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.trim() === "") {
      isOpen = false;
      continue;
    }
    const isTable = line.startsWith("|");
    const last = phrases.at(-1);
    if (isOpen && last !== undefined && !isTable && !/^\s*([-*]|\d+\.) /.test(line)) {
      last.text = `${last.text} ${line.trim()}`;
      continue;
    }
    const cells = isTable ? line.split("|") : [line.replace(/^\s*(#+|[-*]|\d+\.) /, "")];
    phrases.push(...cells.map((cell) => ({ line: index + 1, text: cell.trim() })));
    isOpen = !isTable;
  }
  return phrases;
}

/** Comments of TypeScript, and strings of three words or more. */
function phrasesOfCode(text: string): Phrase[] {
  const literals = literalsIn(text);
  const strings = literals
    .map(({ line, text: literal }) => ({ line, text: onOneLine(literal) }))
    .filter((phrase) => phrase.text.split(" ").length >= 3);
  let comments = text;
  for (const { start, end } of literals) {
    const blank = text.slice(start, end).replace(/[^\n]/g, " ");
    comments = comments.slice(0, start) + blank + comments.slice(end);
  }
  return [...commentsIn(comments), ...strings];
}

type Literal = Phrase & { start: number; end: number };

/** Strings, parts of templates and regular expressions; the text of the latter is empty. */
function literalsIn(text: string): Literal[] {
  const file = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest);
  const literals: Literal[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);
    if (isText || ts.isRegularExpressionLiteral(node)) {
      const start = node.getStart(file);
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      literals.push({ line, text: isText ? node.text : "", start, end: node.end });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return literals;
}

/** Comments of a text that has no literals; those of one line that follow each other are one. */
function commentsIn(text: string): Phrase[] {
  const blocks = text.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*(?:\n *\/\/.*)*/g);
  return [...blocks].map(({ 0: block, index }) => ({
    line: text.slice(0, index).split("\n").length,
    text: onOneLine(block.replace(/^\s*\/\*\*?|\*\/$|^\s*\/\/|^\s*\*(?= |$)/gm, " ")),
  }));
}

/** References that only this project's own papers explain. */
const PRIVATE = /\([A-Z]\d+\)|\bdecisions? \d/;

/** The names of tests that are banned, as `line: name`. */
export function bannedTestNames(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) ? node.arguments : [];
    if (
      ts.isCallExpression(node) &&
      name !== undefined &&
      ts.isStringLiteralLike(name) &&
      /^(test|describe)\b/.test(node.expression.getText(file)) &&
      [...BANNED, PRIVATE].some((pattern) => pattern.test(name.text))
    ) {
      const { line } = file.getLineAndCharacterOfPosition(name.getStart(file));
      names.push(`${path}:${line + 1}: ${name.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}
