import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { sync } from '../../../src/app/commands/sync.ts';
import { program } from '../../program.ts';

export interface SyncOptions {
  simulator: Pick<Simulator, 'url' | 'apiUrl' | 'tokens'>;
  databaseUrl: string;
  dataDir: string;
  target: string;
}

function toEnvironment({ simulator, databaseUrl, dataDir }: SyncOptions): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.public_only,
    LOG_LEVEL: 'silent',
  };
}

/** Runs `plaudit sync` within this process. @returns its output. */
export async function runSync(options: SyncOptions, signal = new AbortController().signal): Promise<string[]> {
  const printed: string[] = [];
  const io = {
    environment: toEnvironment(options),
    print: (line: string) => void printed.push(line),
    warn: () => {},
    isTerminal: false,
    signal,
  };
  await sync(io, options.target);
  return printed;
}

/** Runs `plaudit sync` as a process of its own. */
export function startSync(options: SyncOptions): { kill: () => void; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [program, 'sync', options.target], {
    stdio: 'ignore',
    env: { ...process.env, ...toEnvironment(options) },
  });
  return { kill: () => void child.kill('SIGKILL'), ended: once(child, 'exit') };
}
