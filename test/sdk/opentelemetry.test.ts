import { afterAll, beforeAll, expect, test } from "bun:test";
import { DiagLogLevel, diag, ROOT_CONTEXT, SeverityNumber, trace } from "@opentelemetry/api";
import { OTLPLogExporter as JsonExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { type StoredLog, storedLogs } from "../support/data/logs.ts";
import { settled } from "../support/disk/project-contents.ts";
import { PROJECT_KEY, startServer } from "../support/start/server.ts";

const SPAN = {
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId: "eee19b7ec3c1b174",
  traceFlags: 1,
};
const HAPPENED = Date.parse("2026-02-03T04:05:06.789Z");

/** More than fit into one request of the SDK (512), so that there are several. */
const MANY = 1200;

/** The complaints of the SDK. */
const complaints: string[] = [];

beforeAll(() => {
  const note = (...words: unknown[]) => complaints.push(words.join(" "));
  const quiet = () => {};
  const logger = { error: note, warn: note, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN });
});

afterAll(() => diag.disable());

/** The exporters, each as an application that is named after it. */
const EXPORTERS = [
  ["json", JsonExporter, "none"],
  ["json-gzip", JsonExporter, "gzip"],
  ["protobuf", ProtobufExporter, "none"],
  ["protobuf-gzip", ProtobufExporter, "gzip"],
] as const;

test("OpenTelemetry's exporters deliver each log record once", async () => {
  complaints.length = 0;
  await using server = await startServer();
  for (const [name, Exporter, compression] of EXPORTERS) {
    const url = `${server.url}/i/v1/logs`;
    const headers = { authorization: `Bearer ${PROJECT_KEY}` };
    const exporter = new Exporter({ url, headers, compression: compression as never });
    await logWith(name, exporter);
  }
  await settled(server);
  expect(await server.stop()).toBe(0);

  expect(complaints).toEqual([]);
  const stored = Map.groupBy(await storedLogs(server.data), ({ service_name }) => service_name);
  expect([...stored.keys()].sort()).toEqual(EXPORTERS.map(([name]) => name).sort());
  for (const [name] of EXPORTERS) expectLogged(name, stored.get(name) ?? []);
});

test("an exporter with an unknown key gets an error, and nothing is stored", async () => {
  complaints.length = 0;
  await using server = await startServer();
  const url = `${server.url}/i/v1/logs?token=phc_unknown`;

  await logWith("stranger", new ProtobufExporter({ url }));

  expect(await server.stop()).toBe(0);
  expect(complaints.join("\n")).toMatch(/401|Unauthorized/);
  expect(await storedLogs(server.data)).toEqual([]);
});

/** Logs as an application does, and waits until all is sent. */
async function logWith(name: string, exporter: JsonExporter | ProtobufExporter): Promise<void> {
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ "service.name": name, "host.cpus": 2 }),
    processors: [new BatchLogRecordProcessor({ exporter })],
  });
  const logger = provider.getLogger("shop", "1.2.3");
  logger.emit({
    timestamp: HAPPENED,
    observedTimestamp: HAPPENED + 5,
    severityNumber: SeverityNumber.WARN2,
    severityText: "WARNING",
    eventName: "cart.emptied",
    body: "é🦔",
    context: trace.setSpanContext(ROOT_CONTEXT, SPAN),
    attributes: {
      text: "a",
      whole: 500,
      negative: -7,
      half: 0.5,
      yes: true,
      list: ["a", "b"],
      map: { k: { deep: [1, null] } },
      bytes: Uint8Array.of(0, 1, 255),
    },
  });
  logger.emit({ severityNumber: SeverityNumber.FATAL, body: { structured: ["body", 1] } });
  for (let n = 0; n < MANY; n++) logger.emit({ body: n, attributes: { n } });
  await provider.forceFlush();
  await provider.shutdown();
}

function expectLogged(name: string, [first, second, ...many]: StoredLog[]): void {
  const shared = {
    service_name: name,
    resource_attributes: { "service.name": name, "host.cpus": 2 },
    instrumentation_scope: { name: "shop", version: "1.2.3" },
  };
  expect(first).toMatchObject({
    ...shared,
    timestamp: "2026-02-03 04:05:06.789",
    observed_timestamp: "2026-02-03 04:05:06.794",
    trace_id: SPAN.traceId,
    span_id: SPAN.spanId,
    trace_flags: 1,
    severity_text: "WARNING",
    severity_number: 14,
    level: "warn",
    event_name: "cart.emptied",
    body: "é🦔",
  });
  expect(first?.attributes).toEqual({
    text: "a",
    whole: 500,
    negative: -7,
    half: 0.5,
    yes: true,
    list: ["a", "b"],
    map: { k: { deep: [1, null] } },
    bytes: "AAH/",
  });
  expect(second).toMatchObject({ level: "fatal", body: '{"structured":["body",1]}', trace_id: "" });
  expect(many.map(({ body }) => Number(body)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: MANY }, (_, n) => n),
  );
  expect(many.every(({ body, attributes }) => attributes["n"] === Number(body))).toBe(true);
}
