import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/** What a real Gitea says of its own interface: every request that we send, and every answer that is not recorded, must fit. */

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'body';
  type?: string;
  format?: string;
  enum?: string[];
}

interface Description {
  paths: Record<string, { get: { parameters: Parameter[]; responses: Record<string, { $ref?: string }> } }>;
}

const description = JSON.parse(
  readFileSync(new URL('recorded/swagger.v1.json', import.meta.url), 'utf8'),
  // Gitea answers with null wherever there is nothing, which its description has no word for.
  (_key, value: unknown) => (isTyped(value) ? { ...value, type: [value.type, 'null'] } : value),
) as Description;
const ajv = new Ajv({ strict: false, validateFormats: true });
formats.default(ajv);
for (const format of ['int64', 'uint64']) ajv.addFormat(format, true);
// Organizations are told without an address.
ajv.addFormat('email', (address) => address === '' || address.includes('@'));
ajv.addSchema(description, 'gitea');
const compiled = new Map<string, ValidateFunction>();
const patterns = Object.keys(description.paths)
  // What is written out comes before what a parameter stands for.
  .toSorted((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace('{filepath}', '(.+)').replace(/\{\w+\}/g, '([^/]+)')}$`),
  }));

function isTyped(value: unknown): value is { type: string } {
  const { type, name } = Object(value) as { type?: unknown; name?: unknown };
  return typeof type === 'string' && typeof name !== 'string';
}

/** A request, told apart into what the description writes and what stands for its parameters. */
export interface Described {
  path: string;
  parameters: string[];
}

/** @throws Error for a request that the description does not know. */
export function checkRequest(method: string, path: string, query: URLSearchParams): Described {
  const known = patterns.find(({ pattern }) => pattern.test(path));
  if (method !== 'GET' || known === undefined) throw new Error(`${method} ${path} is not in Gitea's description`);
  const parameters = description.paths[known.path]?.get.parameters ?? [];
  for (const [name, value] of query) {
    const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
    if (parameter === undefined) throw new Error(`${known.path} has no parameter ${name}`);
    if (!isValue(parameter, value)) throw new Error(`${known.path}: ${name} cannot be ${value}`);
  }
  const given = known.pattern.exec(path)?.slice(1) ?? [];
  const named = parameters.filter((one) => one.in === 'path');
  for (const [index, parameter] of named.entries()) {
    if (!isValue(parameter, decodeURIComponent(given[index] ?? ''))) throw new Error(`${path}: ${parameter.name}`);
  }
  return { path: known.path, parameters: given.map(decodeURIComponent) };
}

function isValue({ type, format, enum: values }: Parameter, value: string): boolean {
  if (values !== undefined && !values.includes(value)) return false;
  if (type === 'integer') return /^\d+$/.test(value);
  if (type === 'boolean') return value === 'true' || value === 'false';
  if (format === 'date-time') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
  return value !== '';
}

/** @throws Error for an answer that Gitea could not give. */
export function checkAnswer(path: string, body: unknown): void {
  const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const response = description.paths[path]?.get.responses['200'];
  const place = response?.$ref === undefined ? `#/paths/${pointer}/get/responses/200` : response.$ref;
  const validate = compiled.get(path) ?? ajv.compile({ $ref: `gitea${place}/schema` });
  compiled.set(path, validate);
  if (validate(body)) return;
  const [fault] = validate.errors ?? [];
  throw new Error(`${path}: ${fault?.instancePath} ${fault?.message}`);
}
