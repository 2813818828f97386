import type { Connection } from '../database/connection.ts';
import { ask, findOutcome } from '../database/questions.ts';
import type { Job } from '../database/queue.ts';
import { lookUpJob, type NameOnProvider, refreshJob } from './jobs.ts';
import { isNameOptedOut } from './opt-out-store.ts';
import { type Account, findByName } from './store.ts';

/** What a name on a provider stands for, as far as can be said within the time that a caller waits. */
export type Resolution =
  | { state: 'present'; account: Account }
  | { state: 'renamed'; account: Account }
  | { state: 'absent' }
  /** The provider was asked and has not answered yet; the work goes on. */
  | { state: 'pending' };

/** Tells when something that was asked for has an outcome. */
export interface Outcomes {
  /** Resolves when the outcome of the question `key` is announced, or at `deadline`. */
  wait(key: string, deadline: Date): Promise<void>;
}

export interface ResolverOptions {
  connection: Connection;
  outcomes: Outcomes;
  now: () => Date;
  /** After this time a stored account is asked for anew, behind the answer. */
  freshForMs: number;
  /** Receives failures of work that no caller waits for. */
  onBackgroundFailure: (error: unknown) => void;
}

/** Finds the account of a name: stored, or by asking the provider while the caller waits. */
export class Resolver {
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /**
   * @param deadline until when the caller waits for an account that was never seen before.
   * @throws AppError when the provider was asked and failed, and nothing is stored to answer from.
   */
  async resolve(asked: NameOnProvider, deadline: Date): Promise<Resolution> {
    const find = (): Promise<Resolution | undefined> => this.#find(asked);
    const stored = await find();
    if (stored !== undefined) return stored;
    return (await this.askAndWait(lookUpJob(asked), deadline, find)) ?? (await find()) ?? { state: 'pending' };
  }

  /**
   * Has a question asked, and waits until it has an outcome or the deadline has come.
   * @param find looks for what is asked for: somebody else's question may have ended just before this one.
   * @returns what was found without waiting.
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

  /** Has a question asked that nobody waits for. */
  askInBackground(job: Job): void {
    const { connection, now, onBackgroundFailure } = this.#options;
    ask(connection, job, now()).catch(onBackgroundFailure);
  }

  /** Whether what was asked at a time has to be asked anew. */
  isStale(askedAt: Date | null): boolean {
    return askedAt === null || this.staleAt(askedAt) <= this.#options.now();
  }

  /** When what was asked at a time has to be asked anew. */
  staleAt(askedAt: Date): Date {
    return new Date(askedAt.getTime() + this.#options.freshForMs);
  }

  /** What can be said without asking; undefined when the provider has to be asked. */
  async #find(asked: NameOnProvider): Promise<Resolution | undefined> {
    const { connection, now } = this.#options;
    const holder = await findByName(connection, asked.provider, asked.name);
    switch (holder?.state) {
      case 'present': {
        const { account } = holder;
        if (account.hiddenByHost) {
          // Its owner alone is answered. That the host shows it again is found out behind the answer.
          this.askInBackground(lookUpJob(asked));
          return holder;
        }
        // Somebody who was only seen as a contributor has never been asked for.
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
