import type { DescribedResponse, Document, Operation } from './document.ts';
import { headerComponents, headersOf } from './headers.ts';
import { statuses } from './responses.ts';

/**
 * Completes a document: adds the header fields of all responses and the HEAD of every GET, and moves the responses and
 * parameters that several operations share to its components. Schemas with a title become components of that name.
 */
export function complete(document: Document): Document {
  for (const item of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      addHeaders(method, operation);
      for (const response of Object.values(operation.responses)) separateOtherMediaTypes(response);
    }
    if (item['get'] !== undefined) item['head'] = headOf(item['get']);
  }
  const { paths, schemas } = withNamedSchemas(document.paths);
  const responses = shareResponses(paths);
  const parameters = shareParameters(paths);
  const components = { ...document.components, schemas, responses, parameters };
  const text = JSON.stringify({ paths, responses });
  const headers = Object.entries(headerComponents()).filter(([name]) => text.includes(`/headers/${name}"`));
  return { ...document, paths, components: { ...components, headers: Object.fromEntries(headers) } };
}

function addHeaders(method: string, { responses, parameters = [] }: Operation): void {
  const isCacheable = responses['304'] !== undefined;
  const isPaged = parameters.some((parameter) => 'name' in parameter && parameter.name === 'after');
  for (const [status, response] of Object.entries(responses)) {
    const hasImages = response.content?.['image/png'] !== undefined;
    const hasTables = response.content?.['text/csv'] !== undefined;
    response.headers = headersOf({ status: Number(status), method, isCacheable, hasImages, hasTables, isPaged });
  }
}

/**
 * Leaves JSON alone as the content of a response that is also sent as images, tables or other documents. Clients are
 * generated with one type for all content of a response, so that JSON beside images could not be read as JSON.
 */
function separateOtherMediaTypes(response: DescribedResponse): void {
  const { 'application/json': json, ...others } = response.content ?? {};
  const types = Object.keys(others);
  if (json === undefined || types.length === 0) return;
  response.content = { 'application/json': json };
  response['x-other-media-types'] = types;
}

/** Returns the operation HEAD of an operation GET: its responses have no bodies (RFC 9110, section 9.3.2). */
function headOf(get: Operation): Operation {
  const responses = Object.entries(get.responses).map(
    ([status, { content: _content, 'x-other-media-types': _others, ...response }]) => [status, response],
  );
  const { operationId = '', ...operation } = structuredClone(get);
  return { ...operation, operationId: `${operationId}Headers`, responses: Object.fromEntries(responses) };
}

/** Replaces each schema that has a title by a reference to the component of that name. */
function withNamedSchemas(paths: Document['paths']): { paths: Document['paths']; schemas: Record<string, object> } {
  const schemas: Record<string, object> = {};
  const replaced: Document['paths'] = JSON.parse(JSON.stringify(paths), (_key, value: unknown) => {
    const { title: name }: { title?: unknown } = Object(value);
    if (typeof name !== 'string') return value;
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value)) {
      throw new Error(`two schemas of the API have the title ${name}`);
    }
    schemas[name] = Object(value);
    return { $ref: `#/components/schemas/${name}` };
  });
  return { paths: replaced, schemas };
}

/** Replaces responses that are the same for several operations by references. */
function shareResponses(paths: Document['paths']): Record<string, object> {
  const shared = new Components('responses');
  for (const [method, { responses }] of Object.values(paths).flatMap((item) => Object.entries(item))) {
    for (const [status, response] of Object.entries(responses)) {
      shared.count(nameOf(method, status, response), response);
    }
  }
  for (const { responses } of operationsOf(paths)) {
    for (const [status, response] of Object.entries(responses))
      responses[status] = shared.referenceTo(response) ?? response;
  }
  return shared.named;
}

function nameOf(method: string, status: string, { headers }: DescribedResponse): string {
  const kind = headers?.['X-Error-Code'] === undefined ? '' : 'OrImage';
  return `${statuses[status]?.name ?? status}${kind}${method === 'head' ? 'Headers' : ''}`;
}

/** Replaces parameters that are the same for several operations by references. */
function shareParameters(paths: Document['paths']): Record<string, object> {
  const shared = new Components('parameters');
  const all = operationsOf(paths).flatMap(({ parameters = [] }) => parameters);
  for (const parameter of all) shared.count('name' in parameter ? String(parameter.name) : '', parameter);
  for (const operation of operationsOf(paths)) {
    if (operation.parameters !== undefined) {
      operation.parameters = operation.parameters.map((parameter) => shared.referenceTo(parameter) ?? parameter);
    }
  }
  return shared.named;
}

function operationsOf(paths: Document['paths']): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item));
}

/** Parts of a document that may occur several times, and the components in their place. */
class Components {
  readonly #kind: string;
  readonly #found = new Map<string, { name: string; count: number }>();
  /** The parts that occur more than once. Where different parts have the same name, only one of them is a component. */
  readonly named: Record<string, object> = {};

  constructor(kind: string) {
    this.#kind = kind;
  }

  count(name: string, part: object): void {
    const key = JSON.stringify(part);
    const found = this.#found.get(key) ?? { name, count: 0 };
    found.count += 1;
    this.#found.set(key, found);
    if (found.count > 1) this.named[found.name] ??= part;
  }

  /** Returns the reference that replaces a part; undefined when the part is not a component. */
  referenceTo(part: object): { $ref: string } | undefined {
    const key = JSON.stringify(part);
    const { name = '' } = this.#found.get(key) ?? {};
    if (JSON.stringify(this.named[name]) !== key) return undefined;
    return { $ref: `#/components/${this.#kind}/${name}` };
  }
}
