import type { Connection } from '../database/connections/connection.ts';
import { formatCounted } from '../database/connections/counts.ts';
import { addJob, type Job } from '../database/queue/added-jobs.ts';
import {
  type Claim,
  claimLookup,
  type Delay,
  findOutcome,
  findRetryTime,
  type IsStored,
  type LookupParty,
} from '../database/queue/lookups.ts';
import { leaveReplica, outsideOfScope } from '../database/reads/statement-scope.ts';
import type { Provider } from '../hosts/interface/provider.ts';
import type { Computations } from '../http/pipeline/computations.ts';
import type { AccountResolver, LookupTerms, Resolution } from '../http/pipeline/endpoint.ts';
import type { Wait } from '../http/pipeline/envelope.ts';
import type { PipelineServices } from '../http/pipeline/pipeline.ts';
import type { Requester } from '../http/pipeline/requester.ts';
import type { Account } from '../model/account.ts';
import { nameKey } from '../model/account.ts';
import { AppError } from '../model/errors.ts';
import {
  checkNamedJob,
  lookUpJob,
  type NameOnProvider,
  namedHoldsMs,
  refreshJob,
  withUnknownName,
  withUrgency,
} from './jobs.ts';
import { findById, findByName, isShown } from './store.ts';
import { isNameOptedOut } from './visibility/opt-out-store.ts';

/** The most accounts that one job checks because callers name them. */
const maxNamed = 100;
/** The most such jobs that a process adds within a time, in ms. */
const maxChecks = 3;
const checkTurnMs = 30_000;

/** The networks whose images can name as many accounts that do not exist as each may, before all of them wait. */
const networksOfImages = 2;
/**
 * The longest time, in ms, for which a name that an image shows waits for others. Invented names would otherwise take all
 * places of the queue for an hour.
 */
const maxImageWaitMs = 300_000;

/** The services that loading data for a response needs. */
export interface LoadServices {
  connection: Connection;
  resolver: Resolver;
  computations: Computations;
  now: () => Date;
}

/** The services of routes about accounts. */
export interface RouteServices extends PipelineServices, LoadServices {
  providers: ReadonlyMap<string, Provider>;
  resolver: Resolver;
}

/** The stored state of a name. */
type StoredName = { state: 'present' | 'renamed'; account: Account } | { state: 'absent' } | { state: 'pending' };

/** Lets callers wait for the outcomes of lookups. */
interface Outcomes {
  /** Resolves when the outcome of the lookup `key` is announced, at `deadline`, or when the signal aborts. */
  wait(key: string, deadline: Date, signal: AbortSignal): Promise<void>;
}

/** The lookups an hour that visitors may start. */
interface LookupAllowances {
  perAddress: number;
  /** The lookups from one network. The lookups with service tokens of one account have the same limit. */
  perNetwork: number;
}

interface ResolverOptions {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  outcomes: Outcomes;
  now: () => Date;
  /** The age at which a stored account is fetched again, in the background. */
  freshForMs: number;
  allowances: LookupAllowances;
  /** Receives failures of work that no caller waits for. */
  onBackgroundFailure: (error: unknown) => void;
}

