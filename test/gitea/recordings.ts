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

export const recordings = read('answers') as Recording[];
export const recordedDeliveries = read('deliveries') as RecordedDelivery[];
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

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8'));
}
