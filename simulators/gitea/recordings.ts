import { readFileSync } from 'node:fs';

export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** A recorded response of a real Gitea. */
export interface Recording extends RecordedResponse {
  name: string;
  /** The identity of the caller. */
  as: string;
  /** Below the interface's address; other addresses begin with `@`. */
  path: string;
}

/** A recorded delivery of a real Gitea, byte for byte. */
export interface RecordedDelivery {
  name: string;
  headers: Record<string, string>;
  body: string;
}

export const recordings = read('responses') as Recording[];
export const recordedDeliveries = read('deliveries') as RecordedDelivery[];
export const recordedSecret = 'hook-secret-for-tests';

export function recorded(name: string): Recording {
  const found = recordings.find((recording) => recording.name === name);
  if (found === undefined) throw new Error(`nothing is recorded as ${name}`);
  return found;
}

export function toList<Entry>(name: string): Entry[] {
  return recorded(name).body as Entry[];
}

/** Returns a person in the shape that items and lists have. */
export function personNamed(name: string): unknown {
  return toList<{ login: string }>('stargazers').find(({ login }) => login === name);
}

export function recordedDelivery(name: string): RecordedDelivery {
  const found = recordedDeliveries.find((delivery) => delivery.name.endsWith(name));
  if (found === undefined) throw new Error(`no delivery is recorded as ${name}`);
  return found;
}

/** Returns whether a recording is of this request, or of the same whole list with another limit. */
export function matches(
  recording: Recording,
  { caller, path, query }: { caller: string; path: string; query: URLSearchParams },
): boolean {
  const [recordedPath, recordedQuery] = recording.path.split('?');
  const recordedParameters = new URLSearchParams(recordedQuery ?? '');
  if (recording.as !== caller || recordedPath !== path || comparable(recordedParameters) !== comparable(query))
    return false;
  return recordedParameters.get('limit') === query.get('limit') || isWhole(recording);
}

/** Returns the parameters in one order, without the limit and the number of the first page. */
function comparable(query: URLSearchParams): string {
  const kept = [...query].filter(([name, value]) => name !== 'limit' && !(name === 'page' && value === '1'));
  const parameters = new URLSearchParams(kept);
  parameters.sort();
  return parameters.toString();
}

/** Returns whether a recording has all entries of its list. */
function isWhole({ headers, body }: Recording): boolean {
  return Array.isArray(body) && Number(headers['x-total-count']) === body.length;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8'));
}
