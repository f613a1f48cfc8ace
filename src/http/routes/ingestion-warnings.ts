import { t } from "elysia";
import { pageQuery } from "../../core/values/page.ts";
import { WARNING_TYPES, warningTable } from "../../core/warnings/warning.ts";
import type { Warnings } from "../../core/warnings/warnings.ts";
import { route } from "../operation/route.ts";
import { PageOf, Paging, WarningShape } from "../operation/schemas.ts";

/** Ingestion warnings: what became of events and log records that were not stored as sent. */
export const warningRoutes = (warnings: Warnings) => [
  route({
    method: "GET",
    path: "/api/environments/:project_id/ingestion_warnings/",
    scope: "project:read",
    operationId: "ingestion_warnings_list",
    summary: "List why events or log records were dropped or changed, the last seen reason first.",
    query: t.Object({
      ...Paging,
      type: t.Optional(
        t.String({ description: `One reason.\n\n${warningTable()}`, enum: WARNING_TYPES }),
      ),
    }),
    status: 200,
    response: PageOf(WarningShape),
    handle: ({ project, query, url }) => warnings.list(project, query, pageQuery(query), url),
  }),
];