/** Finds the account of a name in the database, or looks it up on the provider while the caller waits. */
export class Resolver implements AccountResolver {
  readonly #options: ResolverOptions;
  /** Accounts that callers have named and that wait for a check, and those of the latest jobs. */
  readonly #named = new Set<string>();
  readonly #checked = new Set<string>();
  #checks = 0;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /**
   * Finds the account of a name. Waits until the deadline for an account that is not stored.
   * @throws AppError `not_found` when there is no such provider; the provider's error when the lookup failed and
   * nothing is stored.
   */
  async resolve(name: NameOnProvider, terms: LookupTerms): Promise<Resolution> {
    const provider = findProvider(this.#options.providers, name.provider);
    if (!provider.accounts.isPossibleName(name.name)) return { state: 'absent' };
    const find = (): Promise<StoredName | undefined> => this.#find(name);
    const found: StoredName = (await find()) ??
      (await this.requestAndWait(await this.#lookUpJob(name, terms), terms, find)) ?? { state: 'pending' };
    return 'account' in found ? { ...found, provider, isPublic: isShown(found.account) } : found;
  }

  /**
   * Finds the account of a service token, and compares the name in the request with it.
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
   * Starts a lookup, and waits for its outcome until the deadline. Does not wait for a delayed lookup, but stores its
   * time in `requester.wait`.
   * @param find reads the stored result; undefined when there is none.
   * @param isStored is needed where the job itself would fetch the result again.
   * @throws the error of `find`, such as that of a failed lookup.
   */
  async requestAndWait<Found>(
    job: Job,
    { deadline, requester }: LookupTerms,
    find: () => Promise<Found | undefined>,
    isStored?: IsStored,
  ): Promise<Found | undefined> {
    const { connection, outcomes, now } = this.#options;
    // The primary may have a result that the replica lacks, and receives the outcome of the lookup first.
    const stored = leaveReplica() ? await find() : undefined;
    if (stored !== undefined) return stored;
    const waiting = new AbortController();
    const outcome = outcomes.wait(job.key, deadline, waiting.signal);
    try {
      const claim = await this.#claim(job, requester, isStored);
      requester.wait = claim.state === 'delayed' ? toWait(claim) : undefined;
      // Another caller's lookup may have ended just before this one.
      const found = claim.state === 'claimed' ? undefined : await find();
      if (found !== undefined || claim.state === 'delayed') return found;
      await outcome;
      const result = await find();
      if (result === undefined) {
        const delay = await findRetryTime(connection, job.key, now());
        requester.wait = delay && toWait(delay);
      }
      return result;
    } finally {
      waiting.abort();
    }
  }

  /** Starts a lookup for which no caller waits; without a requester, it is on behalf of the service itself. */
  requestInBackground(job: Job, requester?: Requester): void {
    outsideOfScope(() => this.#claim(job, requester)).catch(this.#options.onBackgroundFailure);
  }

  /** Returns the job that looks up a name. A person whom a repository mentions exists. */
  async #lookUpJob(name: NameOnProvider, { requester }: LookupTerms): Promise<Job> {
    const job = lookUpJob(name);
    if (requester.imageNetwork === undefined) return job;
    const mentioned = await findByName(this.#options.connection, name.provider, name.name);
    return mentioned === undefined ? withUnknownName(job) : job;
  }

  #claim(job: Job, requester: Requester | undefined, isStored?: IsStored): Promise<Claim> {
    const { connection, now, allowances } = this.#options;
    if (requester === undefined) return claimLookup(connection, job, now());
    const isOwner = requester.ownerId !== null;
    const urgency = isOwner ? 'owner' : 'interactive';
    const party = toParty(requester, allowances, job);
    const isCounted = requester.imageNetwork !== undefined && mayBeAbsent(job);
    const payload = isCounted ? { ...job.payload, counted: formatCounted(party.allowances) } : job.payload;
    return claimLookup(connection, withUrgency({ ...job, payload }, urgency), now(), party, isStored);
  }

  /** Starts a refresh of an account in the background when its stored record is stale, unless the account is pinned. */
  refreshStale({ id, fetchedAt, pinned }: Account): void {
    if (!pinned && this.isStale(fetchedAt)) this.requestInBackground(refreshJob(id));
  }

  /**
   * Starts a check in the background whether the host still shows an account that a caller names, unless the host
   * reported on it within a minute.
   */
  checkShown(account: Pick<Account, 'id' | 'provider'> & Partial<Pick<Account, 'checkedAt' | 'pinned'>>): void {
    const { id, provider, checkedAt, pinned } = account;
    const { now, providers } = this.#options;
    const isRecent = (checkedAt?.getTime() ?? 0) + namedHoldsMs > now().getTime();
    if (isRecent || pinned === true || providers.get(provider)?.accounts.check === undefined) return;
    if (this.#named.size === maxNamed || this.#checked.has(id)) return;
    this.#named.add(id);
    this.#checkNamed();
  }

  /** Adds a job for the accounts that wait for one. After a few jobs, further accounts wait for one together. */
  #checkNamed(): void {
    if (this.#named.size === 0 || this.#checks === maxChecks) return;
    const ids = [...this.#named];
    this.#named.clear();
    this.#checks += 1;
    for (const id of ids) this.#checked.add(id);
    const { connection, onBackgroundFailure } = this.#options;
    outsideOfScope(() => addJob(connection, checkNamedJob(ids))).catch(onBackgroundFailure);
    setTimeout(() => {
      this.#checks -= 1;
      for (const id of ids) this.#checked.delete(id);
      this.#checkNamed();
    }, checkTurnMs).unref();
  }

  /** Returns whether data that was fetched at a time is due for a refresh. */
  isStale(fetchedAt: Date | null): boolean {
    return fetchedAt === null || this.staleAt(fetchedAt) <= this.#options.now();
  }

  /** Returns the time at which data is due for a refresh. */
  staleAt(fetchedAt: Date): Date {
    return new Date(fetchedAt.getTime() + this.#options.freshForMs);
  }

  /**
   * Returns the stored state of a name; undefined when a lookup is needed.
   * @throws AppError the stored error of the last lookup, while it is cached.
   */
  async #find(name: NameOnProvider): Promise<StoredName | undefined> {
    const { connection, now } = this.#options;
    const holder = await findByName(connection, name.provider, name.name);
    switch (holder?.state) {
      case 'present': {
        const { account } = holder;
        if (account.hiddenByHost) {
          // Only the owner gets a response. The lookup in the background finds out whether the host shows the account
          // again.
          this.requestInBackground(lookUpJob(name));
          return holder;
        }
        // An account that was only seen as a contributor has never been fetched.
        if (account.fetchedAt === null) break;
        // A refresh also finds out whether the host still shows the account.
        if (this.isStale(account.fetchedAt)) this.refreshStale(account);
        else this.checkShown(account);
        return holder;
      }
      case 'renamed':
        if (holder.checkAfter <= now()) this.requestInBackground(lookUpJob(name));
        return { state: 'renamed', account: holder.account };
      case 'deleted':
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

/** Returns whether a lookup is of a name that may not exist. */
function mayBeAbsent({ payload }: Job): boolean {
  return payload['isUnknown'] === true;
}

function toWait({ until, reason }: Delay): Wait {
  return { reason, resumesAt: until };
}

/**
 * Returns the provider of a name.
 * @throws AppError `not_found`, which lists the providers that exist.
 */
export function findProvider(providers: ReadonlyMap<string, Provider>, name: string): Provider {
  const provider = providers.get(name);
  if (provider !== undefined) return provider;
  const known = [...providers.keys()].join(', ');
  throw new AppError('not_found', `There is no such provider here; those that are: ${known}.`, {
    explanations: [{ phrase: 'noProvider', values: { choices: known } }],
  });
}

/**
 * Returns the party on whose behalf a request starts lookups, with its allowances. Even owners are limited, each by
 * account, because anyone can create an account at a host and get a token for it.
 */
function toParty(
  { ownerId, origins, imageNetwork }: Requester,
  { perAddress, perNetwork }: LookupAllowances,
  job: Job,
): LookupParty {
  if (ownerId !== null) {
    return { isOwner: true, allowances: [{ action: `lookups of account ${ownerId}`, perHour: perNetwork }] };
  }
  if (imageNetwork !== undefined && mayBeAbsent(job)) {
    const allowances = [
      { action: `absent names in images of ${imageNetwork}`, perHour: perNetwork },
      { action: 'absent names in images', perHour: networksOfImages * perNetwork },
    ];
    return { isOwner: false, allowances, maxWaitMs: maxImageWaitMs };
  }
  if (origins === undefined) return { isOwner: false, allowances: [] };
  return {
    isOwner: false,
    allowances: [
      { action: `lookups of ${origins.address}`, perHour: perAddress },
      { action: `lookups of ${origins.network}`, perHour: perNetwork },
    ],
  };
}
