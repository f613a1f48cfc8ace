import { describe, expect, test } from "bun:test";
import { VOLUMES } from "../stores.ts";

describe.each(VOLUMES)("sizes on disk from %s", (_name, make) => {
  test("the volume has a size, and some of it is free", () => {
    using made = make();
    const { free = -1, total = -1 } = made.volumes.volume() ?? {};
    expect(total).toBeGreaterThan(1_000_000);
    expect([free >= 0, free <= total]).toEqual([true, true]);
  });

  test("stores without files have no bytes, and nothing fails without a directory", () => {
    using made = make();
    const empty = { events: 0, loads: 0, sqlite: 0, journalQuarantinedParts: 0 };
    expect(made.volumes.sizes()).toEqual(empty);
    made.removeDirectory();
    expect([made.volumes.volume(), made.volumes.sizes()]).toEqual([undefined, empty]);
  });
});
