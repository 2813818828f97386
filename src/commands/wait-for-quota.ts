import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Io } from './io.ts';

/** Runs `work`, and repeats it after a used-up quota at the time that the provider names. */
export async function waitForQuota<Result>(io: Io, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'provider_rate_limited' || !error.retryAt) throw error;
      io.warn(`${error.message} Going on at ${error.retryAt.toISOString()}`);
      await wait(Math.max(1000, error.retryAt.getTime() - Date.now()), undefined, { signal: io.signal });
    }
  }
}
