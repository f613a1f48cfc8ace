import { t } from "elysia";
import type { WarningReads, WarningRow } from "../../core/ports/warnings.ts";
import { Failure } from "../../core/values/failure.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import {
  isWarningType,
  meaningOf,
  WARNING_TYPES,
  warningTable,
} from "../../core/warnings/meanings.ts";
import { route } from "../operation/route.ts";
import { PageOf, Paging, WarningShape } from "../operation/schemas.ts";

/** Ingestion warnings, listed by reason, so that a flood of one cannot hide another (decision 38). */
export const warningRoutes = (warnings: Pick<WarningReads, "list">) => [
  route({
    method: "GET",
    path: "/api/environments/:project_id/ingestion_warnings/",
    scope: "project:read",
    operationId: "ingestion_warnings_list",
    summary: "List reasons why events or log records were dropped or changed, the latest first.",
    query: t.Object({
      ...Paging,
      type: t.Optional(
        t.String({ description: `One reason.\n\n${warningTable()}`, enum: WARNING_TYPES }),
      ),
    }),
    status: 200,
    response: PageOf(WarningShape),
    async handle({ project, query: { type, ...paging }, url }) {
      if (type !== undefined && !isWarningType(type)) {
        throw new Failure("invalid_choice", "There is no such type of warning.", "type");
      }
      const page = await cursorPage(url, pageQuery(paging), {
        keysOf: ({ last_at, type }: WarningRow) => [last_at, type] as const,
        keyTypes: ["", ""],
        read: (part) => warnings.list(project, { type }, part),
      });
      return { ...page, results: page.results.map(warningResponse) };
    },
  }),
];

function warningResponse({ project_id: _project, type, ...row }: WarningRow) {
  return { type, ...meaningOf(type), ...row };
}
