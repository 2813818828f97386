import type { Connection } from '../database/connection.ts';
import { ask, findOutcome } from '../database/lookups.ts';
import type { Job } from '../database/queue.ts';
import { lookUpJob, type NameOnProvider, refreshJob } from './jobs.ts';
import { isNameOptedOut } from './opt-out-store.ts';
import { type Account, findByName } from './store.ts';

/** The account that a name on a provider stands for, as far as it is known within the time that a caller waits. */
export type Resolution =
  | { state: 'present'; account: Account }
  | { state: 'renamed'; account: Account }
  | { state: 'absent' }
  /** The provider has not responded yet; the work goes on. */
  | { state: 'pending' };

/** Announces the outcomes of lookups. */
export interface Outcomes {
  /** Resolves when the outcome of the lookup `key` is announced, or at `deadline`. */
  wait(key: string, deadline: Date): Promise<void>;
}

export interface ResolverOptions {
  connection: Connection;
  outcomes: Outcomes;
  now: () => Date;
  /** The age at which a stored account is fetched again, in the background. */
  freshForMs: number;
  /** Receives failures of work that no caller waits for. */
  onBackgroundFailure: (error: unknown) => void;
}

/** Finds the account of a name in the database, or looks it up on the provider while the caller waits. */
export class Resolver {
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /**
   * Finds the account of a name.
   * @param deadline the time until which the caller waits for an account that is not stored.
   * @throws AppError when the request to the provider failed and nothing is stored.
   */
  async resolve(asked: NameOnProvider, deadline: Date): Promise<Resolution> {
    const find = (): Promise<Resolution | undefined> => this.#find(asked);
    const stored = await find();
    if (stored !== undefined) return stored;
    return (await this.askAndWait(lookUpJob(asked), deadline, find)) ?? (await find()) ?? { state: 'pending' };
  }

  /**
   * Starts a lookup, and waits until it has an outcome or the deadline has come.
   * @param find reads the stored result: another caller's lookup may have ended just before this one.
   * @returns the result that was found without waiting.
   */
  async askAndWait<Found>(
    job: Job,
    deadline: Date,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const { connection, outcomes, now } = this.#options;
    const outcome = outcomes.wait(job.key, deadline);
    const isAsking = await ask(connection, job, now());
    const found = isAsking ? undefined : await find();
    if (found === undefined) await outcome;
    return found;
  }

  /** Starts a lookup for which no caller waits. */
  askInBackground(job: Job): void {
    const { connection, now, onBackgroundFailure } = this.#options;
    ask(connection, job, now()).catch(onBackgroundFailure);
  }

  /** Returns whether data that was fetched at a time is due for a refresh. */
  isStale(askedAt: Date | null): boolean {
    return askedAt === null || this.staleAt(askedAt) <= this.#options.now();
  }

  /** Returns the time at which data is due for a refresh. */
  staleAt(askedAt: Date): Date {
    return new Date(askedAt.getTime() + this.#options.freshForMs);
  }

  /** Returns the resolution that the database holds; undefined when the provider has to be queried. */
  async #find(asked: NameOnProvider): Promise<Resolution | undefined> {
    const { connection, now } = this.#options;
    const holder = await findByName(connection, asked.provider, asked.name);
    switch (holder?.state) {
      case 'present': {
        const { account } = holder;
        if (account.hiddenByHost) {
          // Only its owner gets a response. The lookup in the background finds out whether the host shows it again.
          this.askInBackground(lookUpJob(asked));
          return holder;
        }
        // An account that was only seen as a contributor has never been fetched.
        if (account.askedAt === null) break;
        if (!account.pinned && this.isStale(account.askedAt)) this.askInBackground(refreshJob(account.id));
        return holder;
      }
      case 'renamed':
        if (holder.checkAfter <= now()) this.askInBackground(lookUpJob(asked));
        return { state: 'renamed', account: holder.account };
      case 'gone':
        if (this.isStale(holder.account.askedAt)) this.askInBackground(lookUpJob(asked));
        return { state: 'absent' };
      case undefined:
        break;
    }
    if (await isNameOptedOut(connection, asked.provider, asked.name)) return { state: 'absent' };
    const outcome = await findOutcome(connection, lookUpJob(asked).key, now());
    if (outcome?.state === 'failed') throw outcome.error;
    return outcome;
  }
}
