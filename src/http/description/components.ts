import { Type } from 'typebox';
import { isObject, toFields } from '../../model/fields.ts';
import { ProblemSchema } from '../pipeline/problem.ts';
import type { DescribedResponse, Document, Operation } from './document.ts';

/** The statuses of responses: the name of the component that routes share, and its meaning. */
const statuses: Record<string, { name: string; description: string }> = {
  200: { name: 'Ok', description: 'Success.' },
  201: { name: 'Created', description: 'It was created.' },
  202: { name: 'Pending', description: 'Nothing is known yet; it is being fetched. Retry after `Retry-After`.' },
  204: { name: 'Done', description: 'It is done.' },
  301: {
    name: 'Moved',
    description: 'The account or repository has another name by now, or the address too many slashes: `Location`.',
  },
  304: { name: 'NotModified', description: 'The client has the present response: its `ETag` is in `If-None-Match`.' },
  308: { name: 'MovedPermanently', description: 'The account has another name by now. Repeat the request there.' },
  400: { name: 'BadRequest', description: 'A parameter or the body is wrong; the message names the part.' },
  401: { name: 'Unauthenticated', description: 'A credential is needed, or the one given is not valid.' },
  403: { name: 'Forbidden', description: 'The credential is for another account, or lacks the right.' },
  404: { name: 'NotFound', description: 'There is no such thing, or it is not public.' },
  405: { name: 'MethodNotAllowed', description: 'The address has no such method; `Allow` names those that it has.' },
  408: { name: 'TooSlow', description: 'The request did not arrive in time.' },
  409: { name: 'Conflict', description: 'The request contradicts the stored data.' },
  413: { name: 'PayloadTooLarge', description: 'The body is too large.' },
  417: { name: 'ExpectationFailed', description: 'The `Expect` header has another value than `100-continue`.' },
  429: { name: 'TooManyRequests', description: 'Too many requests, here or at the code host.' },
  431: { name: 'HeadersTooLarge', description: 'The address and headers are too large.' },
  500: { name: 'InternalError', description: 'A fault of the service; it is in its log.' },
  502: { name: 'ProviderFailed', description: 'The code host sent an error, or a response that cannot be read.' },
  503: { name: 'Unavailable', description: 'The code host, or the database of the service, is not available.' },
};

/** The facts about a route on which its responses depend. */
interface RouteFacts {
  method: string;
  url: string;
  hasImages: boolean;
  /** The media types of the data; without those of images. */
  dataTypes: readonly string[];
  isLimited: boolean;
}

/** The responses that a route declares: schemas, or their content by media type. */
type Responses = Readonly<Record<string, unknown>>;

/** Errors of requests that the server could not read whole, so that it does not know whether they are for images. */
const unread = new Set(['408', '417', '431']);

const images = {
  'image/svg+xml': { schema: { type: 'string' } },
  'image/png': { schema: { type: 'string', format: 'binary' } },
};

