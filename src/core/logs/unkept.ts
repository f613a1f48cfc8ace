import { Failure } from "../values/failure.ts";
import { isObject, type Json } from "../values/json.ts";
import { bodyJson, LIMITS, type LogsBody, protobufOf } from "./logs.ts";
import { listIn, requestList } from "./otlp-json.ts";
import { countMessages } from "./otlp-protobuf.ts";

/** A signal of OpenTelemetry that is answered and not kept. */
export type UnkeptSignal = "traces" | "metrics";

/** The kinds of a metric: the name in JSON, and the number in protobuf. */
const KINDS: ReadonlyMap<string, number> = new Map([
  ["gauge", 5],
  ["sum", 7],
  ["histogram", 9],
  ["exponentialHistogram", 10],
  ["summary", 11],
]);

/** The numbers of the fields that lead to what a request in protobuf counts, level by level. */
const FIELDS = { traces: [[1], [2], [2]], metrics: [[1], [2], [2], [...KINDS.values()], [1]] };

/**
 * Returns the number of spans or data points in a request (OTLP 1.7).
 * Fails `invalid_payload` or `payload_too_large`.
 */
export function countUnkept(body: LogsBody, signal: UnkeptSignal): number {
  if (body.form === "protobuf") {
    return countMessages(protobufOf(body, LIMITS.inflatedBytesMax), FIELDS[signal]);
  }
  const request = bodyJson(body);
  return signal === "traces" ? spansIn(request) : pointsIn(request);
}

function spansIn(request: Json): number {
  const scopes = requestList(request, "resourceSpans").flatMap((one) => listIn(one, "scopeSpans"));
  return scopes.reduce<number>((sum, scope) => sum + listIn(scope, "spans").length, 0);
}

function pointsIn(request: Json): number {
  return requestList(request, "resourceMetrics")
    .flatMap((one) => listIn(one, "scopeMetrics"))
    .flatMap((scope) => listIn(scope, "metrics"))
    .reduce<number>((sum, metric) => sum + pointsOf(metric), 0);
}

/** The points of a metric. A kind that is not known would hide its points, so it is refused. */
function pointsOf(metric: Json): number {
  if (!isObject(metric)) throw invalid("Each of `metrics` must be an object.");
  let count = 0;
  for (const [name, value] of Object.entries(metric)) {
    if (!isObject(value)) continue;
    if (!KINDS.has(name)) {
      const kinds = [...KINDS.keys()].join(", ");
      throw invalid(`A metric has \`${name.slice(0, 40)}\`. It must have one of these: ${kinds}.`);
    }
    count += listIn(value, "dataPoints").length;
  }
  return count;
}

const invalid = (detail: string) => new Failure("invalid_payload", detail, "metrics");
