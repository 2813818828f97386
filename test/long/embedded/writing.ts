import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openEmbedded } from '../../../src/database/embedded/embedded.ts';

/** The program that is started. */
export const writerProgram = fileURLToPath(new URL('writer.ts', import.meta.url));

export interface Writing {
  child: ChildProcess;
  /** The numbers of the rows that were acknowledged so far. */
  acknowledged: number[];
  /** Waits for a line: `opening`, `open`, or any number of acknowledged rows. */
  until(progress: 'opening' | 'open' | number): Promise<void>;
  /** Resolves to the exit status, or to the signal that ended the process. */
  ended: Promise<number | string>;
}

/** Starts the program that stores rows. */
export function startWriting(
  dataDir: string,
  options: { onlyOpen?: boolean; uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): Writing {
  const { onlyOpen = false, env, ...user } = options;
  const args = [writerProgram, dataDir, ...(onlyOpen ? ['only-open'] : [])];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
    ...(env === undefined ? {} : { env }),
  });
  const acknowledged: number[] = [];
  const seen = new Set<string>();
  const lines = createInterface({ input: child.stdout });
  const listeners = new Set<() => void>();
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };
  lines.on('line', (line) => {
    if (/^\d+$/.test(line)) acknowledged.push(Number(line));
    else seen.add(line);
    notifyListeners();
  });
  child.once('close', notifyListeners);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const until = (progress: 'opening' | 'open' | number): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const isReached = typeof progress === 'number' ? acknowledged.length >= progress : seen.has(progress);
        if (!isReached && child.exitCode === null && child.signalCode === null) return;
        listeners.delete(check);
        if (isReached) resolve();
        else reject(new Error(`the program ended before ${progress}`));
      };
      listeners.add(check);
      check();
    });
  return { child, acknowledged, until, ended };
}

/** Returns the stored numbers. Opens the server for this, and releases it. */
export async function storedNumbers(dataDir: string): Promise<Set<number>> {
  const server = await openEmbedded({ dataDir, log: () => {} });
  const client = new Client(server.connection);
  try {
    await client.connect();
    const { rows } = await client.query<{ number: string }>('select number from numbers');
    return new Set(rows.map(({ number }) => Number(number)));
  } finally {
    await client.end();
    await server.release();
  }
}
