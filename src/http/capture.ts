import { t } from "elysia";
import { Failure } from "../domain/errors.ts";
import { BODY_BYTES_MAX, tooLarge } from "../services/admission.ts";
import type { Capture } from "../services/capture.ts";
import { type Meter, readBody } from "./body.ts";
import { AnyObject } from "./schemas.ts";
import type { SdkRoute } from "./sdk.ts";

const OK = '{"status":"Ok"}';

const CapturedFields = {
  event: t.String({ description: "The event's name." }),
  properties: t.Optional(AnyObject),
  timestamp: t.Optional(
    t.String({ description: "ISO 8601; without a zone it is UTC. The time of arrival if absent." }),
  ),
  uuid: t.Optional(
    t.String({ description: "What a retry is recognised by. Made if absent.", format: "uuid" }),
  ),
};
const ProjectKey = t.String({ description: "The project API key." });

const EventBody = t.Object(
  { api_key: ProjectKey, distinct_id: t.String(), ...CapturedFields },
  { examples: [{ api_key: "phc_…", event: "signed up", distinct_id: "user-1" }] },
);

const BatchBody = t.Object(
  {
    api_key: ProjectKey,
    historical_migration: t.Optional(t.Boolean()),
    batch: t.Array(
      t.Object({
        ...CapturedFields,
        distinct_id: t.Optional(t.String({ description: "Here, or inside properties." })),
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
\`distinct_id\` is not stored, and the answer is 200 all the same: the header \`Hoglet-Dropped\`
counts such events. The body may be gzip, at most ${BODY_BYTES_MAX} bytes before and after.`;

/** Event capture (contract 4.5): public, the project key is in the body. */
export function captureRoutes(capture: Capture, meter: Meter): SdkRoute[] {
  const handle = counted(capture, async (request: Request): Promise<Response> => {
    const { bytes, release } = await readBody(request, BODY_BYTES_MAX, meter, tooLarge);
    try {
      const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
      const { dropped } = await capture.accept({ bytes, encoding });
      const headers: Record<string, string> = { "content-type": "application/json" };
      if (dropped > 0) headers["hoglet-dropped"] = String(dropped);
      return new Response(OK, { headers });
    } finally {
      release();
    }
  });
  return [
    {
      method: "POST",
      path: "/i/v0/e/",
      handle,
      operationId: "capture_event",
      summary: "Capture one event.",
      description: DESCRIPTION,
      body: EventBody,
    },
    {
      method: "POST",
      path: "/batch/",
      handle,
      operationId: "capture_batch",
      summary: "Capture many events.",
      description: DESCRIPTION,
      body: BatchBody,
    },
    { method: "POST", path: "/e/", handle },
  ];
}

type Handle = SdkRoute["handle"];

/** Has the requests counted that are refused. */
function counted(capture: Pick<Capture, "refused">, handle: Handle): Handle {
  return async (request, params) => {
    try {
      return await handle(request, params);
    } catch (error) {
      capture.refused(error instanceof Failure ? error.code : "error");
      throw error;
    }
  };
}
