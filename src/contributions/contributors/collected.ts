import { withUnknownName } from '../../accounts/jobs.ts';
import { findByFormerName, findOwnedRepository, type Repository } from '../../accounts/repositories/store.ts';
import type { LoadServices } from '../../accounts/resolve.ts';
import type { Job } from '../../database/queue/added-jobs.ts';
import { findOutcome } from '../../database/queue/lookups.ts';
import { MovedRepository, type ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import type { Progress } from '../../http/pipeline/envelope.ts';
import type { ContributionKind } from '../../model/contribution.ts';
import { AppError } from '../../model/errors.ts';
import type { Window } from '../../model/windows/window.ts';
import { awaitListing } from '../items/await-listing.ts';
import { findUncollected, narrowUncollected } from '../items/collection-store.ts';
import { collectRepositoryJob } from '../items/jobs.ts';
import { findProgress } from '../totals/progress-store.ts';
import type { Scope } from './contributor.ts';

/** The scope of a listing, and how current and complete it is. */
export interface Collected {
  /** The title for cards: the display name of the account, or `OWNER/NAME` of the repository. */
  of: string;
  scope: Scope;
  asOf: Date;
  uncollected: ContributionKind[];
}

/** Returns the scope of one repository of an account, or of all where none is named. */
export async function loadCollected(
  services: LoadServices,
  resolved: ResolvedAccount,
  repository: string | undefined,
): Promise<Collected | MovedRepository | undefined> {
  return repository === undefined
    ? collectedOfAccount(services, resolved)
    : collectedOfRepository(services, resolved, repository);
}

/**
 * Returns the scope of all repositories of an account, private ones for its owner alone. Waits for the first listing
 * until the deadline.
 * @returns undefined while no listing is stored.
 */
async function collectedOfAccount(services: LoadServices, resolved: ResolvedAccount): Promise<Collected | undefined> {
  const { account, isOwner } = resolved;
  const collection = await awaitListing(services, resolved);
  return (
    collection && {
      of: account.displayName || account.name,
      scope: { accountId: account.id, repositoryId: null, includesPrivate: isOwner },
      asOf: collection.listedAt,
      uncollected: collection.uncollected,
    }
  );
}

/**
 * Returns the scope of one repository, which a job of its own collects, because its owner may have thousands. For a
 * former name it returns the present one.
 * @returns undefined while the repository is not stored.
 * @throws AppError `not_found` when there is no such repository; a provider's error when it could not be fetched.
 */
export async function collectedOfRepository(
  services: LoadServices,
  resolved: ResolvedAccount,
  name: string,
): Promise<Collected | MovedRepository | undefined> {
  const { account, provider, isOwner } = resolved;
  const { connection, resolver, now } = services;
  if (!provider.repositories.isPossibleName(name)) throw noSuchRepository(isOwner);
  const job = collectRepositoryJob({ accountId: account.id, repository: name, withPrivate: isOwner });
  const find = (): Promise<Repository | undefined> =>
    findOwnedRepository(connection, account.id, name, { withPrivate: isOwner });
  let repository = await find();
  const moved = repository === undefined ? await findMoved(services, resolved, name) : undefined;
  if (moved !== undefined) {
    if (!account.pinned && moved.checkAfter <= now()) resolver.requestInBackground(job);
    return new MovedRepository(moved.name);
  }
  const isNew = repository === undefined || repository.collectedAt === null;
  if (isNew && !account.pinned) {
    const awaited = await awaitRepository(services, resolved, { name, job, find, isStored: repository !== undefined });
    if (awaited instanceof MovedRepository) return awaited;
    repository = awaited;
  } else if (repository !== undefined && !account.pinned && resolver.isStale(repository.collectedAt)) {
    resolver.requestInBackground(job);
  }
  if (repository === undefined && account.pinned) throw noSuchRepository(isOwner);
  if (repository === undefined) return undefined;
  return {
    of: `${account.name}/${repository.name}`,
    scope: { accountId: account.id, repositoryId: repository.id, includesPrivate: repository.isPrivate },
    asOf: repository.collectedAt ?? repository.listedAt,
    uncollected: await findUncollected(connection, repository.id),
  };
}

/** Finds what reading the missing numbers of a scope waits for; undefined where none is missing. */
export function findCollectedProgress(
  { connection, now }: Pick<LoadServices, 'connection' | 'now'>,
  { scope: { includesPrivate: withPrivate, ...repositories } }: Collected,
  missing: readonly string[],
): Promise<Progress | undefined> {
  return findProgress(connection, { ...repositories, withPrivate }, missing, now());
}

/** Returns the kinds of which contributions in a window may be missing; without a window, in the lifetime. */
export function uncollectedWithin(
  { connection }: Pick<LoadServices, 'connection'>,
  { scope: { accountId, repositoryId, includesPrivate: withPrivate }, uncollected }: Collected,
  window: Pick<Window, 'since'> | undefined,
): Promise<ContributionKind[]> {
  return narrowUncollected(connection, { accountId, repositoryId, withPrivate }, uncollected, window?.since ?? null);
}

/**
 * Requests a repository that was never collected, unless its lookup has an outcome, and waits until it is collected, at
 * most until the caller's deadline.
 * @returns undefined when the deadline came first.
 * @throws AppError `not_found` when the account has no such repository; a provider's error when the lookup failed and
 *   the repository is not stored.
 */
async function awaitRepository(
  services: LoadServices,
  resolved: ResolvedAccount,
  wanted: { name: string; job: Job; find: () => Promise<Repository | undefined>; isStored: boolean },
): Promise<Repository | MovedRepository | undefined> {
  const { connection, resolver, now } = services;
  const { name, job, find, isStored } = wanted;
  const outcome = await findOutcome(connection, job.key, now());
  if (outcome?.state === 'failed' && !isStored) throw outcome.error;
  if (outcome === undefined)
    await resolver.requestAndWait(
      isStored ? job : withUnknownName(job),
      resolved,
      async () => (await find())?.collectedAt ?? undefined,
    );
  const repository = await find();
  if (repository !== undefined) return repository;
  const moved = await findMoved(services, resolved, name);
  if (moved !== undefined) return new MovedRepository(moved.name);
  if ((await findOutcome(connection, job.key, now()))?.state === 'absent') throw noSuchRepository(resolved.isOwner);
  return undefined;
}

function findMoved({ connection }: LoadServices, { account, isOwner }: ResolvedAccount, name: string) {
  return findByFormerName(connection, account.id, name, { withPrivate: isOwner });
}

export function noSuchRepository(isOwner: boolean): AppError {
  return new AppError('not_found', `This account has no such ${isOwner ? '' : 'public '}repository.`, {
    explanations: isOwner ? [] : [{ phrase: 'noRepository' }],
  });
}
