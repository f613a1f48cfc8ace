import { afterEach, expect, test } from "bun:test";
import { capture } from "../../../src/core/capture/capture.ts";
import type { LogFacts } from "../../../src/core/ports/log.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { faultyDisk } from "../../support/disk/faulty-disk.ts";
import { clear, open, place, readAll } from "../../support/disk/journal.ts";

afterEach(clear);

test("a disk that refuses a warning fails no request, and is logged now and then", async () => {
  const directory = place();
  const disk = faultyDisk();
  const journal = await open(directory, { disk });
  const clock = { now: Date.parse("2026-11-21T12:00:00Z") };
  const logged: [string, LogFacts | undefined][] = [];
  const log = (message: string, facts?: LogFacts) => logged.push([message, facts]);
  const captured = capture({
    journal,
    projects: { ofKey: () => 1 },
    decoder: {
      admit: () => Promise.reject(new Error("No body here is large")),
      releaseBytes: () => {},
    },
    now: () => clock.now,
    newUuid: () => Bun.randomUUIDv7(),
    countryOf: () => undefined,
    salts: () => ({}),
    ingest: { wake: () => {}, backlogMs: () => 0 },
    arrived: () => {},
    log: { info: log, warn: log, error: log },
  });
  const send = (...events: unknown[]) =>
    captured.accept({
      bytes: Buffer.from(JSON.stringify(batch(...events))),
      encoding: "",
      compression: "",
      protocol: "events",
      sdk: "",
      hints: { key: undefined, keyInBody: true, sentAt: undefined },
    });
  const dropped = event({ event: "" });

  for (let n = 0; n < 3; n += 1) {
    disk.fail("write", { code: "ENOSPC" });
    expect(await send(dropped)).toMatchObject({ accepted: 0, dropped: 1 });
  }
  expect(logged).toHaveLength(1);
  expect(captured.isRejecting()).toBe(false);
  clock.now += 15_000;
  disk.fail("write", { code: "ENOSPC" });
  await send(dropped);
  expect(logged).toHaveLength(2);

  disk.fail("write", { code: "ENOSPC" });
  const refused = await send(event(), dropped).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "unavailable" });
  expect(await send(event(), dropped)).toMatchObject({ accepted: 1, dropped: 1 });
  // An event that fits into a full disk does not show that it has space.
  expect(captured.isRejecting()).toBe(true);
  clock.now += 2001;
  expect(captured.isRejecting()).toBe(true);
  expect(await send(event())).toMatchObject({ accepted: 1, dropped: 0 });
  expect(captured.isRejecting()).toBe(false);
  await journal.close();
  expect(readAll(directory).frames.map(({ kind, count }) => [kind, count])).toEqual([
    ["events", 1],
    ["warnings", 1],
    ["events", 1],
  ]);
  expect(JSON.stringify(logged)).not.toContain("ann");
});
