import { t } from "elysia";
import { REFUSALS_MAX } from "../../core/operations/arrivals.ts";
import { STATUS_WARNINGS_MAX, type Status } from "../../core/operations/status.ts";
import { route } from "../operation/route.ts";
import { DateTime, Text, Texts, WarningShape, Whole } from "../operation/schemas.ts";

const RefusalShape = t.Object({
  at: DateTime,
  count: Whole(3, "How many such requests; `at` is the time of the last."),
  status: Whole(401),
  code: Text("invalid_api_key"),
  method: Text("POST"),
  path: Text("/i/v0/e/", "Without the query, cut to 100 characters."),
  sdk: t.Nullable(Text("posthog-js/1.449.2")),
  origin: t.Nullable(Text("https://shop.example")),
  key_mask: t.Nullable(Text("phc_...wxyz", "The start and the end of a key that is not known.")),
});

const ScheduleShape = t.Object({
  kind: t.String({ enum: ["weekly", "nightly"] }),
  cron: Text("0 3 * * *", "In UTC."),
  next_run_at: t.Nullable(DateTime),
  last_run_at: t.Nullable(DateTime),
});

const { samples: _, ...WARNING } = WarningShape.properties;

const StatusShape = t.Object(
  {
    first_event_at: t.Nullable(DateTime, { description: "When the first stored event arrived." }),
    last_event_at: t.Nullable(DateTime, { description: "When the last stored event arrived." }),
    events_last_minute: Whole(42, "Accepted events of the last minute; a start begins with 0."),
    waiting: Whole(0, "Accepted events of all projects that queries do not see yet."),
    lag_ms: Whole(0, "How long the oldest of them waits."),
    arrivals: t.Object({
      minutes: Whole(15, "How far the counts look back; a start begins with 0."),
      accepted: Whole(42),
      dropped: Whole(0),
      refused: t.Array(RefusalShape, {
        description: `Refused requests of all projects, the newest first, at most ${REFUSALS_MAX}. Empty for a key that is confined to projects.`,
      }),
    }),
    warnings: t.Array(t.Object(WARNING), {
      description: `The latest, at most ${STATUS_WARNINGS_MAX} types.`,
    }),
    advice: t.Array(t.Object({ code: Text("wrong_key"), text: Text("The key is not known.") }), {
      description: "Why events may not appear, each with its remedy.",
    }),
    server: t.Object({
      version: Text("0.1.0"),
      data_directory: t.Nullable(
        Text("/srv/hoglet/data", "For commands. Null for a key that is confined to projects."),
      ),
      ready: t.Boolean(),
      reasons: Texts(["replaying_journal"], "Why it is not ready."),
      disk_free: t.Nullable(Whole(42_000_000_000, "Bytes.")),
      stores: t.Object({
        events: Whole(42_000_000, "Bytes, as of the others."),
        loads: Whole(0),
        sqlite: Whole(4_200_000),
        journal: Whole(4_200_000),
      }),
      schedules: t.Array(ScheduleShape),
    }),
  },
  { $id: "ProjectStatus" },
);

/** How events arrive, for the pages that wait for them. */
export const statusRoutes = (status: Status) => [
  route({
    method: "GET",
    path: "/api/projects/:project_id/status/",
    scope: "project:read",
    operationId: "projects_status",
    summary: "Read how events of a project arrive, and whether the server does its work.",
    status: 200,
    response: StatusShape,
    handle: ({ project, principal }) => status.read(project, principal),
  }),
];
