import { inflate } from "../capture/decode-body.ts";
import { isObject, type Json } from "../values/json.ts";
import { bodyJson, LIMITS, type LogsBody } from "./logs.ts";
import { countMessages } from "./otlp-protobuf.ts";

/** A signal of OpenTelemetry that is answered and not kept. */
export type UnkeptSignal = keyof typeof LEVELS;

/** The fields that lead to what a request counts, level by level: the number in protobuf, and the name in JSON. */
const LEVELS = {
  traces: [{ 1: "resourceSpans" }, { 2: "scopeSpans" }, { 2: "spans" }],
  metrics: [
    { 1: "resourceMetrics" },
    { 2: "scopeMetrics" },
    { 2: "metrics" },
    { 5: "gauge", 7: "sum", 9: "histogram", 10: "exponentialHistogram", 11: "summary" },
    { 1: "dataPoints" },
  ],
} satisfies Record<string, Record<number, string>[]>;

/**
 * Returns the number of spans or data points in a request (OTLP 1.7).
 * Fails `invalid_payload` or `payload_too_large`.
 */
export function countUnkept(body: LogsBody, signal: UnkeptSignal): number {
  const levels: Record<number, string>[] = LEVELS[signal];
  if (body.form === "json") return countIn(bodyJson(body), levels.map(Object.values<string>));
  const fields = levels.map((level) => Object.keys(level).map(Number));
  return countMessages(inflate(body, LIMITS.inflatedBytesMax), fields);
}

function countIn(value: Json | undefined, [names, ...deeper]: string[][]): number {
  if (Array.isArray(value)) {
    return value.reduce<number>(
      (sum, each) => sum + countIn(each, names ? [names, ...deeper] : []),
      0,
    );
  }
  if (names === undefined) return value === undefined || value === null ? 0 : 1;
  if (!isObject(value)) return 0;
  return names.reduce((sum, name) => sum + countIn(value[name], deeper), 0);
}
