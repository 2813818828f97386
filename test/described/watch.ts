import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenApi } from './open-api.ts';
import { Description, type SentResponse } from './validate.ts';

/**
 * Validates all responses that the services of a process send, to any client, against their `/openapi.json`. A process
 * loads this module by the options of `UndescribedResponses`. Each fault is a line in their file before the response is
 * sent, so that it is known although the process is killed. Other servers, such as that of metrics, are not watched.
 */

/** A web application, as far as its description is concerned. */
interface Application {
  server: Server;
  /** Returns the document of `/openapi.json`; absent from applications that have none. */
  swagger?: () => object;
  printRoutes(): string;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
/** The faults of this process so far. */
const faults = new Set<string>();
const maxFaults = 20;
const applications = new WeakMap<Server, Application>();
/** Descriptions by the routes of applications, because one takes a tenth of a second to build. */
const descriptions = new Map<string, Description>();
/** The descriptions of applications that have sent a response, because listing routes takes longer than validation. */
const described = new WeakMap<Application, Description>();

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: Application };
  applications.set(fastify.server, fastify);
  // The response to bytes that are no request is written to the connection itself.
  fastify.server.prependListener('clientError', (_error, connection: Socket) => {
    const end: (...parameters: never[]) => Socket = connection.end.bind(connection);
    connection.end = (...parameters: never[]) => {
      const [text]: unknown[] = parameters;
      if (typeof text === 'string') validate(fastify, { method: 'GET', url: '' }, () => parseSent(text));
      return end(...parameters);
    };
  });
});

subscribe('http.server.request.start', (message) => {
  const { request, response, server } = message as Exchange;
  const application = applications.get(server);
  if (application === undefined) return;
  recordSent(response, (sent) => validate(application, request, () => sent));
});

type Sent = Pick<SentResponse, 'status' | 'headers' | 'body'>;

function validate(
  application: Application,
  { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  read: () => Sent,
): void {
  try {
    for (const fault of describe(application)?.faultsOf({ method, url, ...read() }) ?? []) report(fault);
  } catch (error) {
    report(`${method} ${url} cannot be validated: ${String(error)}`);
  }
}

function report(fault: string): void {
  if (faults.has(fault) || faults.size >= maxFaults) return;
  faults.add(fault);
  appendFileSync(file, `${fault.replaceAll(/\s+/g, ' ')}\n`);
}

/** Returns the description of an application without a request, which would be counted and limited. */
function describe(application: Application): Description | undefined {
  if (application.swagger === undefined) return undefined;
  const cached = described.get(application);
  if (cached !== undefined) return cached;
  const routes = application.printRoutes();
  const description =
    descriptions.get(routes) ?? new Description(JSON.parse(JSON.stringify(application.swagger())) as OpenApi);
  descriptions.set(routes, description);
  described.set(application, description);
  return description;
}

/** Records the headers and the body of a response, and passes them on before its end is sent. */
function recordSent(response: ServerResponse, onEnd: (sent: Sent) => void): void {
  const headers: OutgoingHttpHeaders = {};
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encoding === 'latin1' ? encoding : 'utf8'));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const writeHead: (...parameters: never[]) => ServerResponse = response.writeHead.bind(response);
  const write: (...parameters: never[]) => boolean = response.write.bind(response);
  const end: (...parameters: never[]) => ServerResponse = response.end.bind(response);
  // Headers that are passed to `writeHead` alone are not among those of `getHeaders`.
  response.writeHead = (...parameters: never[]) => {
    const given: unknown = parameters.findLast((argument) => typeof argument === 'object');
    Object.assign(headers, Array.isArray(given) ? listPairs(given) : given);
    return writeHead(...parameters);
  };
  response.write = (...parameters: never[]) => {
    keep(parameters[0], parameters[1]);
    return write(...parameters);
  };
  response.end = (...parameters: never[]) => {
    if (!response.writableEnded) {
      keep(parameters[0], parameters[1]);
      const all = { ...response.getHeaders(), ...headers };
      onEnd({ status: response.statusCode, headers: all, body: Buffer.concat(chunks) });
    }
    return end(...parameters);
  };
}

/** Returns the headers of a list of names and values in turn. */
function listPairs(list: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : [])));
}

/** Reads a response that was written to a connection as text. */
function parseSent(text: string): Sent {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2));
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers.map(([name = '', value]) => [name.toLowerCase(), value])),
    body: Buffer.from(body),
  };
}
