import type { OutgoingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { DescribedHeader, DescribedResponse, OpenApi, Operation, Reference } from './open-api.ts';

export interface SentResponse {
  method: string;
  /** The target of the request. */
  url: string;
  status: number;
  /** The headers by their names in lower case. */
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** Fields of every HTTP message, which OpenAPI does not describe or describes elsewhere. */
const messageFields = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

function firstSegment(path: string): string {
  return path.split('/')[1] ?? '';
}

/** An OpenAPI document by which responses are validated. */
export class Description {
  readonly #document: OpenApi;
  // The test of the document validates it; doing so here takes each process half the time of building a description.
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  /** The first segments of all described paths. */
  readonly #segments: ReadonlySet<string>;
  readonly #templates: { pattern: RegExp; literals: number; item: Record<string, Operation> }[];

  constructor(document: OpenApi) {
    this.#document = document;
    formats.default(this.#ajv);
    // A field that a schema does not name is not described, so that all objects are closed here.
    this.#ajv.addSchema(closed(document) as object, 'openapi');
    this.#segments = new Set(Object.keys(document.paths).map(firstSegment));
    this.#templates = Object.entries(document.paths)
      .map(([path, item]) => ({
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`),
        literals: path.split('/').filter((part) => !part.startsWith('{')).length,
        item,
      }))
      .toSorted((left, right) => right.literals - left.literals);
  }

  /** Returns the parts of a response that are not described, and the described ones that it lacks. */
  faultsOf(sent: SentResponse): string[] {
    const path = sent.url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
    // Requests that browsers send ahead of others are described by CORS.
    if (sent.method === 'OPTIONS' || this.#isForReaders(path, sent)) return [];
    const found = this.#find(path, sent.method.toLowerCase(), String(sent.status));
    const faults =
      found === undefined
        ? ['the status is not described']
        : [...this.#faultsOfHeaders(found.response, sent), ...this.#faultsOfBody(found, sent)];
    return faults.map((fault) => `${sent.method} ${path} ${sent.status}: ${fault}`);
  }

  /** Returns whether a response is a page, or a file of a page, which are no part of the description. */
  #isForReaders(path: string, { status, headers }: SentResponse): boolean {
    const isOfApi = this.#segments.has(firstSegment(path));
    const type = String(headers['content-type']);
    return !isOfApi && (/^(text\/html|image\/)/.test(type) || (status < 400 && !type.startsWith('application/json')));
  }

  /** Finds the description of a response. Methods and addresses that are not described give errors alone. */
  #find(path: string, method: string, status: string): { response: DescribedResponse; pointer: string } | undefined {
    const { item = {} } = this.#templates.find(({ pattern }) => pattern.test(path)) ?? {};
    const operation = item[method] ?? (status >= '400' ? Object.values(item)[0] : undefined);
    const name = Object.keys(item).length === 0 ? unmatched[status] : undefined;
    const found = operation?.responses[status] ?? (name === undefined ? undefined : reference('responses', name));
    if (found === undefined) return undefined;
    if ('$ref' in found) return { response: resolve(this.#document.components.responses, found), pointer: found.$ref };
    const [template] = Object.entries(this.#document.paths).find(([, pathItem]) => pathItem === item) ?? [''];
    const described = operation === item[method] ? method : Object.keys(item)[0];
    return { response: found, pointer: `#/paths/${escaped(template)}/${described}/responses/${status}` };
  }

  #faultsOfHeaders({ headers = {} }: DescribedResponse, sent: SentResponse): string[] {
    const described = new Map(
      Object.entries(headers).map(([name, header]) => [
        name.toLowerCase(),
        '$ref' in header ? resolve(this.#document.components.headers, header) : header,
      ]),
    );
    const missing = [...described].filter(([name, { required }]) => required === true && !(name in sent.headers));
    return [
      ...missing.map(([name]) => `lacks the header ${name}`),
      ...Object.entries(sent.headers)
        .filter(([name]) => !messageFields.has(name))
        .flatMap(([name, value]) => this.#faultsOfHeader(name, value, described.get(name))),
    ];
  }

  #faultsOfHeader(name: string, value: unknown, header: DescribedHeader | undefined): string[] {
    if (header === undefined) return [`the header ${name} is not described`];
    const isNumber = 'type' in header.schema && header.schema.type === 'integer';
    const isValid = this.#ajv.validate(header.schema, isNumber ? Number(value) : String(value));
    return isValid ? [] : [`the header ${name}: ${this.#ajv.errorsText()}`];
  }

  #faultsOfBody({ response, pointer }: { response: DescribedResponse; pointer: string }, sent: SentResponse): string[] {
    if (sent.method === 'HEAD' || (sent.body.length === 0 && response.content === undefined)) return [];
    const [type = ''] = (sent.headers['content-type'] ?? '').split(';');
    if (response['x-other-media-types']?.includes(type) === true) return [];
    if (response.content?.[type] === undefined) return [`the content type ${JSON.stringify(type)} is not described`];
    if (type !== 'application/json') return [];
    const body: unknown = JSON.parse(decoded(sent));
    const validate = this.#ajv.getSchema(`openapi${pointer}/content/${escaped(type)}/schema`);
    if (validate === undefined) return [`${pointer} has no schema`];
    return validate(body) === true ? [] : [this.#ajv.errorsText(validate.errors)];
  }
}

/** The components that describe responses to requests which no path describes. */
const unmatched: Record<string, string> = {
  301: 'Moved',
  400: 'BadRequest',
  401: 'Unauthenticated',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'TooSlow',
  413: 'PayloadTooLarge',
  417: 'ExpectationFailed',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  503: 'Unavailable',
};

function resolve<Part>(components: Record<string, Part>, { $ref }: Reference): Part {
  const found = components[$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`${$ref} leads nowhere`);
  return found;
}

function reference(kind: string, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns a key as a part of a JSON pointer in the fragment of a URI (RFC 6901). */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function decoded({ headers, body }: SentResponse): string {
  const coding = headers['content-encoding'];
  return (coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body).toString();
}

/** Returns a copy of a document whose schemas permit only the properties that they name. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && 'type' in copy ? { additionalProperties: false, ...copy } : copy;
}
