import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../model/errors.ts';
import type { Io } from './io.ts';

/**
 * Runs `work`. When the quota of requests is used up, waits until the time that the provider names and runs it again.
 * @throws the other errors of `work`.
 */
export async function waitForQuota<Result>(io: Io, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'provider_rate_limited' || !error.retryAt) throw error;
      io.warn(`${error.message} Continuing at ${error.retryAt.toISOString()}`);
      await wait(Math.max(1000, error.retryAt.getTime() - Date.now()), undefined, { signal: io.signal });
    }
  }
}
