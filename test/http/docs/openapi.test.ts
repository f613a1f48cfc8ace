import { afterAll, beforeAll, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  AJV_OPTIONS,
  answerOf,
  type OpenApi,
  operationsOf,
  resolved,
} from "../../support/answers/document.ts";
import { concrete } from "../../support/answers/operations.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

let app: TestApp;
let document: OpenApi;

beforeAll(async () => {
  app = await testApp();
  document = (await app.ask("GET", "/openapi.json", { key: null })).body as OpenApi;
});

afterAll(() => app[Symbol.asyncDispose]());

/** Every object inside a value, and the value itself, but those of examples. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, part]) =>
    key === "examples" || key === "example" ? [] : objectsIn(part),
  );
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

/** The faults that an independent validator finds by its strictest rules and a few more. */
async function lint(text: string): Promise<string[]> {
  const rules = {
    "component-name-unique": "error",
    "no-invalid-parameter-examples": "error",
    "no-invalid-schema-examples": "error",
    "no-required-schema-properties-undefined": "error",
    "no-schema-type-mismatch": "error",
    "operation-description": "error",
    "operation-singular-tag": "error",
    "tag-description": "error",
    // A path of a person ends with a word, where that of a deletion has a number.
    "no-ambiguous-paths": "off",
    // The contract writes its paths with one.
    "no-path-trailing-slash": "off",
  } as const;
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const found = await lintFromString({ source: text, config });
  return found.map(({ ruleId, location: [place] }) => `${ruleId} ${place?.pointer}`);
}

/** Whether an operation is always refused: what it is about is deleted by PATCH. */
const isRefused = ({ operationId }: { operationId?: string | undefined }) =>
  ["annotations_destroy", "dashboards_destroy", "playlists_destroy"].includes(operationId ?? "");

test("passes an independent validator, which only misses a success of what always is refused", async () => {
  const text = JSON.stringify(document);

  const never = operationsOf(document).flatMap(({ operation, path }) =>
    isRefused(operation)
      ? [`operation-2xx-response #/paths/${path.replaceAll("/", "~1")}/delete/responses`]
      : [],
  );
  expect(never).toHaveLength(3);
  expect((await lint(text)).sort()).toEqual(never.sort());
  expect(await lint(text.replaceAll('"type":"integer"', '"type":"int"'))).not.toBeEmpty();
  expect(await lint(text.replace('"examples":[100]', '"examples":["many"]'))).toHaveLength(
    never.length + 1,
  );
});

test("has a summary and a tag for every operation", () => {
  const tags = document.tags.map(({ name }) => name);

  for (const { operation } of operationsOf(document)) {
    expect(operation.summary).toEndWith(".");
    expect(operation.tags).toHaveLength(1);
    expect(tags).toContain(operation.tags?.[0] ?? "");
  }
  const used = operationsOf(document).flatMap(({ operation }) => operation.tags ?? []);
  expect(tags.filter((tag) => !used.includes(tag))).toEqual([]);
});

test("has an example of every parameter, field and answer that does not name its values", () => {
  const lacking = [
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      withoutExample(schema, name),
    ),
    ...operationsOf(document).flatMap(({ operation: { operationId, ...operation } }) => [
      ...(operation.parameters ?? []).flatMap(({ name, example, schema }) =>
        example === undefined ? withoutExample(schema, `${operationId} ${name}`) : [],
      ),
      ...Object.keys(operation.responses).flatMap((status) =>
        Object.entries(answerOf(document, { operationId, ...operation }, status)?.content ?? {})
          .filter(([, { example }]) => example === undefined)
          .flatMap(([type, { schema }]) =>
            withoutExample(schema, `${operationId} ${status} ${type}`),
          ),
      ),
    ]),
  ];

  expect(lacking).toEqual([]);
});

/** Places below `place` that hold a value of which there is no example. */
function withoutExample(schema: unknown, place: string): string[] {
  const node = schema as Record<string, unknown>;
  if (["examples", "enum", "const", "$ref"].some((word) => word in node)) return [];
  if (node["type"] === "boolean" || node["type"] === "null") return [];
  const { properties, items, anyOf } = node;
  if (properties !== undefined) {
    return Object.entries(properties as object).flatMap(([name, inner]) =>
      withoutExample(inner, `${place}.${name}`),
    );
  }
  if (items !== undefined) return withoutExample(items, `${place}[]`);
  if (Array.isArray(anyOf)) return anyOf.flatMap((inner) => withoutExample(inner, place));
  return [place];
}

