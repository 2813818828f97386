import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { OpenApi } from './open-api.ts';
import { Description, type SentResponse } from './validate.ts';

/** Descriptions by the code hosts of a service, on which they depend; all tests of a process share them. */
const descriptions = new Map<string, Promise<Description>>();
const maxFaults = 20;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

/** Validates all responses that a service sends, to any client, against its `/openapi.json`. */
export class WatchedResponses {
  readonly #faults = new Set<string>();
  #port: number | undefined;
  #description: Description | undefined;

  /** Begins with the responses after this call. */
  async begin({ url, providers }: { url: string; providers: ReadonlyMap<string, unknown> }): Promise<void> {
    const key = [...providers.keys()].join();
    const description = descriptions.get(key) ?? fetchDescription(url);
    descriptions.set(key, description);
    this.#description = await description;
    this.#port = Number(new URL(url).port);
    subscribe('http.server.request.start', this.#watch);
  }

  /** @throws AssertionError that names the responses which the description lacks, or contradicts. */
  end(): void {
    unsubscribe('http.server.request.start', this.#watch);
    const faults = [...this.#faults].slice(0, maxFaults);
    assert.ok(faults.length === 0, `/openapi.json does not describe what the service sent:\n${faults.join('\n')}`);
  }

  readonly #watch = (message: unknown): void => {
    const { request, response, server } = message as Exchange;
    const address = server.address();
    if (typeof address !== 'object' || address?.port !== this.#port) return;
    const sent = recordSent(response);
    response.once('finish', () => {
      const { method = '', url = '' } = request;
      for (const fault of this.#description?.faultsOf({ method, url, ...sent() }) ?? []) this.#faults.add(fault);
    });
  };
}

async function fetchDescription(url: string): Promise<Description> {
  const response = await fetch(`${url}/openapi.json`);
  return new Description((await response.json()) as OpenApi);
}

/** Records the headers and the body of a response; returns a function that returns them once they are sent. */
function recordSent(response: ServerResponse): () => Omit<SentResponse, 'method' | 'url'> {
  const headers: OutgoingHttpHeaders = {};
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const writeHead: (...given: never[]) => ServerResponse = response.writeHead.bind(response);
  const write: (...given: never[]) => boolean = response.write.bind(response);
  const end: (...given: never[]) => ServerResponse = response.end.bind(response);
  // Headers that are passed to `writeHead` alone are not among those of `getHeaders`.
  response.writeHead = (...given: never[]) => {
    Object.assign(
      headers,
      given.findLast((one) => typeof one === 'object'),
    );
    return writeHead(...given);
  };
  response.write = (...given: never[]) => {
    keep(given[0]);
    return write(...given);
  };
  response.end = (...given: never[]) => {
    keep(given[0]);
    return end(...given);
  };
  return () => ({
    status: response.statusCode,
    headers: { ...response.getHeaders(), ...headers },
    body: Buffer.concat(chunks),
  });
}
