import { beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { meaningOf } from "../../../src/core/warnings/meanings.ts";
import { nodeDisk } from "../../../src/stores/files/disk.ts";
import { openJournal } from "../../../src/stores/journal/journal.ts";
import { metricValue, parseMetrics, scrape } from "../../support/answers/prometheus.ts";
import { openPersonStore } from "../../support/answers/sqlite.ts";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";
import { rounds, turnOf } from "../../support/start/rounds.ts";
import { PROJECT_KEY, readLines, type Server, startServer } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

type Shown = {
  type: string;
  severity: string;
  meaning: string;
  count: number;
  first_at: string;
  last_at: string;
  samples: { at: string; count: number; event_uuid: string | null; distinct_id: string | null }[];
};
type Page = { count: number; next: string | null; previous: string | null; results: Shown[] };

/** Waits until all that was acknowledged is applied. */
async function applied(server: Server): Promise<void> {
  while (metricValue(await scrape(server), "hoglet_ingest_lag_events") > 0) await Bun.sleep(20);
}

const listed = async () => ((await app.get("/ingestion_warnings/")).body as Page).results;
const counted = async () => (await listed()).map(({ type, count }) => [type, count]);

/** The warnings by type: how many, severity, and the newest samples' event uuid and distinct id. */
async function warned() {
  return Object.fromEntries(
    (await listed()).map(({ type, severity, count, samples }) => {
      const newest = samples.map(
        ({ event_uuid, distinct_id }): Sample => [event_uuid, distinct_id],
      );
      return [type, { severity, count, samples: newest }];
    }),
  );
}

const stored = async (query = "") =>
  ((await app.get(`/events/${query}`)).body as { results: { uuid: string; event: string }[] })
    .results;

type Sample = [event_uuid: string | null, distinct_id: string | null];

const single = (fields: Record<string, unknown>) => ({ api_key: PROJECT_KEY, ...fields });
const error = (count: number, ...samples: Sample[]) => ({ severity: "error", count, samples });
const warning = (count: number, ...samples: Sample[]) => ({ severity: "warning", count, samples });

describe("warnings of admission", () => {
  test("the three silent 200s are three warnings (contract 7)", async () => {
    const [noName, noId, emptyId] = [event(), event(), event()];

    for (const refused of [
      { ...noName, event: undefined },
      { ...noId, distinct_id: undefined },
      { ...emptyId, distinct_id: "" },
    ]) {
      const answered = await app.capture(single(refused), "/i/v0/e/");
      expect(answered.status).toBe(200);
      expect(answered.headers.get("hoglet-dropped")).toBe("1");
    }

    expect(await warned()).toEqual({
      missing_event_name: error(1, [noName.uuid, "ann"]),
      missing_distinct_id: error(2, [emptyId.uuid, null], [noId.uuid, null]),
    });
    expect(await stored()).toEqual([]);
  });

  test("every change is a warning with the event as it is stored", async () => {
    const long = "x".repeat(201);
    const [cut, named, early, late, odd] = [event(), event(), event(), event(), event()];

    await app.capture(
      batch(
        { ...cut, distinct_id: long },
        { ...named, event: long, distinct_id: "named" },
        { ...early, timestamp: "2999-01-01", distinct_id: "early" },
        { ...late, timestamp: "soon", distinct_id: "late" },
        { ...odd, properties: { $process_person_profile: "no" }, distinct_id: "odd" },
        { ...event(), uuid: "not-a-uuid", distinct_id: "renamed" },
      ),
    );

    const [renamed] = await stored("?distinct_id=renamed");
    expect(await warned()).toEqual({
      distinct_id_too_large: warning(1, [cut.uuid, long.slice(1)]),
      event_name_too_long: warning(1, [named.uuid, "named"]),
      event_timestamp_in_future: warning(1, [early.uuid, "early"]),
      ignored_invalid_timestamp: warning(1, [late.uuid, "late"]),
      invalid_process_person_profile: warning(1, [odd.uuid, "odd"]),
      replaced_invalid_uuid: warning(1, [renamed?.uuid ?? "", "renamed"]),
    });
  });

  test("each bad event of a request is found, and good ones are stored", async () => {
    const bad = Array.from({ length: 50 }, () => event({ event: "" }));

    const answered = await app.capture(batch(event(), ...bad, "no event", 7, event()));

    expect(answered.headers.get("hoglet-dropped")).toBe("52");
    expect(await warned()).toEqual({
      missing_event_name: error(
        50,
        ...bad.map(({ uuid }): [string, string] => [uuid, "ann"]).reverse(),
      ),
      invalid_event: error(2, [null, null]),
    });
    expect(await stored()).toHaveLength(2);
  });
});

describe("events that are not kept", () => {
  const recorded = () => event({ event: "$snapshot", properties: { $snapshot_data: [] } });

  test("is counted: recordings, wherever they are sent, and what SDKs withheld", async () => {
    const [first, second, reported, timing] = [
      recorded(),
      recorded(),
      event({ event: "$$client_ingestion_warning" }),
      event({ event: "$performance_event" }),
    ];

    const sent = await app.capture(batch(first), "/s/?compression=gzip-js");
    await app.capture(batch(second, reported, timing, event()));

    expect(sent).toMatchObject({ status: 200, body: { status: "Ok" } });
    expect(sent.headers.get("hoglet-dropped")).toBe("1");
    const found = (await listed()).map(({ type, severity, samples }) => [
      type,
      severity,
      samples.map(({ event_uuid }) => event_uuid),
    ]);
    expect(found.toSorted()).toEqual([
      ["client_ingestion_warning", "error", [reported.uuid]],
      ["performance_event_not_kept", "error", [timing.uuid]],
      ["session_recording_not_kept", "error", [second.uuid, first.uuid]],
    ]);
    const metrics = parseMetrics(String((await app.ask("GET", "/metrics")).body));
    const labels = { project_id: String(app.id), reason: "session_recording_not_kept" };
    expect(metricValue(metrics, "hoglet_events_dropped_total", labels)).toBe(2);
    expect((await app.get("/events/")).body).toMatchObject({ count: 1 });
  });

  test.each([
    ["an unknown key", { ...batch(recorded()), api_key: "phc_unknown" }, "invalid_api_key"],
    ["no JSON", "{", "invalid_payload"],
  ])("is counted as refused with %s, and its sender may go on", async (_case, body, reason) => {
    const sent = await app.capture(body, "/s/");

    expect(sent).toMatchObject({ status: 200, body: { status: "Ok" } });
    const metrics = parseMetrics(String((await app.ask("GET", "/metrics")).body));
    expect(metricValue(metrics, "hoglet_capture_rejected_requests_total", { reason })).toBe(1);
  });
});

describe("warnings of ingest", () => {
  test("a change of an event is reported once, however often the event is sent again", async () => {
    const late = event({ timestamp: "soon", distinct_id: "late" });
    const dropped = event({ event: "" });

    await app.capture(batch(late, late));
    await app.capture(batch(late, dropped));
    await app.capture(batch({ ...late, event: "another" }, dropped));

    expect(Object.fromEntries(await counted())).toEqual({
      // Of the last event, which is not stored, no change is reported.
      ignored_invalid_timestamp: 1,
      duplicate_uuid: 1,
      // Nothing is kept of these, to know them by.
      missing_event_name: 2,
    });
  });

  const RESENT: [count: number, changes: number][] = [
    [120, 101],
    [1000, 1000],
    [8191, 1],
    [9000, 150],
    [8192, 3],
    [20_000, 5000],
  ];

  test.each(turnOf(RESENT, 0, 3))(
    "of %d events with %d changes that are sent again whole, nothing is reported again",
    async (count, changes) => {
      const events = Array.from({ length: count }, (_, at) =>
        at < count - changes ? event() : event({ timestamp: "soon" }),
      );

      await app.capture(batch(...events));
      await app.capture(batch(event()));
      expect(await counted()).toEqual([["ignored_invalid_timestamp", changes]]);
      await app.capture(batch(...events));
      await app.capture(batch(event()));

      expect(await counted()).toEqual([["ignored_invalid_timestamp", changes]]);
    },
  );

  test("a change of an event that is in a large request many times is reported once", async () => {
    const late = event({ timestamp: "soon" });
    const others = (length: number) => Array.from({ length }, () => event());

    await app.capture(batch(late, ...others(9000), late, ...others(9000), late));
    await app.capture(batch(late, event({ timestamp: "later" })));

    expect(await counted()).toEqual([["ignored_invalid_timestamp", 2]]);
  });

  test("a changed event that its large request has again, unchanged, is reported", async () => {
    const late = event({ timestamp: "soon" });
    const others = Array.from({ length: 9000 }, () => event());

    await app.capture(batch(late, ...others, { ...late, timestamp: undefined }));
    await app.capture(batch(event()));

    expect(await counted()).toEqual([["ignored_invalid_timestamp", 1]]);
  });

  test.each<[string, (string | undefined)[], [string, number][]]>([
    ["the first", ["soon", undefined], [["ignored_invalid_timestamp", 1]]],
    ["the second", [undefined, "soon"], []],
    ["each", ["soon", "later", "never"], [["ignored_invalid_timestamp", 1]]],
  ])(
    "of events with one uuid in a request, of which %s is changed, the changes of the first are reported",
    async (_how, times, reported) => {
      const uuid = Bun.randomUUIDv7();
      const sent = batch(event(), ...times.map((timestamp) => event({ uuid, timestamp })), event());

      for (let time = 0; time < 2; time += 1) {
        await app.capture(sent);
        expect(await counted()).toEqual(reported);
      }
    },
  );

  test("a known uuid with another event, distinct id or property is a warning, a resend is not", async () => {
    const sent = event({ event: "first", properties: { price: 1 } });
    const deduplicated = async () => {
      const metrics = parseMetrics(String((await app.ask("GET", "/metrics")).body));
      return metricValue(metrics, "hoglet_events_deduplicated_total");
    };
    const before = await deduplicated();

    await app.capture(batch(sent, { ...sent, distinct_id: "bob" }));
    await app.capture(batch(sent));
    await app.capture(batch({ ...sent, event: "second" }, sent));
    await app.capture(batch({ ...sent, timestamp: "2026-11-21", properties: { price: 1 } }));
    await app.capture(batch({ ...sent, properties: { price: 2 } }));

    const ann: Sample = [sent.uuid, "ann"];
    expect(await warned()).toEqual({ duplicate_uuid: error(3, ann, ann, [sent.uuid, "bob"]) });
    expect((await deduplicated()) - before).toBe(6);
    expect((await stored()).map((stored) => stored.event)).toEqual(["first"]);
  });
});

describe("warnings of merges and groups", () => {
  test("is a warning for the event that asked for it, and the event is stored", async () => {
    const identify = (distinct_id: string) =>
      event({ event: "$identify", distinct_id, properties: { $set: { n: 1 } } });
    const alias = (distinct_id: string, other: string) =>
      event({ event: "$create_alias", distinct_id, properties: { alias: other } });
    const known = [alias("b1", "bob"), identify("bob"), alias("a1", "ann"), identify("ann")];
    const [joined, itself, nobody] = [alias("a1", "b1"), alias("ann", "ann"), alias("ann", "null")];
    const large = event({ properties: { $set: { text: "x".repeat(600_000) } } });

    await app.capture(batch(...known));
    await app.capture(batch(joined, itself, nobody, large));

    expect(await warned()).toEqual({
      cannot_merge_already_identified: warning(1, [joined.uuid, "a1"]),
      cannot_merge_with_itself: warning(1, [itself.uuid, "ann"]),
      cannot_merge_with_illegal_distinct_id: warning(1, [nobody.uuid, "ann"]),
      person_properties_size_violation: warning(1, [large.uuid, "ann"]),
    });
    expect(await stored()).toHaveLength(8);
  });
});

describe("warnings", () => {
  test("are counted once, however often the server is killed", async () => {
    const data = mkdtempSync(join(tmpdir(), "hoglet-warned-"));
    const [kills, requests] = [rounds(2, 4), 150];
    try {
      const known = event({ event: "first" });
      for (let round = 0; round < kills; round += 1) {
        await using server = await startServer({ data });
        const lost = Array.from({ length: requests }, (_, n) =>
          // Each an event, a drop, a change, and, but for the very first, a uuid that is known.
          server.capture(
            batch(
              event({ distinct_id: `u${n}` }),
              event({ event: "" }),
              event({ uuid: "not-a-uuid" }),
              { ...known, event: `${round} ${n}` },
            ),
          ),
        );
        const answers = await Promise.all(lost);
        expect(answers.every(({ status }) => status === 200)).toBe(true);
        server.signal("SIGKILL");
        await server.exited;
      }

      await using server = await startServer({ data });
      await applied(server);
      const { results } = await server.get<Page>("/ingestion_warnings/");
      const counts = Object.fromEntries(results.map(({ type, count }) => [type, count]));
      expect(counts).toEqual({
        missing_event_name: kills * requests,
        replaced_invalid_uuid: kills * requests,
        duplicate_uuid: kills * requests - 1,
      });
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  test("of a flood take no more room than those of a trickle", async () => {
    await using server = await startServer();
    const [senders, requests, events] = [20, rounds(25, 100), 10];
    const drops = (sender: number, n: number) =>
      Array.from({ length: events }, () => event({ event: " ", distinct_id: `u${sender} ${n}` }));

    await Promise.all(
      Array.from({ length: senders }, async (_, sender) => {
        for (let n = 0; n < requests; n += 1) await server.capture(batch(...drops(sender, n)));
      }),
    );

    await applied(server);
    const { results } = await server.get<Page>("/ingestion_warnings/");
    expect(results).toHaveLength(1);
    const count = senders * requests * events;
    expect(results[0]).toMatchObject({ type: "missing_event_name", count });
    expect(results[0]?.samples).toHaveLength(100);
    const times = results[0]?.samples.map(({ at }) => at) ?? [];
    expect(times).toEqual([...times].sort().reverse());
    using sqlite = openPersonStore(server.data, { readonly: true });
    const rows = (table: string) =>
      sqlite.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count;
    expect([rows("ingestion_warning"), rows("ingestion_warning_sample")]).toEqual([1, 100]);
  });
});

describe("the list", () => {
  test("shows each reason once, the last seen first, in pages that lead on (contract 2.2)", async () => {
    await app.capture(batch(event({ event: "" }), event()));
    app.clock.now += 1000;
    await app.capture(batch(event({ distinct_id: "" }), event({ distinct_id: "" })));

    const first = await app.get("/ingestion_warnings/?limit=1");
    const second = await app.get("/ingestion_warnings/?limit=1&offset=1");

    expect(first.body).toEqual({
      count: 2,
      next: expect.stringMatching(
        /^http:\/\/localhost:8000\/api\/environments\/\d+\/ingestion_warnings\/\?limit=1&cursor=[^&]+&offset=1$/,
      ),
      previous: null,
      results: [
        {
          type: "missing_distinct_id",
          severity: "error",
          meaning: meaningOf("missing_distinct_id").meaning,
          count: 2,
          first_at: "2026-11-21T12:00:01.000000Z",
          last_at: "2026-11-21T12:00:01.000000Z",
          samples: [1, 2].map(() => ({
            at: "2026-11-21T12:00:01.000000Z",
            count: 1,
            event_uuid: expect.any(String),
            distinct_id: null,
          })),
        },
      ],
    });
    expect(second.body).toMatchObject({ next: null, results: [{ type: "missing_event_name" }] });
  });

  test("is filtered by type, and refuses one that there is not", async () => {
    await app.capture(batch(event({ event: "" }), event({ distinct_id: "" })));

    expect((await app.get("/ingestion_warnings/?type=missing_event_name")).body).toMatchObject({
      count: 1,
      results: [{ type: "missing_event_name" }],
    });
    expect((await app.get("/ingestion_warnings/?type=message_size_too_large")).body).toMatchObject({
      count: 0,
      results: [],
    });
    for (const type of ["nothing", "__proto__"]) {
      expect(await app.get(`/ingestion_warnings/?type=${type}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_choice", attr: "type" },
      });
    }
  });

  test("shows nothing of another project", async () => {
    await app.capture(batch(event({ event: "" })));
    const second = await app.app.projects.create({ name: "second" });

    const { body } = await app.ask("GET", `/api/environments/${second.id}/ingestion_warnings/`);

    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] });
  });

  test("keeps what it had over a restart", async () => {
    using data = temporaryDirectory();
    {
      await using app = await testApp({ data: data.path });
      await app.capture(batch(event({ event: "" })));
    }
    await using again = await testApp({ data: data.path });
    await again.capture(batch(event({ event: "" })));

    expect((await again.get("/ingestion_warnings/")).body).toMatchObject({
      results: [{ type: "missing_event_name", count: 2 }],
    });
  });
});

test("one event of 10,000 that the store cannot read is one warning, also after a restart", async () => {
  using data = temporaryDirectory();
  const first = await testApp({ data: data.path });
  await first[Symbol.asyncDispose]();
  const events = Array.from({ length: 10_000 }, (_, n) => ({
    ...event({ distinct_id: n === 5000 ? "poisoned" : `u${n % 50}` }),
    timestamp: "2026-11-21T12:00:00.000000Z",
  }));
  // Admission rejects such an event, so the test puts the surrogate into the admitted line.
  const lines = events.map((good) =>
    JSON.stringify(good).replace('"poisoned"', '"poisoned","properties2":"\\ud800"'),
  );
  const journal = await openJournal({
    directory: join(data.path, "journal"),
    disk: nodeDisk,
    after: 0,
  });
  const arrived_at = Date.parse("2026-11-21T12:00:00Z");
  const text = new TextEncoder().encode(`${lines.join("\n")}\n`);
  await journal.append({ kind: "events", project_id: 1, arrived_at, count: 10_000, lines: text });
  await journal.close();

  for (const _start of [1, 2]) {
    await using app = await testApp({ data: data.path });
    await app.app.ingest.caughtUp();
    // The warning is put into the journal when the slice is stored.
    let listed = await app.get("/ingestion_warnings/");
    while ((listed.body as Page).count === 0) {
      await Bun.sleep(20);
      listed = await app.get("/ingestion_warnings/");
    }

    expect(listed.body).toMatchObject({
      count: 1,
      results: [
        {
          type: "unreadable_event",
          count: 1,
          samples: [{ event_uuid: events[5000]?.uuid, distinct_id: "poisoned" }],
        },
      ],
    });
    expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 9999 });
    expect(
      readLines<{ uuid: string }>(join(data.path, "dead-letters.ndjson")).map(({ uuid }) => uuid),
    ).toEqual([events[5000]?.uuid ?? ""]);
  }
});