test("calls whole numbers integers, and nothing else", () => {
  const types = new Map<string, unknown>();
  for (const { operation } of operationsOf(document)) {
    for (const { name, schema } of operation.parameters ?? []) types.set(name, schema?.["type"]);
  }
  const numbers = [
    ...["limit", "offset", "page", "created_by", "group_type_index"],
    ...["dashboard_item", "deletion_id"],
  ];

  const integers = [...types].filter(([, type]) => type === "integer").map(([name]) => name);
  expect(integers.sort()).toEqual(numbers.sort());
  expect([...types.values()]).not.toContain("number");
  expect(document.components.schemas["PersonalApiKeyDraft"]).toMatchObject({
    properties: { scoped_teams: { anyOf: [{ items: { type: "integer" } }, { type: "null" }] } },
  });
});

test("declares whole numbers as integers, and the headers of 429", () => {
  const { responses, schemas } = document.components as Record<string, Record<string, unknown>>;
  expect(schemas?.["PlaylistRecordings"]).toMatchObject({
    properties: { version: { const: 4, type: "integer" } },
  });
  expect(responses?.["429"]).toMatchObject({
    content: {
      "application/json": {
        example: { detail: "Too many API keys were not valid. Try again in 42 s." },
      },
    },
  });
});

test("calls an id of a path what it is, and links of a page by the page's own address", () => {
  const idOf = (path: string) =>
    document.paths[path]?.["get"]?.parameters?.find(({ name }) => name === "id");
  expect(idOf("/api/environments/{project_id}/persons/{id}/")).toMatchObject({
    example: 1,
    schema: { anyOf: [{ type: "integer" }, { type: "string", format: "uuid" }] },
  });
  expect(idOf("/api/personal_api_keys/{id}/")).toMatchObject({
    example: 1,
    schema: { anyOf: [{ type: "integer" }, { type: "string", const: "@current" }] },
  });

  const pages = operationsOf(document).flatMap(({ path, operation }) => {
    const { content } = answerOf(document, operation, 200) ?? {};
    const { $ref = "" } = (content?.["application/json"]?.schema ?? {}) as { $ref?: string };
    const { properties } = (resolved(document, $ref) ?? {}) as { properties?: Links };
    if (properties?.next === undefined) return [];
    const links = [properties.next, properties.previous].map((link) => link?.anyOf[0]?.examples[0]);
    return [[path, ...links]];
  });

  const base = "http://localhost:8000";
  expect(pages.length).toBeGreaterThan(8);
  for (const [path = "", ...links] of pages) {
    const [noun = ""] =
      /^\/api\/(environments\/1\/)?\w+\//.exec(path.replace("{project_id}", "1")) ?? [];
    for (const link of links) expect(link ?? base + noun).toStartWith(base + noun);
  }
  const persons = `${base}/api/environments/1/persons/?limit=100`;
  const cursor = "cursor=2026-11-21T12%3A00%3A00.000000Z_1_1";
  const [, ...ofPersons] = pages.find(([path]) => path?.endsWith("/persons/")) ?? [];
  expect(ofPersons).toEqual([`${persons}&${cursor}&offset=100`, persons]);
});

type Link = { anyOf: { examples: string[] }[] };
type Links = { next?: Link; previous?: Link };

test("names only JSON for bodies, and whether there must be one", async () => {
  const taking = operationsOf(document).filter(({ operation }) => operation.requestBody);
  const managed = taking.filter(({ operation }) => operation.security?.length === 1);

  expect(managed.length).toBeGreaterThan(10);
  for (const { path, method, operation } of taking) {
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(["application/json"]);
    if (operation.security?.length === 0) continue;
    const address = concrete(path.replace(/\{(\w+)\}/g, ":$1"));
    const ask = (body?: string) =>
      app.ask(
        method.toUpperCase(),
        address + (path.includes("delete_property") ? "?$unset=plan" : ""),
        {
          ...(body === undefined ? {} : { body, headers: { "content-type": "text/plain" } }),
        },
      );
    expect(await ask("{}")).toMatchObject({ status: 415 });
    const missing = (await ask()).body as { code?: string };
    const isNeeded = operation.requestBody?.required === true;
    expect([address, missing.code === "required"]).toEqual([address, isNeeded]);
  }
});

test("tells of CSV and text wherever they may be asked for", () => {
  const formats = operationsOf(document).filter(({ operation: { parameters = [] } }) =>
    parameters.some(({ name }) => name === "format"),
  );

  expect(formats.length).toBeGreaterThan(5);
  for (const { operation } of formats) {
    const contents = Object.keys(operation.responses).flatMap((status) => {
      const { content } = answerOf(document, operation, status) ?? {};
      return status.startsWith("2") && content !== undefined ? [Object.keys(content)] : [];
    });
    const [format] = (operation.parameters ?? []).filter(({ name }) => name === "format");
    const types = Object.entries({ csv: "text/csv", txt: "text/plain" }).flatMap(([name, type]) =>
      JSON.stringify(format?.schema).includes(`"${name}"`) ? [type] : [],
    );
    expect(contents).toContainEqual(["application/json", ...types]);
  }
});

test("is of version 3.1 and names the product and its version", () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info.title).toBe("Hoglet");
  expect(document.info.version).toMatch(/^\d+\.\d+\.\d+/);
});

