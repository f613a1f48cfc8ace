import { t } from "elysia";
import type { Body, Protocol } from "../../core/capture/admit-body.ts";
import type { Capture, Captured } from "../../core/capture/capture.ts";
import { BODY_BYTES_MAX, tooLarge } from "../../core/capture/decode-body.ts";
import type { RequestHints } from "../../core/capture/read-body.ts";
import { Failure, type FailureCode } from "../../core/values/failure.ts";
import { parseUuid } from "../../core/values/ids.ts";
import { parseTime, TIME_MS_MAX } from "../../core/values/time.ts";
import { problem } from "../answer/errors.ts";
import type { SdkAnswer, SdkRoute } from "../operation/route.ts";
import { AnyObject, Text } from "../operation/schemas.ts";
import { type Meter, readBody } from "../request/body.ts";
import { parametersOf, searchOf } from "../request/search.ts";

const OK = '{"status":"Ok"}';

const CapturedFields = {
  event: Text("signed up", "The event's name."),
  properties: t.Optional(AnyObject({ plan: "pro", $set: { email: "ann@example.com" } })),
  timestamp: t.Optional(
    Text(
      "2026-11-21T12:00:00Z",
      "ISO 8601; without a zone it is UTC. By default the time of arrival.",
    ),
  ),
  uuid: t.Optional(
    t.String({
      format: "uuid",
      description: "The id by which a retry is recognised. Made by the server if absent.",
      examples: ["019aa6ec-4c00-7000-8000-000000000001"],
    }),
  ),
};
const ProjectKey = Text("phc_…", "The project API key.");

const EventBody = t.Object(
  { api_key: ProjectKey, distinct_id: Text("ann"), ...CapturedFields },
  { examples: [{ api_key: "phc_…", event: "signed up", distinct_id: "user-1" }] },
);

const BatchBody = t.Object(
  {
    api_key: ProjectKey,
    historical_migration: t.Optional(t.Boolean()),
    batch: t.Array(
      t.Object({
        ...CapturedFields,
        distinct_id: t.Optional(Text("ann", "Here, or inside properties.")),
      }),
    ),
  },
  {
    examples: [
      {
        api_key: "phc_…",
        batch: [{ event: "signed up", properties: { distinct_id: "user-1", plan: "pro" } }],
      },
    ],
  },
);

const DESCRIPTION = `200 means that the events are on disk. An event without a name or a
\`distinct_id\` is not stored. The answer is still 200, and the header \`Hoglet-Dropped\` counts such
events. The body may be gzip, deflate, br or zstd, at most ${BODY_BYTES_MAX} bytes before and after
decompression.`;

/** Returns what the request says about its sender. */
export type SenderOf = (request: Request) => Pick<RequestHints, "geoip" | "client">;

/** Receives the requests that a route refuses by itself, in an answer of its own shape. */
export type OnRefused = (request: Request, failure: Failure) => void;

/** Event capture (contract 4.5): public, the project key is in the body. */
export function captureRoutes(
  capture: Capture,
  meter: Meter,
  senderOf: SenderOf,
  onRefused: OnRefused,
): SdkRoute[] {
  const accept = async (request: Request, protocol: Protocol): Promise<Captured> => {
    let release = () => {};
    const sender = senderOf(request);
    try {
      const body = await readBody(request, meter, UPLOAD);
      release = body.release;
      return await capture.accept(bodyOf(request, { protocol, sender, received: body.bytes }));
    } catch (error) {
      capture.refused(error instanceof Failure ? error.code : "error");
      throw error;
    } finally {
      release();
    }
  };
  const route = (path: string, protocol: Protocol = "events"): SdkRoute => ({
    method: "POST",
    path,
    async handle(request) {
      const { dropped } = await accept(request, protocol);
      return answered(OK, dropped);
    },
  });
  return [
    {
      ...route("/i/v0/e/"),
      documented: {
        operationId: "capture_event",
        summary: "Capture one event.",
        description: DESCRIPTION,
        body: EventBody,
      },
    },
    {
      ...route("/batch/"),
      documented: {
        operationId: "capture_batch",
        summary: "Capture many events.",
        description: DESCRIPTION,
        body: BatchBody,
      },
    },
    recordingRoute(route("/s/")),
    ...["/e/", "/capture/", "/track/"].map((path) => route(path)),
    route("/i/v0/ai/", "ai"),
    route("/i/v0/ai/batch/", "ai"),
    route("/engage/", "engage"),
    v1Route(async (request) => {
      const { dropped, results } = await accept(request, "v1");
      return answered(results, dropped);
    }, onRefused),
  ];
}

/**
 * Takes session recordings, which no SDK sends after our config. All of them are dropped and counted,
 * also an invalid body: an SDK would send a failed one again (decision 41).
 */
