import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Content = Record<string, { schema?: object; example?: unknown }>;

/** An answer as the document describes it. */
export type DocumentedAnswer = { description?: string; content?: Content; headers?: object };

/** A parameter as the document describes it. */
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema?: Record<string, unknown>;
};

/** An operation of the document. */
export type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  security?: Record<string, string[]>[];
  responses: Record<string, DocumentedAnswer | { $ref: string }>;
};

/** The server's OpenAPI document, as far as tests look at it. */
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, DocumentedAnswer>;
    securitySchemes: Record<string, object>;
  };
};

/** The rules of schemas in the document. */
export const AJV_OPTIONS = { strict: true, allowUnionTypes: true } as const;

/** An answer that was given, with its body as text. */
export type Given = {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string;
};

/** The target of a reference such as `#/components/schemas/Person`; undefined if it is absent. */
export function resolved(document: OpenApi, ref: string): unknown {
  const [root, ...steps] = ref.split("/");
  if (root !== "#") return undefined;
  return steps
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], document);
}

/** Every operation, with its path and method in lower case. */
export function operationsOf({ paths }: OpenApi) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** An answer of an operation, wherever the document has it. */
export function answerOf(
  document: OpenApi,
  { responses }: Operation,
  status: string | number,
): DocumentedAnswer | undefined {
  const answer = responses[status];
  if (answer === undefined || !("$ref" in answer)) return answer;
  return resolved(document, answer.$ref) as DocumentedAnswer;
}

/**
 * Checks answers against the document: that the operation may answer so, in this format, and that
 * the body fits its schema and has no field that the schema does not name. Requests that are no
 * operation of the document are not checked. Throws an error that names the fault.
 */
export function answerCheck(document: OpenApi): (given: Given) => void {
  // The test of the document checks its schemas, once: that takes a tenth of a second.
  const ajv = new Ajv2020({ ...AJV_OPTIONS, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addVocabulary(["components"]);
  ajv.addSchema({ $id: "openapi", components: closed(document.components) as object });
  const validators = new Map<object, ValidateFunction>();
  const validatorOf = (schema: object) => {
    const known = validators.get(schema) ?? ajv.compile(closed(schema) as object);
    validators.set(schema, known);
    return known;
  };
  const find = operationFinder(document);

  return (given) => {
    const { method, path, status, headers, text } = given;
    const operation = find(method, path);
    if (operation === undefined) return;
    const fail = (what: string): never => {
      throw new Error(`${method} ${path} answered ${status}, ${what}\n${text.slice(0, 2000)}`);
    };
    const answer = answerOf(document, operation, status);
    if (answer === undefined) return fail("which the document does not have");
    const type = headers.get("content-type")?.split(";")[0];
    if (text === "") {
      const mayBeEmpty = answer.content === undefined || isMinimal(operation, headers);
      return mayBeEmpty ? undefined : fail("without a body");
    }
    const content = answer.content?.[type ?? ""];
    if (content?.schema === undefined) return fail(`as ${type}, which the document does not have`);
    const validate = validatorOf(content.schema);
    if (validate(type === "application/json" ? JSON.parse(text) : text)) return;
    fail(`which is not of its schema: ${ajv.errorsText(validate.errors)}`);
  };
}

let check: Promise<(given: Given) => void> | undefined;

/** The check against the document that `fetched` gets, which is the same for every server. */
export function documented(fetched: () => Promise<Response>): Promise<(given: Given) => void> {
  check ??= fetched()
    .then((answered) => answered.json())
    .then((document) => answerCheck(document as OpenApi));
  return check;
}

/** Whether an operation may leave its body out, and no preference asked for the result. */
function isMinimal({ parameters = [] }: Operation, headers: Headers): boolean {
  const mayPrefer = parameters.some(({ name }) => name === "Prefer");
  return mayPrefer && headers.get("preference-applied") !== "return=representation";
}

/** The operation that a request is for; fixed paths come before those with parameters. */
function operationFinder({ paths }: OpenApi) {
  const templates = Object.keys(paths)
    .map((path) => {
      const parts = path.replace(/\/$/, "").split(/(\{[^}]+\})/);
      const source = parts.map((part) => (part.startsWith("{") ? "[^/]+" : RegExp.escape(part)));
      return { path, parameters: parts.length, pattern: new RegExp(`^${source.join("")}/?$`) };
    })
    .sort((one, other) => one.parameters - other.parameters);
  return (method: string, address: string): Operation | undefined => {
    const [pathname = ""] = address.split("?", 1);
    const found = templates.find(({ pattern }) => pattern.test(pathname));
    return found && paths[found.path]?.[method.toLowerCase()];
  };
}

/** Schemas that allow no property but those they name; references lead to the whole document. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === "$ref") return [key, `openapi${value}`];
      return [key, key === "examples" ? value : closed(value)];
    }),
  );
  const isShape = "properties" in node && "type" in node && node.type === "object";
  return isShape && !("additionalProperties" in node)
    ? { ...inner, additionalProperties: false }
    : inner;
}
