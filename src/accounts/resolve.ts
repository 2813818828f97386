import type { Connection } from '../database/connection.ts';
import { claimLookup, findOutcome } from '../database/lookups.ts';
import type { Job } from '../database/queue.ts';
import { AppError } from '../errors.ts';
import type { AccountResolver, Resolution } from '../http/endpoint.ts';
import type { PipelineServices } from '../http/pipeline.ts';
import type { Provider } from '../providers/provider.ts';
import { nameKey } from './account.ts';
import { lookUpJob, type NameOnProvider, refreshJob } from './jobs.ts';
import { isNameOptedOut } from './opt-out-store.ts';
import { type Account, findById, findByName, isShown } from './store.ts';

/** The services that loading data for a response needs. */
export interface LoadServices {
  connection: Connection;
  resolver: Resolver;
  now: () => Date;
}

/** The services of routes about accounts. */
export interface RouteServices extends PipelineServices, LoadServices {
  providers: ReadonlyMap<string, Provider>;
}

/** The stored state of a name. */
type StoredName = { state: 'present' | 'renamed'; account: Account } | { state: 'absent' } | { state: 'pending' };

/** Announces the outcomes of lookups. */
export interface Outcomes {
  /** Resolves when the outcome of the lookup `key` is announced, or at `deadline`. */
  wait(key: string, deadline: Date): Promise<void>;
}

export interface ResolverOptions {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  outcomes: Outcomes;
  now: () => Date;
  /** The age at which a stored account is fetched again, in the background. */
  freshForMs: number;
  /** Receives failures of work that no caller waits for. */
  onBackgroundFailure: (error: unknown) => void;
}

/** Finds the account of a name in the database, or looks it up on the provider while the caller waits. */
export class Resolver implements AccountResolver {
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /**
   * Finds the account of a name.
   * @param deadline the time until which the caller waits for an account that is not stored.
   * @throws AppError `not_found` when there is no such provider; the provider's error when the lookup failed and nothing
   * is stored.
   */
  async resolve(name: NameOnProvider, deadline: Date): Promise<Resolution> {
    const provider = findProvider(this.#options.providers, name.provider);
    if (!provider.accounts.isPossibleName(name.name)) return { state: 'absent' };
    const find = (): Promise<StoredName | undefined> => this.#find(name);
    const found: StoredName = (await find()) ??
      (await this.requestAndWait(lookUpJob(name), deadline, find)) ??
      (await find()) ?? { state: 'pending' };
    return 'account' in found ? { ...found, provider, isPublic: isShown(found.account) } : found;
  }

  /**
   * Finds the account of a service token, for a request under some name.
   * @throws AppError `not_found` when there is no such provider.
   */
  async resolveOwn(name: NameOnProvider, accountId: string): Promise<Resolution> {
    const { connection, providers } = this.#options;
    const provider = findProvider(providers, name.provider);
    const account = await findById(connection, accountId);
    if (account?.provider !== name.provider || !provider.accounts.isPossibleName(name.name)) return { state: 'absent' };
    const known = { account, provider, isPublic: isShown(account) };
    if (nameKey(account.name) === nameKey(name.name)) return { state: 'present', ...known };
    const holder = await findByName(connection, name.provider, name.name);
    const isFormerName = holder?.state === 'renamed' && holder.account.id === account.id;
    return { state: isFormerName ? 'renamed' : 'other_name', ...known };
  }

  /**
   * Starts a lookup, and waits until it has an outcome or the deadline has come.
   * @param find reads the stored result: another caller's lookup may have ended just before this one.
   * @returns the result that was found without waiting.
   */
  async requestAndWait<Found>(
    job: Job,
    deadline: Date,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const { connection, outcomes, now } = this.#options;
    const outcome = outcomes.wait(job.key, deadline);
    const hasClaimed = await claimLookup(connection, job, now());
    const found = hasClaimed ? undefined : await find();
    if (found === undefined) await outcome;
    return found;
  }

  /** Starts a lookup for which no caller waits. */
  requestInBackground(job: Job): void {
    const { connection, now, onBackgroundFailure } = this.#options;
    claimLookup(connection, job, now()).catch(onBackgroundFailure);
  }

  /** Requests an account again, when the stored record is old. */
  refreshStale({ id, fetchedAt, pinned }: Account): void {
    if (!pinned && this.isStale(fetchedAt)) this.requestInBackground(refreshJob(id));
  }

  /** Returns whether data that was fetched at a time is due for a refresh. */
  isStale(fetchedAt: Date | null): boolean {
    return fetchedAt === null || this.staleAt(fetchedAt) <= this.#options.now();
  }

  /** Returns the time at which data is due for a refresh. */
  staleAt(fetchedAt: Date): Date {
    return new Date(fetchedAt.getTime() + this.#options.freshForMs);
  }

  /** Returns what the database holds about a name; undefined when the provider has to be queried. */
  async #find(name: NameOnProvider): Promise<StoredName | undefined> {
    const { connection, now } = this.#options;
    const holder = await findByName(connection, name.provider, name.name);
    switch (holder?.state) {
      case 'present': {
        const { account } = holder;
        if (account.hiddenByHost) {
          // Only its owner gets a response. The lookup in the background finds out whether the host shows it again.
          this.requestInBackground(lookUpJob(name));
          return holder;
        }
        // An account that was only seen as a contributor has never been fetched.
        if (account.fetchedAt === null) break;
        this.refreshStale(account);
        return holder;
      }
      case 'renamed':
        if (holder.checkAfter <= now()) this.requestInBackground(lookUpJob(name));
        return { state: 'renamed', account: holder.account };
      case 'gone':
        if (this.isStale(holder.account.fetchedAt)) this.requestInBackground(lookUpJob(name));
        return { state: 'absent' };
      case undefined:
        break;
    }
    if (await isNameOptedOut(connection, name.provider, name.name)) return { state: 'absent' };
    const outcome = await findOutcome(connection, lookUpJob(name).key, now());
    if (outcome?.state === 'failed') throw outcome.error;
    return outcome;
  }
}

/**
 * Returns the provider of a name.
 * @throws AppError `not_found`, which lists the providers that exist.
 */
export function findProvider(providers: ReadonlyMap<string, Provider>, name: string): Provider {
  const provider = providers.get(name);
  if (provider !== undefined) return provider;
  const known = [...providers.keys()].join(', ');
  throw new AppError('not_found', `There is no such provider here; those that are: ${known}.`);
}
