import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Representation } from '../server/compression.ts';
import type { HttpMetrics } from '../server/metrics.ts';
import { isNotModified, notModifiedHeaders } from './response.ts';

/** The headers of a representation as a list of names and values in turn, which `node:http` writes fastest. */
interface HeaderList {
  list: readonly string[];
  /** The index from which on the list has the headers of a 304. */
  notModifiedFrom: number;
}

const listsOf = new WeakMap<Representation, HeaderList>();

/**
 * Sends a cached response without the framework.
 * @param ownHeaders the headers that differ each time the response is sent, names and values in turn.
 */
export function sendCached(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  { metrics, ownHeaders }: { metrics: HttpMetrics; ownHeaders: readonly string[] },
): void {
  const { list, notModifiedFrom } = headerListOf(representation);
  const isUnchanged = isNotModified(headers, representation);
  const status = isUnchanged ? 304 : 200;
  metrics.countWarm(status);
  const sent = list.slice(isUnchanged ? notModifiedFrom : 0);
  sent.push(...ownHeaders);
  response.writeHead(status, sent);
  if (isUnchanged || method === 'HEAD') response.end();
  else response.end(representation.body, 'latin1');
}

/** Returns the headers as a list, which is made once for each representation. */
function headerListOf(representation: Representation): HeaderList {
  const known = listsOf.get(representation);
  if (known !== undefined) return known;
  const notModified = notModifiedHeaders(representation);
  const ofBody = Object.entries(representation.headers).filter(([name]) => !(name in notModified));
  const made = { list: [...ofBody, ...Object.entries(notModified)].flat(), notModifiedFrom: 2 * ofBody.length };
  listsOf.set(representation, made);
  return made;
}
