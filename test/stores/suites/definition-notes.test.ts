import { describe, expect, test } from "bun:test";
import { DESCRIBED_MAX, NO_NOTE } from "../../../src/core/events/definition.ts";
import { RECORD_STORES, withProjects } from "../stores.ts";

const place = { project: 1, kind: "event" as const, name: "paid" };

describe.each(RECORD_STORES)("notes on definitions in %s", (_name, open) => {
  test("are of one project and one kind, and a change keeps what it does not name", async () => {
    using records = await withProjects(open);
    const { definitions } = records;

    const made = await definitions.describe(place, { description: "An order." });
    expect(made).toEqual({ ...NO_NOTE, description: "An order." });
    const changed = await definitions.describe(place, { also_called: ["order", "sale"] });
    expect(changed).toEqual({ ...made, also_called: ["order", "sale"] });
    await definitions.describe({ ...place, kind: "person_property" }, { also_called: ["payer"] });
    await definitions.describe({ ...place, project: 2 }, { also_called: ["other"] });

    const names = ["view", "paid"];
    expect([...(await definitions.notes(1, "event", names))]).toEqual([["paid", changed]]);
    expect([...(await definitions.notes(1, "event_property", names))]).toEqual([]);
    expect([...(await definitions.notes(1, "event", []))]).toEqual([]);
    expect(await definitions.noted(1, "event")).toEqual(["paid"]);
    expect(await definitions.noted(2, "person_property")).toEqual([]);
    expect(await definitions.words(1)).toEqual([
      { kind: "event", name: "paid", also_called: ["order", "sale"] },
      { kind: "person_property", name: "paid", also_called: ["payer"] },
    ]);
  });

  test("are removed once they are empty", async () => {
    using records = await withProjects(open);
    const { definitions } = records;
    const note = {
      description: "An order.",
      also_called: ["order"],
      tags: ["shop"],
      verified: true,
    };

    expect(await definitions.describe(place, note)).toEqual(note);
    await definitions.describe(place, { tags: [] });
    await definitions.describe(place, { also_called: [] });
    expect(await definitions.words(1)).toEqual([]);
    expect((await definitions.notes(1, "event", ["paid"])).size).toBe(1);
    await definitions.describe(place, { description: "" });
    expect([...(await definitions.notes(1, "event", ["paid"])).values()]).toEqual([
      { ...NO_NOTE, verified: true },
    ]);
    await definitions.describe(place, { verified: false });
    expect((await definitions.notes(1, "event", ["paid"])).size).toBe(0);
    await definitions.describe({ ...place, name: "view" }, {});
    expect((await definitions.notes(1, "event", ["view"])).size).toBe(0);
  });

  test("of a project are at most so many, and a stored one can still be changed", async () => {
    using records = await withProjects(open);
    const { definitions } = records;
    const note = { also_called: ["order"] };
    for (let at = 0; at < DESCRIBED_MAX; at += 1) {
      await definitions.describe({ ...place, name: `event ${at}` }, note);
    }

    const another = definitions.describe(place, note);
    expect(another).rejects.toThrow(`A project describes at most ${DESCRIBED_MAX} names.`);
    expect((await definitions.notes(1, "event", ["paid"])).size).toBe(0);
    const changed = { ...place, name: "event 0" };
    expect((await definitions.describe(changed, { description: "x" })).description).toBe("x");
    expect((await definitions.describe({ ...place, project: 2 }, note)).also_called).toEqual([
      "order",
    ]);
  });
});
