/**
 * Loaded before a server, it notes which source files run. A call at the head of each function names its
 * file; every 20 ms each thread appends `time<TAB>file` for the files that ran to the file `WAYS_TRACE`.
 */

import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { plugin } from "bun";
import ts from "typescript-5";

const SRC = join(import.meta.dir, "../../src");
const FLUSH_MS = 20;
const TRACE = process.env["WAYS_TRACE"] ?? "";

const ran = new Set<string>();
Object.assign(globalThis, { noteRun: (file: string) => ran.add(file) });
setInterval(() => {
  const time = Date.now();
  if (ran.size > 0) appendFileSync(TRACE, [...ran].map((file) => `${time}\t${file}\n`).join(""));
  ran.clear();
}, FLUSH_MS).unref();

/** The source with a call at the head of each function. */
function traced(path: string, text: string): string {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const call = `noteRun(${JSON.stringify(relative(SRC, path))})`;
  const inserts: { at: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    const { body } = node as { body?: ts.Node };
    if (ts.isFunctionLike(node) && body !== undefined) {
      if (ts.isBlock(body)) inserts.push({ at: body.getStart(file) + 1, text: `${call};` });
      else {
        inserts.push({ at: body.getStart(file), text: `(${call}, ` });
        inserts.push({ at: body.getEnd(), text: ")" });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  let done = text;
  for (const { at, text: insert } of inserts.toSorted((a, b) => b.at - a.at)) {
    done = done.slice(0, at) + insert + done.slice(at);
  }
  return done;
}

plugin({
  name: "ways-trace",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: traced(path, await Bun.file(path).text()),
      loader: "ts",
    }));
  },
});

if (Bun.isMainThread) {
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      super(url, { ...options, preload: [import.meta.path] });
    }
  } as typeof Worker;
}
