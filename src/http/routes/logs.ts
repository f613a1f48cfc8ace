import { t } from "elysia";
import type { Projects } from "../../core/access/projects.ts";
import { type IsCatchingUp, requireCaughtUp } from "../../core/events/freshness.ts";
import {
  LOG_FILTER_TYPES,
  LOG_LIMIT_DEFAULT,
  LOG_LIMIT_MAX,
  LOG_OFFSET_MAX,
  LOG_ORDERS,
  LOG_SEARCH_CHARS_MAX,
  logQuery,
} from "../../core/logs/query.ts";
import { LOG_LEVELS } from "../../core/logs/record.ts";
import type { LogReads } from "../../core/ports/logs.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { rejectUnknownFields } from "../../core/values/known-fields.ts";
import { cursorOf } from "../../core/values/page.ts";
import type { Clock } from "../../core/values/time.ts";
import { route } from "../operation/route.ts";
import {
  AnyObject,
  AnyValue,
  BodyInteger,
  DateTime,
  Text,
  Texts,
  Uuid,
  Whole,
} from "../operation/schemas.ts";

const CURSOR = "2026-11-21T12:00:00.000000Z_1";

const FILTERS = {
  type: "AND",
  values: [{ key: "http.route", operator: "icontains", value: "/cart", type: "log" }],
};

/** Keeps unknown fields, so that the query refuses them by name. */
const KEEPS_UNKNOWN = { additionalProperties: t.Unknown() };

const QuerySchema = t.Object(
  {
    dateRange: t.Optional(
      t.Object(
        {
          date_from: t.Optional(
            t.Nullable(
              Text(
                "-24h",
                "At this time or later: ISO 8601, or an age. By default 24 hours ago. A time without a zone is in the project's time zone.",
              ),
            ),
          ),
          date_to: t.Optional(
            t.Nullable(Text("2026-11-30", "At this time or earlier; a date means the whole day.")),
          ),
        },
        KEEPS_UNKNOWN,
      ),
    ),
    severityLevels: t.Optional(
      Texts(["error", "fatal"], `Any of these levels, by default all: ${LOG_LEVELS.join(", ")}.`),
    ),
    serviceNames: t.Optional(Texts(["shop"], "Any of these services, by default all.")),
    searchTerm: t.Optional(
      t.Nullable(
        Text(
          "timeout",
          `A part of the body, in any case; at most ${LOG_SEARCH_CHARS_MAX} characters.`,
        ),
      ),
    ),
    filterGroup: t.Optional(
      AnyValue(
        FILTERS,
        `Filters by attribute, or groups of filters, combined by AND or OR. The type of a filter is ${LOG_FILTER_TYPES.join(", ")}; \`log\` is the attribute of the record, else of its resource.`,
      ),
    ),
    orderBy: t.Optional(
      t.Nullable(t.String({ description: "The order, by default latest.", enum: [...LOG_ORDERS] })),
    ),
    limit: t.Optional(
      t.Nullable(
        BodyInteger(100, `${LOG_LIMIT_DEFAULT} by default, at most ${LOG_LIMIT_MAX} records.`),
      ),
    ),
    offset: t.Optional(
      t.Nullable(
        BodyInteger(
          0,
          `Number of records to skip, at most ${LOG_OFFSET_MAX}. \`after\` leads further, without an offset.`,
        ),
      ),
    ),
    after: t.Optional(
      t.Nullable(
        Text(CURSOR, "Position of the page, taken from `nextCursor`: new logs do not move it."),
      ),
    ),
  },
  {
    ...KEEPS_UNKNOWN,
    $id: "LogQuery",
    examples: [{ severityLevels: ["error"], searchTerm: "timeout" }],
  },
);

const LogShape = t.Object(
  {
    uuid: Uuid,
    timestamp: DateTime,
    observed_timestamp: DateTime,
    severity_text: Text("ERROR", "As it was sent; a text that was not sent is empty."),
    severity_number: Whole(17, "1 to 24; 0 if it was not sent."),
    level: t.String({ enum: [...LOG_LEVELS] }),
    service_name: Text("shop"),
    body: Text("payment timeout"),
    attributes: AnyObject({ "http.route": "/cart" }),
    resource_attributes: AnyObject({ "service.name": "shop" }),
    trace_id: Text("5b8efff798038103d269b633813fc60c"),
    span_id: Text("eee19b7ec3c1b174"),
    instrumentation_scope: AnyObject({ name: "checkout", version: "1.2.0" }),
    event_name: Text("payment.failed"),
  },
  { $id: "LogRecord" },
);

const LogPageShape = t.Object(
  {
    query: AnyObject({ severityLevels: ["error"] }, "As it was sent."),
    results: t.Array(LogShape),
    hasMore: t.Boolean(),
    nextCursor: t.Nullable(
      Text(CURSOR, "The value of `after` for the next page; null on the last page."),
    ),
  },
  { $id: "LogPage" },
);

type Needs = {
  logReads: LogReads;
  projects: Pick<Projects, "get">;
  isCatchingUp: IsCatchingUp;
  now: Clock;
};

/** Queries of log records (contract 4.1); a page ends by bytes too, for a record has up to 1 MiB (decision 70). */
export const logQueryRoutes = ({ logReads, projects, isCatchingUp, now }: Needs) => [
  route({
    method: "POST",
    path: "/api/environments/:project_id/logs/query/",
    scope: "error_tracking:read",
    operationId: "logs_query",
    summary: "Find log records, by default those of the last 24 hours, the latest first.",
    body: t.Optional(
      t.Object(
        { query: t.Optional(QuerySchema) },
        {
          ...KEEPS_UNKNOWN,
          $id: "LogQueryBody",
          examples: [{ query: { severityLevels: ["error"] } }],
        },
      ),
    ),
    status: 200,
    empty: true,
    response: LogPageShape,
    async handle({ project, body = {}, signal }) {
      rejectUnknownFields(body as JsonObject, { known: ["query"] });
      const { query = {} } = body;
      const { timezone } = await projects.get(project);
      const read = logQuery(query, { now: now(), timezone });
      requireCaughtUp(isCatchingUp);
      const { rows, isMore } = await logReads.list(project, read, signal);
      const last = isMore ? rows.at(-1) : undefined;
      return {
        query,
        results: rows.map(({ seq: _, ...row }) => row),
        hasMore: isMore,
        nextCursor: last === undefined ? null : cursorOf({ at: last.timestamp, id: last.seq }),
      };
    },
  }),
];
