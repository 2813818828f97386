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

export type FieldName = keyof typeof fields;

function text(description: string, example: string): object {
  return { description, schema: { type: 'string', examples: [example] } };
}

/** The facts about a response on which its fields depend. */
export interface ResponseFacts {
  status: number;
  method: string;
  /** True when clients may cache the response, as those of `addEndpoint`. */
  isCacheable: boolean;
  hasImages: boolean;
  hasTables: boolean;
  isPaged: boolean;
}

/** Returns the fields of a response, as references to the components of the document. */
export function headersOf(facts: ResponseFacts): Record<string, object> {
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

/** Returns the components that the references of `headersOf` name: each field once as required, once as optional. */
export function headerComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => [
      [name, { ...field, required: true }],
      [`Optional${name}`, field],
    ]),
  );
}
