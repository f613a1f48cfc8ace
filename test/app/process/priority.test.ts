import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { executable } from "../../support/start/executable.ts";
import { startServer } from "../../support/start/server.ts";

/** The niceness of a process's threads, by their names. */
function threadsOf(pid: number) {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [name = "", rest = ""] = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")
      .replace(/^\d+ \(/, "")
      .split(") ");
    return { name, niceness: Number(rest.split(" ")[16]) };
  });
}

test("all but the threads that answer and sync give way, from wherever the process stands", async () => {
  // Whoever runs the tests may have given way already.
  const own = getPriority();
  await using server = await startServer({ command: ["nice", "-n", "4", executable()] });
  await server.capture({ api_key: "phc_testproject", event: "a", distinct_id: "ann" }, "/i/v0/e/");

  let threads = threadsOf(server.pid);
  // A new thread has the name of the one that starts it for a moment.
  while (threads.filter(({ name }) => name.startsWith("Worker")).length > 2) {
    await Bun.sleep(20);
    threads = threadsOf(server.pid);
  }
  const of = (start: string) =>
    threads.filter(({ name }) => name.startsWith(start)).map(({ niceness }) => niceness);

  expect(threads[0]).toMatchObject({ niceness: own + 4 });
  expect(of("Worker").toSorted()).toEqual([own + 4, own + 9]);
  expect(new Set(of("Bun Pool"))).toEqual(new Set([own + 9]));
});
