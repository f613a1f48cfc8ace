import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPersonStore } from "../support/answers/sqlite.ts";
import { batch, event } from "../support/data/build-records.ts";
import { findPlanted } from "../support/disk/bytes-on-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { executable } from "../support/start/executable.ts";
import { preparedData } from "../support/start/prepared-data.ts";
import { runCommand } from "../support/start/process.ts";
import { PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

const hoglet = ({ data }: Server, ...args: string[]) =>
  runCommand(["deletions", ...args, "--data", data]);

/** Sends an event of each person and asks for the deletion of theirs; their ids are to be found. */
async function asked(server: Server): Promise<{ ann: string; bob: string }> {
  const [ann, bob] = [`ann-${crypto.randomUUID()}`, `bob-${crypto.randomUUID()}`];
  await server.capture(batch(event({ distinct_id: ann }), event({ distinct_id: bob })));
  await server.stored(2);
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  for (const id of [ann, bob]) {
    const found = await server.get<{ results: { id: number }[] }>(`/persons/?distinct_id=${id}`);
    const person = `${server.url}/api/environments/1/persons/${found.results[0]?.id}/`;
    await fetch(`${person}?delete_events=true`, { method: "DELETE", headers });
  }
  return { ann, bob };
}

/** The directory of a server that was stopped with two deletions queued. */
const stopped = preparedData(async (data) => {
  await using server = await startServer({ data });
  const ids = await asked(server);
  server.signal("SIGTERM");
  await server.exited;
  return ids;
});

test("deletions are listed, withdrawn and run in the running server, and leave a receipt", async () => {
  await using server = await startServer();
  const { ann, bob } = await asked(server);

  const listed = await hoglet(server, "list");
  expect(listed.out.trim().split("\n")).toHaveLength(3);
  expect(await hoglet(server, "cancel", "1")).toMatchObject({ code: 0, out: "1 cancelled\n" });
  expect(await hoglet(server, "run", "--now")).toEqual({ code: 0, out: "1 done\n", err: "" });

  expect(await findPlanted(server.data, [bob])).toEqual({});
  expect((await server.events()).map(({ distinct_id }) => distinct_id)).toEqual([ann]);
  expect(JSON.parse((await hoglet(server, "receipt", "2")).out)).toMatchObject({
    ...{ id: 2, project_id: 1, kind: "weekly", state: "done", attempts: 1 },
    ...{ requested_by: 1, requested_by_email: "owner@localhost.localdomain" },
    counts: { events: 1, logs: 0 },
  });
  expect((await hoglet(server, "list")).out.trim().split("\n")).toHaveLength(1);
  const [heads = "", done, cancelled, ...more] = (await hoglet(server, "list", "--all")).out
    .trim()
    .split("\n");
  expect(heads).toMatch(/ finished +deleted +places to look at$/);
  expect(done).toMatch(/^2 .* done .*Z {2}1 events, 0 logs, 0 warnings, 0 dead letters *$/);
  expect(cancelled).toMatch(/^1 .* cancelled /);
  expect(more).toEqual([]);
  const again = await hoglet(server, "cancel", "2");
  expect(again).toEqual({
    code: 1,
    out: "",
    err: "There is no such deletion, or it has begun already.\n",
  });
});

test("without a server the command does it on the files, and the next start reads them", async () => {
  using directory = temporaryDirectory();
  const data = join(directory.path, "data");
  const { ann, bob } = await stopped(data);

  const run = ["deletions", "--now", "run", "--data", data];
  expect(await runCommand(run)).toEqual({ code: 0, out: "2 done\n", err: "" });
  expect(await findPlanted(data, [ann, bob])).toEqual({});

  await using again = await startServer({ data });
  await again.capture(batch(event({ distinct_id: "later" })));
  await again.stored(1);
  expect((await again.events()).map(({ distinct_id }) => distinct_id)).toEqual(["later"]);
});

test("the command that is stopped leaves what it had begun as it was", async () => {
  for (let isStopped = false; !isStopped; ) {
    using directory = temporaryDirectory();
    const data = join(directory.path, "data");
    const { ann, bob } = await stopped(data);
    const run = ["deletions", "run", "--data", data];
    const command = Bun.spawn([executable(), ...run], {
      stdout: "pipe",
      stderr: "pipe",
    });
    using sqlite = openPersonStore(data, { readonly: true });
    const tasks = () => sqlite.query("SELECT state, attempts FROM deletion_task ORDER BY id").all();
    while (JSON.stringify(tasks()).includes("queued")) await Bun.sleep(2);
    command.kill("SIGINT");
    const [code, out, err] = await Promise.all([
      ...[command.exited, command.stdout.text(), command.stderr.text()],
    ]);

    // It may have been quicker than the signal: then that is tried again.
    isStopped = !JSON.stringify(tasks()).includes("done");
    if (!isStopped) continue;
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^Stopped\. .+\n$/);
    expect(tasks()).toEqual(Array(2).fill({ state: "running", attempts: 0 }));
    expect(await runCommand(run)).toEqual({ code: 0, out: "2 done\n", err: "" });
    expect(await findPlanted(data, [ann, bob])).toEqual({});
  }
});

test("deletions that a crash interrupted count as done by the command that finishes them", async () => {
  await using server = await startServer();
  const { ann, bob } = await asked(server);
  server.signal("SIGKILL");
  await server.exited;
  const sqlite = openPersonStore(server.data);
  sqlite.run("UPDATE deletion_task SET state = 'running', attempts = 1 WHERE id = 1");
  sqlite.close();

  const run = ["deletions", "run", "--data", server.data];

  expect(await runCommand(run)).toEqual({ code: 0, out: "2 done\n", err: "" });
  expect(await findPlanted(server.data, [ann, bob])).toEqual({});
});

/** Where Linux lists the connections of sockets that are files. */
const CONNECTIONS = "/proc/net/unix";

/** Waits until a command has connected to a server: its socket is then listed twice. Without a list it waits a second. */
async function connected({ data }: Server): Promise<void> {
  if (!existsSync(CONNECTIONS)) return await Bun.sleep(1000);
  const socket = join(data, "hoglet.sock");
  const count = () =>
    readFileSync(CONNECTIONS, "utf8")
      .split("\n")
      .filter((line) => line.endsWith(socket)).length;
  while (count() < 2) await Bun.sleep(20);
}

test("a server that ends meanwhile is reported with a sentence", async () => {
  await using server = await startServer();
  await asked(server);
  // It takes the connection, but does not answer any more.
  server.signal("SIGSTOP");
  const running = hoglet(server, "run");
  await connected(server);

  server.signal("SIGKILL");

  expect(await running).toEqual({
    ...{ code: 1, out: "" },
    err: "The server ended before it answered. It continues what it began after its next start.\n",
  });
});
