import type { Frame } from "../../../src/core/ports/journal.ts";
import type { BatchContent, BatchEvent, BulkLoadFiles } from "../../../src/core/ports/loads.ts";
import type {
  ProjectedPerson,
  ProjectionChanges,
} from "../../../src/core/ports/persons/projection.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { propertyTexts } from "../../../src/stores/loads/person-columns.ts";
import { readLines } from "../start/server.ts";

/** Time of arrival of all events, in milliseconds since 1970. */
export const ARRIVED = Date.parse("2026-11-21T12:00:00Z");

/** Uuid of the person of all events. */
export const PERSON = "01a1fc9a-592b-78b3-8d80-aa75992efae9";

/** An event of a batch; the sender gave `fields`, ingest added `more`. */
export function batchEvent(
  seq: number,
  fields: Partial<BatchEvent["event"]> = {},
  more: Partial<BatchEvent> = {},
): BatchEvent {
  const event = {
    uuid: Bun.randomUUIDv7(),
    event: "tested",
    distinct_id: "ann",
    timestamp: "2026-11-21T12:00:00.000000Z",
    properties: {},
    ...fields,
  };
  return {
    ...{ seq, project_id: 1, arrived_at: ARRIVED, person_id: PERSON, event },
    ...{ groups: undefined, mark: 9, historical: false },
    line: Buffer.from(JSON.stringify(event)),
    ...more,
  };
}

/** The columns of a person of the projection with these properties. */
export const columnsOf = (properties: JsonObject) => {
  const { columns } = propertyTexts(properties);
  return { columns };
};

/** A person of the projection. */
export const projectedPerson = (fields: Partial<ProjectedPerson> = {}): ProjectedPerson => ({
  ...{ project_id: 1, id: 1, uuid: PERSON, created_at: "2026-11-21T12:00:00.000000Z" },
  ...columnsOf({ email: "a@b.c", $os: "Linux" }),
  ...{ distinct_ids: ["ann"], moved: [], known: false, ...fields },
});

/** Changes of the projection. */
export const projectionChanges = (
  version: number,
  changes: Partial<ProjectionChanges> = {},
): ProjectionChanges => ({
  ...{ version, persons: [], gone: [], overrides: [], groups: [], owned: [] },
  ...changes,
});

/** Writes one batch, and returns it as a load. */
export function loadOf(files: BulkLoadFiles, batch: BatchContent) {
  const [load = files.end()] = files.add(batch);
  if (load === null) throw new Error("There is no load");
  return load;
}

/** A batch of events with the numbers from `first` on, and changes of the projection of the version `first`. */
export const batchOf = (
  first: number,
  events: BatchEvent[],
  changes: Partial<ProjectionChanges> = {},
): BatchContent => ({
  range: { first, last: first + Math.max(events.length, 1) - 1 },
  ...{ events, logs: [], projection: projectionChanges(first, changes) },
});

/** A batch of log records alone. */
export function logBatch(first_seq: number, records: object[]): BatchContent {
  const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const count = records.length;
  const frame = { project_id: 1, arrived_at: ARRIVED, first_seq, count, lines };
  return {
    range: { first: first_seq, last: first_seq + count - 1 },
    ...{ events: [], logs: [{ kind: "logs", ...frame }], projection: null },
  };
}

/** A log record as capture writes it. */
export const logRecord = (body: string, fields: object = {}) => ({
  uuid: Bun.randomUUIDv7(),
  timestamp: "2026-11-21T11:59:59.000001Z",
  observed_timestamp: "2026-11-21T11:59:59.000001Z",
  ...{ trace_id: "", span_id: "", trace_flags: 255, severity_text: "", severity_number: 24 },
  ...{ level: "fatal", event_name: "", body, attributes: { n: 1 }, service_name: "" },
  ...{ resource_attributes: {}, instrumentation_scope: {}, ...fields },
});

/** Events with the numbers from `first` to `last`. */
export const eventBatch = (
  first: number,
  last: number,
  more: Partial<BatchContent> = {},
): BatchContent => ({
  ...{ range: { first, last }, events: upTo(first, last).map((seq) => batchEvent(seq)) },
  ...{ logs: [], projection: null, ...more },
});

/** A frame of log records of the journal. */
export const logFrame = (first_seq: number, count: number): Frame => ({
  ...{ kind: "logs", project_id: 1, arrived_at: ARRIVED, first_seq, count },
  lines: Buffer.from('{"body":"é"}\n'.repeat(count)),
});

/** The sequence numbers in a file of a load. */
export const numbersIn = (path: string | null | undefined) =>
  path ? readLines<{ seq: number }>(path).map(({ seq }) => seq) : [];

/** The whole numbers from `first` to `last`. */
export const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