function recordingRoute(route: SdkRoute): SdkRoute {
  return {
    ...route,
    async handle(request, params) {
      try {
        return await route.handle(request, params);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return answered(OK, 0);
      }
    },
  };
}

const UPLOAD = { bytesMax: BODY_BYTES_MAX, onTooLarge: tooLarge };

function answered(text: string, dropped: number): SdkAnswer {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (dropped > 0) headers["hoglet-dropped"] = String(dropped);
  return { text, headers };
}

type Received = Pick<Body, "protocol"> & { sender: ReturnType<SenderOf>; received: Uint8Array };

/** The body with the facts of its address and headers; without a body, the form in the query. */
function bodyOf(request: Request, { protocol, sender, received }: Received): Body {
  const { headers, url } = request;
  const search = searchOf(url);
  const query = parametersOf(search);
  const v1 = protocol === "v1";
  const isInQuery = received.length === 0 && !v1 && query.has("data");
  const bytes = isInQuery ? new TextEncoder().encode(search) : received;
  const underscore = v1 ? undefined : query.get("_") || undefined;
  const sentAt = v1
    ? parseTime(headers.get("posthog-request-timestamp") ?? "")
    : sentAtOf(underscore);
  const key = v1 ? undefined : (query.get("token") ?? undefined);
  return {
    bytes,
    encoding: headers.get("content-encoding")?.trim().toLowerCase() ?? "",
    compression: query.get("compression")?.toLowerCase() ?? "",
    protocol,
    sdk: v1 ? (headers.get("posthog-sdk-info") ?? "") : "",
    hints: {
      key: key ?? bearerOf(headers),
      keyInBody: !v1,
      sentAt,
      sentAtText: underscore,
      geoip: sender.geoip,
      client: sender.client ?? {},
    },
  };
}

/** Smaller values of `_` are no milliseconds: the start of 2021. */
const QUERY_TIME_MS_MIN = 1_609_459_200_000;

function sentAtOf(underscore: string | undefined): number | undefined {
  const ms = Number(underscore);
  return ms >= QUERY_TIME_MS_MIN && ms <= TIME_MS_MAX ? ms : undefined;
}

/**
 * The route of the newer capture protocol: the key is in a header, every event has its own result, and
 * errors have another shape (decision 33). `accept` gets requests with valid headers.
 */
function v1Route(accept: (request: Request) => Promise<SdkAnswer>, onRefused: OnRefused): SdkRoute {
  return {
    method: "POST",
    path: "/i/v1/analytics/events/",
    async handle(request) {
      try {
        checkHeaders(request.headers);
        return await accept(request);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        onRefused(request, error);
        return v1Problem(error);
      }
    },
  };
}

/** The token of an `Authorization: Bearer` header (RFC 6750 2.1). */
function bearerOf(headers: Headers): string | undefined {
  const given = headers.get("authorization");
  return given === null ? undefined : /^bearer\s+(.+)$/i.exec(given)?.[1];
}

/** The headers that v1 requires, each with its check. */
const V1_HEADERS: Record<string, (value: string) => boolean> = {
  "PostHog-Sdk-Info": () => true,
  "PostHog-Attempt": (value) => /^[1-9]\d{0,8}$/.test(value),
  "PostHog-Request-Id": (value) => parseUuid(value) !== undefined,
  "PostHog-Request-Timestamp": (value) => parseTime(value) !== undefined,
  "Content-Type": () => true,
  "User-Agent": () => true,
};

function checkHeaders(headers: Headers): void {
  if (bearerOf(headers) === undefined) {
    throw new Failure("invalid_api_key", "A project API key is missing: Authorization: Bearer.");
  }
  const missing = Object.keys(V1_HEADERS).filter((name) => headers.get(name) === null);
  if (missing.length > 0) {
    throw new Failure("required", `Headers are missing: ${missing.join(", ")}.`);
  }
  for (const [name, isValid] of Object.entries(V1_HEADERS)) {
    if (isValid(headers.get(name) ?? "")) continue;
    throw new Failure("invalid_input", `The header ${name} is not valid.`);
  }
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new Failure("unsupported_media_type", "The body must be application/json.");
  }
}

/** v1's names of failures. */
const V1_ERRORS: Partial<Record<FailureCode, string>> = {
  required: "missing_required_headers",
  invalid_input: "invalid_header_value",
  invalid_payload: "invalid_batch",
  invalid_api_key: "invalid_api_token",
  unsupported_media_type: "unsupported_encoding",
  unavailable: "service_unavailable",
};

/** v1's own error shape. */
function v1Problem(failure: Failure): Response {
  const error = V1_ERRORS[failure.code] ?? failure.code;
  const envelope = { error, error_description: failure.message, error_uri: "/docs" };
  return problem(failure, {}, envelope);
}
