import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/start/app.ts";
import { ROOT } from "../../support/start/server.ts";

test("a start on the data of a build before the first release says so, and leaves it as it was", async () => {
  using directory = temporaryDirectory();
  const data = directory.path;
  const file = new Database(join(data, "hoglet.sqlite"));
  file.run("CREATE TABLE person (id INTEGER)");
  file.run("PRAGMA user_version = 17");
  file.close();

  const command = ["serve", "--data", data, "--port", "0"];
  const started = Bun.spawn([process.execPath, join(ROOT, "src/main.ts"), ...command], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = await new Response(started.stderr).text();

  expect(await started.exited).not.toBe(0);
  expect(said).toContain("a build before the first release");
  expect(said).toContain("archive/");
  expect(said).not.toContain("Restore it");
  using kept = new Database(join(data, "hoglet.sqlite"), { readonly: true });
  expect(kept.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "person" }]);
  expect(readdirSync(data)).not.toContain("events");
});
