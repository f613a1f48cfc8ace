import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { batch, event } from "../data/build-records.ts";
import { type Answered, type TestApp, testApp } from "../start/app.ts";

/** A text in every stored text of another project, and in a file next to the data. */
export const MARKER = "not-yours-9f2c";

/** An appliance with events, persons and groups of two projects; only the first is asked about. */
export async function sqlApp(
  options: Parameters<typeof testApp>[0] = {},
): Promise<TestApp & { files: string; run(text: unknown, query?: string): Promise<Answered> }> {
  const app = await testApp(options);
  const files = mkdtempSync(join(tmpdir(), "hoglet-test-planted-"));
  for (const name of ["planted.csv", "planted.json", "planted.txt"]) {
    writeFileSync(join(files, name), `{"a": "${MARKER}"}\n`);
  }
  const at = (minute: number) => `2026-11-21T11:${String(minute).padStart(2, "0")}:00Z`;
  await app.capture(
    batch(
      event({
        event: "view",
        distinct_id: "ann",
        timestamp: at(1),
        properties: { plan: "pro", n: 1.5, $browser: "Firefox", $set: { email: "ann@x.y" } },
      }),
      event({ event: "view", distinct_id: "phone", timestamp: at(2), properties: { n: "7" } }),
      event({ event: "paid", distinct_id: "bob", timestamp: at(3), properties: { tags: ["é"] } }),
      event({
        event: "$groupidentify",
        distinct_id: "bob",
        timestamp: at(4),
        properties: { $group_type: "company", $group_key: "acme", $group_set: { size: 7 } },
      }),
      event({
        event: "$create_alias",
        distinct_id: "phone",
        timestamp: at(5),
        properties: { alias: "ann" },
      }),
    ),
  );
  const { api_token } = await app.app.projects.create({ name: "second" });
  const $set = { email: MARKER };
  await app.capture({
    api_key: api_token,
    batch: [
      event({ event: MARKER, distinct_id: MARKER, properties: { $browser: MARKER, $set } }),
      event({
        event: "$groupidentify",
        distinct_id: MARKER,
        properties: { $group_type: MARKER, $group_key: MARKER, $group_set: { size: MARKER } },
      }),
    ],
  });
  return {
    ...app,
    files,
    run: (text, query = "") =>
      app.ask("POST", `/api/environments/1/query/${query}`, {
        body: { query: { kind: "HogQLQuery", query: text } },
      }),
  };
}

/** Every file below a directory. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true }).map(String).sort();
}