test("has only references to its own parts", () => {
  const refs = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === "string" ? $ref : []));

  expect(refs.length).toBeGreaterThan(0);
  const dangling = refs.filter((ref) => resolved(document, ref) === undefined);
  expect(dangling).toEqual([]);
});

test("names every operation once", () => {
  const names = operationsOf(document).map(({ operation }) => operation.operationId);

  expect(names).not.toContain(undefined);
  expect(new Set(names).size).toBe(names.length);
});

test("declares the parameters of every path, and none twice", () => {
  for (const { path, operation } of operationsOf(document)) {
    const parameters = operation.parameters ?? [];
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);

    expect(inPath.map(({ name }) => name).sort()).toEqual(named.sort());
    expect(inPath.every(({ required }) => required === true)).toBe(true);
    const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(places).size).toBe(places.length);
    for (const parameter of parameters) {
      expect(["path", "query", "header", "cookie"]).toContain(parameter.in);
      expect(parameter.schema).toBeObject();
    }
  }
});

test("describes every answer, a success and a failure among them", () => {
  for (const { operation } of operationsOf(document)) {
    const statuses = Object.keys(operation.responses);

    expect(statuses.filter((status) => !/^([1-5]\d\d|2XX)$/.test(status))).toEqual([]);
    expect(statuses.some((status) => status.startsWith("2"))).toBe(!isRefused(operation));
    expect(statuses).toContain("401");
    for (const status of statuses) {
      expect(answerOf(document, operation, status)?.description).toBeTruthy();
    }
  }
});

test("tells what may become of a body: too slow, too large, of another type", () => {
  const withBody = operationsOf(document).filter(({ operation }) => operation.requestBody);

  expect(withBody.map(({ path }) => path)).toContain("/batch/");
  for (const { operation } of withBody) {
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["408", "413", "415"]));
  }
});

test("tells of both answers where one is empty, and of the header that asks for the other", () => {
  const preferring = operationsOf(document).filter(({ operation: { parameters = [] } }) =>
    parameters.some(({ name, in: place }) => name === "Prefer" && place === "header"),
  );
  const bodies = preferring.map(({ operation }) => [
    operation.operationId,
    Object.keys(operation.responses)
      .filter((status) => status.startsWith("2"))
      .map((status) => {
        const { content, description } = answerOf(document, operation, status) ?? {};
        return [status, content !== undefined, description];
      }),
  ]);

  const preferred = "With `Prefer: return=representation`, the result";
  const both = [
    ["200", true, `${preferred}; else no body.`],
    ["2XX", false, "Without this preference, 200 has no body."],
  ];
  expect(Object.fromEntries(bodies)).toMatchObject({
    playlists_recordings_list: both,
    playlists_recordings_create: both,
    playlists_recordings_destroy: [
      ["200", true, `${preferred}.`],
      ["204", false, "No Content"],
    ],
  });
  const refused = operationsOf(document).find(
    ({ operation }) => operation.operationId === "playlists_destroy",
  );
  expect(refused?.operation.responses["405"]).toEqual({ description: "Method Not Allowed" });
});

test("asks for the key of a declared scheme, but to capture", () => {
  const schemes = new Set(Object.keys(document.components.securitySchemes));

  const open = operationsOf(document).filter(({ operation }) => {
    const used = (operation.security ?? []).flatMap((security) => Object.keys(security));
    expect(used.filter((name) => !schemes.has(name))).toEqual([]);
    return used.length === 0;
  });

  expect(open.map(({ path }) => path).sort()).toEqual(["/batch/", "/i/v0/e/"]);
});

test("holds schemas of JSON Schema 2020-12 alone", () => {
  const types = ["null", "boolean", "object", "array", "number", "integer", "string"];
  const schemas = objectsIn(document).filter(({ type }) => types.includes(String(type)));
  const contents = operationsOf(document).flatMap(({ operation }) =>
    Object.keys(operation.responses).flatMap((status) =>
      Object.values(answerOf(document, operation, status)?.content ?? {}),
    ),
  );
  const answers = contents.flatMap(({ schema }) => schema ?? []);

  const ajv = new Ajv2020(AJV_OPTIONS);
  expect(answers.length).toBeGreaterThan(100);
  for (const schema of [...Object.values(document.components.schemas), ...answers]) {
    expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  }
  const odd = ["$id", "nullable", "example", "static"];
  expect(schemas.flatMap((schema) => odd.filter((word) => word in schema))).toEqual([]);
  for (const { required, properties } of schemas) {
    if (!Array.isArray(required)) continue;
    expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(required));
  }
  const ofNoType = objectsIn(document.components.schemas).flatMap(({ type }) =>
    typeof type === "string" && !types.includes(type) ? type : [],
  );
  expect(ofNoType).toEqual([]);
});
