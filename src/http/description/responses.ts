import { type TSchema, Type } from 'typebox';
import { ProblemSchema } from '../pipeline/problem.ts';

/** The statuses of responses: the name of the component that routes share, and its meaning. */
export const statuses: Record<string, { name: string; description: string }> = {
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
export interface RouteFacts {
  method: string;
  url: string;
  hasImages: boolean;
  /** The media types of the data; without those of images. */
  dataTypes: readonly string[];
  isLimited: boolean;
}

type Responses = Record<string, TSchema | { content: object }>;

/**
 * Returns the responses of a route in the form of `@fastify/swagger`: those that the route declares, and the errors
 * that all routes share. A route declares the schema of its JSON, or `content` by media type.
 */
export function responsesOf(declared: Responses, route: RouteFacts): Record<string, object> {
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
function describe(status: string, response: Responses[string], { hasImages, dataTypes }: RouteFacts): object {
  const description = statuses[status]?.description ?? 'A response.';
  const types = status === '200' ? dataTypes : ['application/json'];
  const isEmpty = 'type' in response && response['type'] === 'null';
  const data =
    'content' in response ? response.content : Object.fromEntries(types.map((type) => [type, { schema: response }]));
  const isDrawn = hasImages && (['200', '202'].includes(status) || (Number(status) >= 400 && !unread.has(status)));
  const content = { ...(!isEmpty && data), ...(isDrawn && images) };
  return Object.keys(content).length === 0 ? { type: 'null', description } : { description, content };
}

/** Errors of requests that the server could not read whole, so that it does not know whether they are for images. */
const unread = new Set(['408', '417', '431']);

const images = {
  'image/svg+xml': { schema: { type: 'string' } },
  'image/png': { schema: { type: 'string', format: 'binary' } },
};
