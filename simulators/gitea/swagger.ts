import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/**
 * Checks requests and responses against the API description of a real Gitea: every request of the service, and every
 * response that was not recorded, must match.
 */

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'body';
  type?: string;
  format?: string;
  enum?: string[];
}

interface Description {
  paths: Record<
    string,
    { get: { parameters: Parameter[]; responses: Record<string, { $ref?: string; schema?: object }> } }
  >;
  responses: Record<string, { schema?: object }>;
  definitions: Record<string, { properties?: object }>;
}

const description = JSON.parse(
  readFileSync(new URL('recorded/swagger.v1.json', import.meta.url), 'utf8'),
  // Gitea sends null for absent values, which its description does not mention.
  (_key, value: unknown) => (isTyped(value) ? { ...value, type: [value.type, 'null'] } : value),
) as Description;
const ajv = new Ajv({ strict: false, validateFormats: true });
formats.default(ajv);
for (const format of ['int64', 'uint64']) ajv.addFormat(format, true);
// Organizations have an empty e-mail address.
ajv.addFormat('email', (address) => address === '' || address.includes('@'));
ajv.addSchema(description, 'gitea');
const compiled = new Map<string, ValidateFunction>();
const patterns = Object.keys(description.paths)
  // Literal path segments take precedence over parameters.
  .toSorted((left, right) => left.split('{').length - right.split('{').length)
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace('{filepath}', '(.+)').replace(/\{\w+\}/g, '([^/]+)')}$`),
  }));

function isTyped(value: unknown): value is { type: string } {
  const { type, name } = Object(value) as { type?: unknown; name?: unknown };
  return typeof type === 'string' && typeof name !== 'string';
}

/**
 * Definitions of writes. The recorded description contains only the paths for reading, but these definitions too.
 * https://gitea.com/api/swagger#/issue/issueCreateComment
 */
const writing: Readonly<Record<string, { body: string; response: string }>> = {
  '/repos/{owner}/{repo}/issues/{index}/comments': { body: 'CreateIssueCommentOption', response: 'Comment' },
};

/** A request, split into the route of the description and the values of its parameters. */
export interface Described {
  path: string;
  /** The body of a write; undefined for a read. */
  body?: unknown;
  parameters: string[];
}

/** Finds the route of a request. @throws Error for a request that the description does not know. */
export function checkRequest(method: string, path: string, query: URLSearchParams, body?: unknown): Described {
  const route = patterns.find(({ pattern }) => pattern.test(path));
  const written = method === 'POST' && route !== undefined ? writing[route.path] : undefined;
  if ((method !== 'GET' && written === undefined) || route === undefined)
    throw new Error(`${method} ${path} is not in Gitea's description`);
  if (written !== undefined) {
    const unknown = Object.keys(Object(body)).find(
      (name) => !(name in (findDefinition(written.body).properties ?? {})),
    );
    if (unknown !== undefined || query.size > 0)
      throw new Error(`${method} ${path} takes no ${unknown ?? query.toString()}`);
    validate(path, `#/definitions/${written.body}`, body);
  }
  const parameters = description.paths[route.path]?.get.parameters ?? [];
  for (const [name, value] of query) {
    const parameter = parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
    if (parameter === undefined) throw new Error(`${route.path} has no parameter ${name}`);
    if (!isValue(parameter, value)) throw new Error(`${route.path}: ${name} cannot be ${value}`);
  }
  const parameterValues = route.pattern.exec(path)?.slice(1) ?? [];
  const named = parameters.filter((parameter) => parameter.in === 'path');
  for (const [index, parameter] of named.entries()) {
    if (!isValue(parameter, decodeURIComponent(parameterValues[index] ?? '')))
      throw new Error(`${path}: ${parameter.name}`);
  }
  return { path: route.path, parameters: parameterValues.map(decodeURIComponent), ...(written && { body }) };
}

function isValue({ type, format, enum: values }: Parameter, value: string): boolean {
  if (values !== undefined && !values.includes(value)) return false;
  if (type === 'integer') return /^\d+$/.test(value);
  if (type === 'boolean') return value === 'true' || value === 'false';
  if (format === 'date-time') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
  return value !== '';
}

/** Checks a response. @throws Error for a response that Gitea could not send. */
export function checkResponse(path: string, body: unknown, { isWritten = false } = {}): void {
  if (isWritten) {
    validate(path, `#/definitions/${writing[path]?.response}`, body);
    return;
  }
  const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const response = description.paths[path]?.get.responses['200'];
  const schemaPointer = response?.$ref === undefined ? `#/paths/${pointer}/get/responses/200` : response.$ref;
  validate(path, `${schemaPointer}/schema`, body);
}

/** Returns the schema of the response to a path, and a function that resolves references in it. */
export function responseSchema(path: string): { schema: object; resolve: (reference: string) => object } {
  const response = description.paths[path]?.get.responses['200'];
  const named = response?.$ref === undefined ? response : description.responses[toLast(response.$ref)];
  return { schema: named?.schema ?? {}, resolve: (reference) => findDefinition(toLast(reference)) };
}

const toLast = (reference: string): string => reference.split('/').at(-1) ?? '';

/** @param schemaPointer the JSON pointer to the schema in the description. */
function validate(path: string, schemaPointer: string, body: unknown): void {
  const check = compiled.get(schemaPointer) ?? ajv.compile({ $ref: `gitea${schemaPointer}` });
  compiled.set(schemaPointer, check);
  if (check(body)) return;
  const [fault] = check.errors ?? [];
  throw new Error(`${path}: ${fault?.instancePath} ${fault?.message}`);
}

function findDefinition(name: string): { properties?: object } {
  return description.definitions[name] ?? {};
}
