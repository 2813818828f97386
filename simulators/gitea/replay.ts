import type { IncomingMessage } from 'node:http';
import { startHttpServer } from '../git/http-server.ts';
import { deriveResponse, type ReplayedRequest } from './derived-responses.ts';
import { buildHistories } from './histories.ts';
import { asOf } from './past.ts';
import { matches, type RecordedResponse, recordings } from './recordings.ts';
import { checkRequest, checkResponse } from './swagger.ts';

/**
 * Replays recorded responses and those that follow from them. Every other path, query or identity is a fault that fails
 * the test. See `derived-responses.ts`.
 */
export interface Replay extends AsyncDisposable {
  url: string;
  apiUrl: string;
  /** Every request to the interface, as `WHO PATH`. */
  requests: string[];
  /** Every request to git, as `WHO PATH`. */
  gitRequests: string[];
  /** Texts of files of the public repository by path, because the contents of files were not recorded. */
  files: Map<string, string>;
  /** The present time of the replay: later events are left out. By default all have happened. */
  moment: Date;
}

/** Returns the credential of a recorded identity. */
export function toSecret(identity: string): string {
  return `token-of-${identity}`;
}

export async function startReplay(): Promise<Replay> {
  const stack = new AsyncDisposableStack();
  const faults: string[] = [];
  const replay = { requests: [] as string[], files: new Map<string, string>(), moment: new Date(8.64e15) };
  const histories = stack.use(await buildHistories(() => replay.moment, toIdentity));
  const server = await startHttpServer(async (request, response) => {
    try {
      if (!request.url?.startsWith('/api/v1/')) return await histories.handle(request, response);
      const context = { ...replay, ...readRequest(request, histories.toRecorded) };
      replay.requests.push(
        `${context.caller} ${context.path}${context.query.size > 0 ? `?${context.query.toString()}` : ''}`,
      );
      const { status, headers, body } = respond(context);
      response.writeHead(status, headers).end(histories.toGit(JSON.stringify(body)));
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      process.stderr.write(`replayed Gitea: ${faults.at(-1)}\n`);
      response.writeHead(418).end();
    }
  });
  stack.use(server);
  return Object.assign(replay, {
    url: server.url,
    apiUrl: `${server.url}/api/v1`,
    gitRequests: histories.requests,
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      if (faults.length > 0) throw new Error(`requests without a recording: ${faults.join('; ')}`);
    },
  });
}

/** @throws Error for a request that the API description lacks. */
function readRequest({ url = '', method = '', headers }: IncomingMessage, toRecorded: (text: string) => string) {
  const { pathname, searchParams: query } = new URL(toRecorded(url), 'http://localhost');
  const path = pathname.replace('/api/v1', '');
  const { path: described } = checkRequest(method, path, query);
  return { described, caller: toIdentity(headers.authorization), path, query };
}

function respond(context: ReplayedRequest & { described: string }): RecordedResponse {
  const recordedResponse = recordings.find((recording) => matches(recording, context));
  if (recordedResponse !== undefined) return asOf(recordedResponse, context.moment);
  const derived = deriveResponse(context);
  if (derived === undefined) throw new Error(`${context.caller} ${context.path}?${context.query.toString()}`);
  if (derived.status === 200) checkResponse(context.described, derived.body);
  return asOf(derived, context.moment);
}

/** Returns the identity of a credential, which the interface gets as a token and git as a password. */
function toIdentity(authorization: string | undefined): string {
  if (authorization === undefined) return 'anonymous';
  const [, basic] = /^Basic (.+)$/.exec(authorization) ?? [];
  const credential = basic === undefined ? authorization : Buffer.from(basic, 'base64').toString();
  const [, identity] = /^(?:token |\w+:)token-of-([\w-]+)$/.exec(credential) ?? [];
  return identity ?? 'badtoken';
}
