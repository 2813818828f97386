import { readFileSync } from 'node:fs';

/** An answer that a real Gitea gave. */
export interface Recording {
  name: string;
  /** Who asked. */
  as: string;
  /** Below the interface's address; `@` for what is beside it. */
  path: string;
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** What a real Gitea delivered, byte for byte. */
export interface RecordedDelivery {
  name: string;
  headers: Record<string, string>;
  body: string;
}

export const recordings = read<Recording[]>('answers');
export const recordedDeliveries = read<RecordedDelivery[]>('deliveries');
export const recordedSecret = 'hook-secret-for-tests';

export function recorded(name: string): Recording {
  const found = recordings.find((recording) => recording.name === name);
  if (found === undefined) throw new Error(`nothing is recorded as ${name}`);
  return found;
}

export function recordedDelivery(name: string): RecordedDelivery {
  const found = recordedDeliveries.find((delivery) => delivery.name.endsWith(name));
  if (found === undefined) throw new Error(`no delivery is recorded as ${name}`);
  return found;
}

function read<Content>(name: string): Content {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as Content;
}
