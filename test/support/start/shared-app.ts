import { afterAll } from "bun:test";
import { type TestApp, type TestProject, testApp } from "./app.ts";

/** The key of the first project, which no test uses: an event with the key of the tests is refused. */
const UNUSED_KEY = "phc_unused";

/**
 * One appliance for all tests of a file. Each call makes a project in it, for one test: that costs 10 ms,
 * an appliance of its own 300.
 */
export function sharedApp(options: Parameters<typeof testApp>[0] = {}): () => Promise<TestProject> {
  let started: Promise<TestApp> | undefined;

  afterAll(async () => {
    await (await started)?.[Symbol.asyncDispose]();
  });

  return async () => {
    started ??= testApp({ ...options, flags: { "--project-key": UNUSED_KEY, ...options.flags } });
    return await (await started).project();
  };
}
