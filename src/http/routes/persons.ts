import { t } from "elysia";
import type { Persons } from "../../core/persons/persons.ts";
import { PAGE_LIMIT_MAX, pageQuery } from "../../core/values/page.ts";
import { csv, Format, formatted, paged } from "../answer/format.ts";
import { route } from "../operation/route.ts";
import { PageOf, Paging, PathId, PersonShape, Text, Whole } from "../operation/schemas.ts";
import { listIn, readDistinctId } from "../request/parameters.ts";

/** The path of persons. */
export const PERSONS = "/api/environments/:project_id/persons/";

/** The path parameter of one person. */
export const PersonId = t.Object({
  id: PathId("The integer id of the person, or its uuid.", { type: "string", format: "uuid" }),
});

const FILTER = '{"key":"plan","operator":"exact","value":"pro"}';

const PersonsQuery = t.Object({
  ...Paging,
  ...Format,
  cursor: t.Optional(
    Text(
      "2026-11-21T12:00:00.000000Z_1_1",
      "Position of the page, taken from `next`: no person is skipped or repeated when others change.",
    ),
  ),
  distinct_id: t.Optional(Text("ann", "Filter by distinct id, exact.")),
  email: t.Optional(Text("ann@example.com", "Filter by e-mail, exact.")),
  properties: t.Optional(
    t.Unknown({
      type: "array",
      items: { type: "string" },
      examples: [[FILTER]],
      description: `Filters, combined by AND: each is a JSON object such as ${FILTER}, or all are one JSON list. A group is {"type":"OR","values":[...]}, also with the type AND. The \`semver_…\` operators compare the three numbers of a version; pre-releases count as equal and come before it. \`properties[]\` and \`properties[0]\` work, too.`,
    }),
  ),
  search: t.Optional(
    Text("example.com", "A part of the e-mail address, in any case, or a whole distinct id."),
  ),
});

/** Values of a property, each with a count. */
export const PropertyValuesShape = t.Object(
  {
    results: t.Array(t.Object({ name: Text("pro"), count: Whole(42) })),
    refreshing: t.Literal(false),
  },
  { $id: "PropertyValues" },
);

/** Persons, read (contract 4.1, 4.2). */
export const personRoutes = (persons: Persons) => [
  route({
    method: "GET",
    path: PERSONS,
    scope: "person:read",
    operationId: "persons_list",
    summary: "List persons, the newest first.",
    query: PersonsQuery,
    status: 200,
    response: PageOf(PersonShape),
    async handle({ project, query, url, signal }) {
      const { limit, offset, format, cursor, email, search } = query;
      const distinct_id = readDistinctId(query.distinct_id);
      // From the address, because Elysia keeps only one of a repeated parameter.
      const properties = listIn(url, "properties").filter((text) => text !== "");
      const filter = { distinct_id, email, search, properties };
      // A table has no next page: it may have all rows.
      const most = format === "csv" ? PAGE_LIMIT_MAX : Number.POSITIVE_INFINITY;
      const checked = pageQuery({
        limit: limit === undefined ? limit : Math.min(limit, most),
        offset,
      });
      if (format === "csv") {
        return csv(await persons.csv(project, filter, { limit, offset }, signal));
      }
      const { page, others } = await persons.list(
        project,
        { ...filter, cursor },
        checked,
        url,
        signal,
      );
      return others === undefined ? page : paged(page, others);
    },
  }),
  route({
    method: "GET",
    path: `${PERSONS}values/`,
    scope: "person:read",
    operationId: "persons_values",
    summary: "List the values of a property of persons, the most frequent first.",
    query: t.Object({
      key: Text("plan", "The name of the property."),
      value: t.Optional(Text("pr", "A part of the values, in any case.")),
    }),
    status: 200,
    response: PropertyValuesShape,
    async handle({ project, query: { key, value = "" }, signal }) {
      return { results: await persons.values(project, key, value, signal), refreshing: false };
    },
  }),
  route({
    method: "GET",
    path: `${PERSONS}:id/`,
    scope: "person:read",
    operationId: "persons_retrieve",
    summary: "Read a person.",
    params: PersonId,
    query: t.Object(Format),
    status: 200,
    response: PersonShape,
    async handle({ project, params, query: { format } }) {
      const person = await persons.get(project, params.id);
      return formatted(format, person, 200);
    },
  }),
];
