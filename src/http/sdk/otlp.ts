import { unknownProjectKey } from "../../core/access/key.ts";
import type { Projects } from "../../core/access/projects.ts";
import { BODY_BYTES_MAX, tooLarge } from "../../core/capture/decode-body.ts";
import { twoKeys } from "../../core/capture/key-in-body.ts";
import type { Logs, LogsBody } from "../../core/logs/logs.ts";
import { partialSuccess } from "../../core/logs/otlp-protobuf.ts";
import { Failure } from "../../core/values/failure.ts";
import type { SdkRoute } from "../operation/route.ts";
import { type Meter, readBody } from "../request/body.ts";

type Form = LogsBody["form"];

/** Content types of a body (OTLP 1.7); posthog-js sends JSON as text, to save a preflight. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ["", "json"],
  ["application/json", "json"],
  ["text/plain", "json"],
  ["application/x-www-form-urlencoded", "json"],
  ["application/x-protobuf", "protobuf"],
  ["application/protobuf", "protobuf"],
]);

const UPLOAD = { bytesMax: BODY_BYTES_MAX, onTooLarge: tooLarge };

/** A partial success (OTLP 1.7): the field of its count in JSON, and the reason if it is always the same. */
const LOGS = { field: "rejectedLogRecords" };
const METRICS = {
  field: "rejectedDataPoints",
  reason: "Hoglet keeps no metrics of OpenTelemetry. Send logs to /i/v1/logs, or events.",
};
const TRACES = {
  field: "rejectedSpans",
  reason:
    "Hoglet keeps no traces of OpenTelemetry. Send calls of models as events such as $ai_generation.",
};
type Signal = { field: string };
type Unkept = typeof METRICS;

/**
 * OTLP over HTTP. Logs are stored (decision 36). Metrics and traces, which SDKs of PostHog may send, are
 * answered as rejected in part: status 200, the count and the reason (decision 37). The project key is a bearer token or `?token=`.
 */
export function logRoutes(logs: Logs, projects: Projects, meter: Meter): SdkRoute[] {
  const handle = async (
    request: Request,
    signal: Signal,
    accept: (project: number, body: LogsBody) => Promise<{ rejected: number; reasons: string[] }>,
  ): Promise<Response> => {
    const project = projectOf(request, projects);
    const form = formOf(request);
    const { bytes, release } = await readBody(request, meter, UPLOAD);
    try {
      const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
      const compression = new URL(request.url).searchParams.get("compression")?.toLowerCase() ?? "";
      const { rejected, reasons } = await accept(project, { bytes, encoding, compression, form });
      const reason = reasons.join(" ");
      return form === "json"
        ? answerJson(rejected, reason, signal.field)
        : answerProtobuf(rejected, reason);
    } finally {
      release();
    }
  };
  const unkept = (path: string, signal: Unkept, of: "metrics" | "traces"): SdkRoute => ({
    method: "POST",
    path,
    handle: (request) =>
      handle(request, signal, async (_, body) => ({
        rejected: await logs.countUnkept(body, of),
        reasons: [signal.reason],
      })),
  });
  return [
    {
      method: "POST",
      path: "/i/v1/logs/",
      handle: (request) => handle(request, LOGS, logs.accept),
    },
    unkept("/i/v1/metrics/", METRICS, "metrics"),
    unkept("/i/v1/traces/", TRACES, "traces"),
    unkept("/i/v0/ai/otel/", TRACES, "traces"),
  ];
}

function projectOf(request: Request, projects: Projects): number {
  const bearer = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const token = new URL(request.url).searchParams.get("token") ?? undefined;
  const key = bearer?.trim() || token?.trim();
  if (!key) {
    const detail = "A project API key is missing: send it as a bearer token or `token`.";
    throw new Failure("invalid_api_key", detail);
  }
  if (token?.trim() && token.trim() !== key) throw twoKeys(key, token);
  const project = projects.ofKey(key);
  if (project === undefined) throw unknownProjectKey(key);
  return project;
}

function formOf(request: Request): Form {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const form = FORMS.get(type);
  if (form !== undefined) return form;
  throw new Failure(
    "unsupported_media_type",
    "The body must be application/json or application/x-protobuf.",
  );
}

function answerJson(rejected: number, reason: string, field: string): Response {
  if (rejected === 0) return Response.json({});
  return Response.json(
    { partialSuccess: { [field]: String(rejected), errorMessage: reason } },
    { headers: { "hoglet-dropped": String(rejected) } },
  );
}

function answerProtobuf(rejected: number, reason: string): Response {
  const headers: Record<string, string> = { "content-type": "application/x-protobuf" };
  if (rejected === 0) return new Response(null, { headers });
  headers["hoglet-dropped"] = String(rejected);
  return new Response(partialSuccess(rejected, reason), { headers });
}