/** The header fields of responses, by name. */
const fields = {
  'Access-Control-Allow-Origin': text('`*`: pages of any origin may read the response.', '*'),
  'Access-Control-Expose-Headers': text('The fields that scripts of other origins may read.', 'etag, link'),
  Allow: text('The methods of this address.', 'GET, HEAD'),
  'Cache-Control': text(
    'How long the response may be cached. Every response to a credential is `private, no-store`.',
    'public, max-age=60, stale-while-revalidate=86400',
  ),
  'Content-Disposition': text('Of a table: the name of the file.', 'attachment; filename="github-octocat-boards.csv"'),
  'Content-Encoding': text('The compression, of those that `Accept-Encoding` names.', 'br'),
  'Content-Security-Policy': text('An image runs nothing and loads nothing.', "default-src 'none'"),
  'Cross-Origin-Resource-Policy': text('Pages of any origin may show the image.', 'cross-origin'),
  ETag: text(
    'Strong; sent as `If-None-Match`, it gives 304 until the response changes.',
    '"gv0VcTnm5yZ3-5d8hzR0TUrRjqE"',
  ),
  'Last-Modified': text('Of a feed; sent as `If-Modified-Since`, it gives 304.', 'Mon, 15 Jun 2026 12:00:00 GMT'),
  Link: text(
    'The neighbouring pages, `prev` and `next` (RFC 8288).',
    '<https://plaudit.example.org/v1/github/entities/octocat/contributors?after=AbC>; rel="next"',
  ),
  Location: text('The address by the present name.', '/v1/github/entities/octocat'),
  RateLimit: text(
    'The rest of the limit, and the seconds until it is full again (draft-ietf-httpapi-ratelimit-headers-10). Absent ' +
      'where the request was not counted, such as that of a cached response.',
    '"reads";r=1180;t=42',
  ),
  'RateLimit-Policy': text('The limit: requests in a window of seconds, for one address.', '"reads";q=1200;w=60'),
  'Retry-After': {
    description: 'The seconds after which a request can have another result.',
    schema: { type: 'integer', minimum: 1, examples: [3] },
  },
  'Strict-Transport-Security': text('Where `PUBLIC_URL` is an https address.', 'max-age=31536000'),
  Vary: text('The request fields on which the response depends.', 'authorization, accept-encoding'),
  'WWW-Authenticate': text('The kind of credential that is needed (RFC 6750).', 'Bearer'),
  'X-As-Of': {
    description: 'Of a table: `meta_data.as_of` of the same response as JSON.',
    schema: { type: 'string', format: 'date-time', examples: ['2026-06-15T12:00:00Z'] },
  },
  'X-Complete': {
    description: 'Of a table: `meta_data.complete` of the same response as JSON.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'X-Content-Type-Options': text('The content type is to be taken as it is.', 'nosniff'),
  'X-Error-Code': {
    description:
      'Of an image that shows an error: the code of the error; 0 while the data is still being collected. Absent on ' +
      'good images.',
    schema: { type: 'integer', minimum: 0, maximum: 10, examples: [2] },
  },
  'X-Granted': text('Of a table of points: `meta_data.sum.granted` of the same response as JSON.', '0'),
  'X-Itemised': text('Of a table of evidence: `meta_data.itemised` of the same response as JSON.', '38'),
  'X-Remainder': text(
    'Of a table of evidence: `meta_data.remainder` of the same response as JSON; empty without a rest.',
    'host-total=3, private=1',
  ),
  'X-Request-Id': text('The id of the response in the log of the service.', '9f86d081884c7d65-1a'),
  'X-Total': text('Of a table of evidence: `meta_data.total` of the same response as JSON.', '42'),
} as const;

type FieldName = keyof typeof fields;

/** The facts about a response on which its fields depend. */
interface ResponseFacts {
  status: number;
  method: string;
  /** True when clients may cache the response, as those of `addEndpoint`. */
  isCacheable: boolean;
  hasImages: boolean;
  hasTables: boolean;
  isPaged: boolean;
}

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
    if (item['get'] !== undefined) item['head'] = toHead(item['get']);
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
    response.headers = describeHeaders({ status: Number(status), method, isCacheable, hasImages, hasTables, isPaged });
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
function toHead(get: Operation): Operation {
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
    const { title: name } = toFields(value);
    if (!isObject(value) || typeof name !== 'string') return value;
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value)) {
      throw new Error(`two schemas of the API have the title ${name}`);
    }
    schemas[name] = value;
    return { $ref: `#/components/schemas/${name}` };
  });
  return { paths: replaced, schemas };
}

/** Replaces responses that are the same for several operations by references. */
function shareResponses(paths: Document['paths']): Record<string, object> {
  const shared = new Components('responses');
  for (const [method, { responses }] of Object.values(paths).flatMap((item) => Object.entries(item))) {
    for (const [status, response] of Object.entries(responses)) {
      shared.count(toName(method, status, response), response);
    }
  }
  for (const { responses } of listOperations(paths)) {
    for (const [status, response] of Object.entries(responses))
      responses[status] = shared.referenceTo(response) ?? response;
  }
  return shared.named;
}

function toName(method: string, status: string, { headers }: DescribedResponse): string {
  const kind = headers?.['X-Error-Code'] === undefined ? '' : 'OrImage';
  return `${statuses[status]?.name ?? status}${kind}${method === 'head' ? 'Headers' : ''}`;
}

/** Replaces parameters that are the same for several operations by references. */
function shareParameters(paths: Document['paths']): Record<string, object> {
  const shared = new Components('parameters');
  const all = listOperations(paths).flatMap(({ parameters = [] }) => parameters);
  for (const parameter of all) shared.count('name' in parameter ? String(parameter.name) : '', parameter);
  for (const operation of listOperations(paths)) {
    if (operation.parameters !== undefined) {
      operation.parameters = operation.parameters.map((parameter) => shared.referenceTo(parameter) ?? parameter);
    }
  }
  return shared.named;
}

function listOperations(paths: Document['paths']): Operation[] {
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

function text(description: string, example: string): object {
  return { description, schema: { type: 'string', examples: [example] } };
}

/** Returns the fields of a response, as references to the components of the document. */
function describeHeaders(facts: ResponseFacts): Record<string, object> {
  const required = requiredFields(facts);
  const names = [...required, ...optionalFields(facts).filter((name) => !required.includes(name))].toSorted();
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${required.includes(name) ? name : `Optional${name}`}` }]),
  );
}

function requiredFields({ status, method, isCacheable, hasImages }: ResponseFacts): FieldName[] {
  const isPending = status === 202 && method === 'get';
  return [
    'X-Request-Id',
    'Cache-Control',
    ...fieldsIf(status === 304 || (status === 200 && isCacheable && !hasImages), 'ETag'),
    ...fieldsIf(status === 301 || status === 308, 'Location'),
    ...fieldsIf(status === 401, 'WWW-Authenticate'),
    ...fieldsIf(status === 405, 'Allow'),
    ...fieldsIf(isPending || [429, 502, 503].includes(status), 'Retry-After'),
  ];
}

function optionalFields({ status, isCacheable, hasImages, hasTables, isPaged }: ResponseFacts): FieldName[] {
  return [
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'RateLimit',
    'RateLimit-Policy',
    'Strict-Transport-Security',
    'Vary',
    'X-Content-Type-Options',
    ...fieldsIf(status === 200 && isCacheable, 'ETag', 'Content-Encoding', 'Last-Modified', 'Retry-After'),
    ...fieldsIf(status === 304 || (status === 200 && isPaged), 'Link'),
    ...fieldsIf(status === 304, 'Last-Modified', 'Retry-After'),
    ...fieldsIf(
      status === 304 || hasTables,
      'Content-Disposition',
      'X-As-Of',
      'X-Complete',
      'X-Granted',
      'X-Itemised',
      'X-Remainder',
      'X-Total',
    ),
    ...fieldsIf(status === 304 || hasImages, 'Content-Security-Policy', 'Cross-Origin-Resource-Policy'),
    ...fieldsIf(hasImages, 'Retry-After', 'X-Error-Code'),
    // An image of the error that a credential is needed; RFC 9110, section 11.6.1, permits the field with any status.
    ...fieldsIf(hasImages && status === 200, 'WWW-Authenticate'),
  ];
}

function fieldsIf(isSent: boolean, ...names: FieldName[]): FieldName[] {
  return isSent ? names : [];
}

/** Returns the components that the references of `describeHeaders` name: each field once as required, once as optional. */
function headerComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => [
      [name, { ...field, required: true }],
      [`Optional${name}`, field],
    ]),
  );
}

/**
 * Returns the responses of a route in the form of `@fastify/swagger`: those that the route declares, and the errors
 * that all routes share. A route declares the schema of its JSON, or `content` by media type.
 */
export function describeResponses(declared: Responses, route: RouteFacts): Record<string, object> {
  const all: Responses = { ...sharedResponses(route), ...declared };
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => [status, describe(status, response, route)]),
  );
}

/** Returns the errors that any route may send. */
function sharedResponses({ method, url, isLimited, hasImages }: RouteFacts): Responses {
  const shared = [
    400,
    401,
    405,
    408,
    417,
    431,
    500,
    503,
    ...(isLimited ? [429] : []),
    ...(url.includes(':') ? [404] : []),
    ...(method === 'GET' ? [] : [413]),
  ];
  return {
    ...(hasImages && { 200: Type.Null() }),
    ...Object.fromEntries(shared.map((status) => [status, ProblemSchema])),
  };
}

/**
 * Describes a response with its media types. A route with images sends its data and most errors as images too.
 */
function describe(status: string, response: unknown, { hasImages, dataTypes }: RouteFacts): object {
  const description = statuses[status]?.description ?? 'A response.';
  const types = status === '200' ? dataTypes : ['application/json'];
  const { type: jsonType, content: declared } = toFields(response);
  const isEmpty = jsonType === 'null';
  const data = isObject(declared) ? declared : Object.fromEntries(types.map((type) => [type, { schema: response }]));
  const isDrawn = hasImages && (['200', '202'].includes(status) || (Number(status) >= 400 && !unread.has(status)));
  const content = { ...(!isEmpty && data), ...(isDrawn && images) };
  return Object.keys(content).length === 0 ? { type: 'null', description } : { description, content };
}
