import { findKnown, requestListing, saveActors } from '../../accounts/actor-store.ts';
import { reconcileJob } from '../../accounts/installations/jobs.ts';
import { hideShownBy } from '../../accounts/installations/store.ts';
import { checkAdministratorJob, lookUpJob, type NameOnProvider, refreshJob } from '../../accounts/jobs.ts';
import { hideRepository } from '../../accounts/repositories/hide-store.ts';
import { findByExternalIds, type Repository } from '../../accounts/repositories/store.ts';
import { lockAccounts } from '../../accounts/store.ts';
import { findReportedCalendar } from '../../contributions/calendar/calendar-store.ts';
import { recordTotalsChanged } from '../../contributions/items/collection-store.ts';
import { calendarJob, collectJob, collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { removeStar, saveStarEvent } from '../../contributions/items/star-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { claimLookupWithin } from '../../database/queue/lookups.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import type { Change } from '../../hosts/interface/provider.ts';
import { deleteAccess } from '../../recognition/achievements/awards/access-store.ts';
import { requestBoards } from '../../recognition/boards/ranking/request-store.ts';
import type { SyncContext } from '../context.ts';
import { pollJob } from '../listings/poll-repository.ts';
import { recordVisibility } from '../lookups/record-state.ts';
import { toStar } from '../streams/end-scan.ts';
import { ActorsOfScan, savePage } from '../streams/read-stream.ts';
import { isStreamShown, lockStreams, recordStreamChange, requestScanFor } from '../streams/stream-store.ts';
import { type DeliveredChange, recordApplied } from './owner-store.ts';
import { markApplied, type Unapplied } from './store.ts';

/** The time, in ms, for which star deliveries are remembered. An older delivery cannot be put in order any more. */
export const starEventsKeptMs = 30 * 86_400_000;

/**
 * Delays in ms. They let the work on a burst of changes be done once, and give the provider's own copies the time to
 * agree.
 */
const delayMs = { repository: 1000, account: 3000 };

/** A transaction that applies deliveries, and the work in it that follows from all changes. */
interface Batch {
  context: SyncContext;
  transaction: Connection;
  /** Repositories whose contributions changed, and owners of which other repositories are shown. */
  changedRepositories: Set<string>;
  changedOwners: Set<string>;
  /** Owners whose repositories are listed again. */
  ownersToList: Set<string>;
  /** Unknown accounts that are looked up. */
  accountsToLookUp: NameOnProvider[];
  /** By their keys. */
  jobs: Map<string, Job>;
}

/**
 * Applies the changes of deliveries and marks these as applied. A change that several of them report is applied once.
 *
 * All transactions that apply deliveries lock rows in one order (docs/decisions/0062-deliveries-in-parallel.md): first
 * those of repositories, then accounts, then jobs.
 */
export async function applyChanges(
  context: SyncContext,
  transaction: Connection,
  deliveries: readonly Unapplied[],
): Promise<void> {
  const distinct = new Map<string, DeliveredChange>();
  for (const { provider, id, changes } of deliveries) {
    for (const change of changes) {
      // Two deliveries can report the same about a star that was given, taken back and given again within a second.
      const delivery = change.type === 'star' ? id : null;
      distinct.set(JSON.stringify([provider, change, delivery]), { provider, change });
    }
  }
  const sorted = [...distinct].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, change]) => change);
  // Repositories are locked before streams, so hiding comes first.
  const [hiding, others] = [sorted.filter(isHiding), sorted.filter((change) => !isHiding(change))];
  const repositories = await findChanged(transaction, [...distinct.values()]);
  const batch: Batch = {
    context,
    transaction,
    changedRepositories: new Set(),
    changedOwners: new Set(),
    ownersToList: new Set(),
    accountsToLookUp: [],
    jobs: new Map(),
  };
  const stars = others.flatMap((delivered) => {
    const repository = repositories.get(toKey(delivered));
    return delivered.change.type === 'star' && repository !== undefined
      ? [{ repository, change: delivered.change }]
      : [];
  });
  if (stars.length > 0) await takeSharedErasureLock(transaction);
  for (const delivered of hiding) await applyChange(batch, delivered, repositories.get(toKey(delivered)));
  const read = others.flatMap((delivered) => repositories.get(toKey(delivered))?.id ?? []);
  // A single change locks its streams itself.
  if (read.length > 1) await lockStreams(transaction, read);
  if (stars.length > 0) await saveStarGivers(context, transaction, stars);
  for (const delivered of others) await applyChange(batch, delivered, repositories.get(toKey(delivered)));
  await finishBatch(batch);
  await markApplied(transaction, deliveries, context.now());
  await recordApplied(transaction, [...distinct.values()], context.now());
}

function isHiding({ change: { type } }: DeliveredChange): boolean {
  return type === 'hidden' || type === 'installation';
}

/** Does what follows from all changes once. */
async function finishBatch({ context, transaction, ...batch }: Batch): Promise<void> {
  const { changedOwners, ownersToList } = batch;
  if (changedOwners.size + ownersToList.size > 1) await lockAccounts(transaction, [...changedOwners, ...ownersToList]);
  for (const id of ownersToList) await requestListing(transaction, id, context.now());
  await recordVisibility(context, transaction, sorted(changedOwners));
  await recordTotalsChanged(transaction, [...batch.changedRepositories]);
  for (const mention of batch.accountsToLookUp) await claimLookupWithin(transaction, lookUpJob(mention), context.now());
  for (const job of batch.jobs.values()) await addJob(transaction, job);
  for (const id of sorted(batch.changedRepositories)) await requestBoards(transaction, id);
}

function sorted(values: Iterable<string>): string[] {
  return [...values].toSorted();
}

/** Finds the stored repositories of changes, each once for all changes about it. */
async function findChanged(
  transaction: Connection,
  delivered: readonly DeliveredChange[],
): Promise<Map<string, Repository>> {
  const idsByProvider = new Map<string, Set<string>>();
  for (const { provider, change } of delivered) {
    if ('repository' in change)
      idsByProvider.set(provider, (idsByProvider.get(provider) ?? new Set()).add(change.repository));
  }
  const found = new Map<string, Repository>();
  for (const [provider, ids] of idsByProvider) {
    for (const [id, repository] of await findByExternalIds(transaction, provider, [...ids])) {
      found.set(`${provider} ${id}`, repository);
    }
  }
  return found;
}

function toKey({ provider, change }: DeliveredChange): string {
  return 'repository' in change ? `${provider} ${change.repository}` : '';
}

/** @param repository the stored repository that the change is about, hidden ones too. */
async function applyChange(
  batch: Batch,
  { provider, change }: DeliveredChange,
  repository: Repository | undefined,
): Promise<void> {
  const { context, transaction } = batch;
  switch (change.type) {
    case 'account':
      return refreshKnown(batch, { provider, externalId: change.account, name: change.name });
    case 'administrator':
      await deleteAccess(transaction, provider, change.person);
      return addLater(batch, checkAdministratorJob({ provider, ...change }), delayMs.account);
    case 'owned':
      return listOrLookUp(batch, { provider, externalId: change.account, name: change.name });
    case 'contributions':
      return collect(batch, { provider, change, repository });
    case 'reactions':
      // A poll of an installed repository reads its last changes and their reactions.
      if (repository !== undefined) addLater(batch, pollJob(repository.id), delayMs.repository);
      return;
    case 'hidden':
      return hide(batch, repository, change);
    case 'installation':
      return endInstallation(batch, provider, change);
    case 'star':
      if (repository !== undefined && (await applyStar(context, transaction, repository, change)))
        batch.changedRepositories.add(repository.id);
      return;
    case 'removed':
      return requestScan(context, transaction, repository, change);
  }
}

/** Refreshes a known account. An account that no client has requested is not fetched now either. */
async function refreshKnown(
  batch: Batch,
  mention: { provider: string; externalId: string; name: string },
): Promise<void> {
  const known = await findKnown(batch.transaction, mention);
  if (known === undefined || known.fetchedAt === null) return;
  addLater(batch, refreshJob(known.id), delayMs.account);
  const calendar = await findReportedCalendar(batch.transaction, known.id);
  if (calendar !== undefined) addLater(batch, calendarJob(known.id), delayMs.account);
}

async function listOrLookUp(
  batch: Batch,
  mention: { provider: string; externalId: string | null; name: string },
): Promise<void> {
  const known = await findKnown(batch.transaction, mention);
  // An unknown account is only looked up; its repositories are listed when a client requests them.
  if (known === undefined) {
    // An account without a name cannot be looked up.
    if (mention.name === '') return;
    batch.accountsToLookUp.push(mention);
    return;
  }
  batch.ownersToList.add(known.id);
  addLater(batch, collectJob(known.id), delayMs.repository);
}

async function collect(
  batch: Batch,
  delivered: {
    provider: string;
    change: Extract<Change, { type: 'contributions' }>;
    repository: Repository | undefined;
  },
): Promise<void> {
  const { provider, change, repository } = delivered;
  if (repository === undefined) {
    return listOrLookUp(batch, { provider, externalId: change.owner, name: change.ownerName });
  }
  const { ownerId: accountId, name } = repository;
  await recordStreamChange(batch.transaction, repository.id, change.streams, batch.context.now());
  addLater(batch, collectRepositoryJob({ accountId, repository: name, withPrivate: true }), delayMs.repository);
}

async function hide(
  batch: Batch,
  repository: Repository | undefined,
  { onlyPrivate }: Extract<Change, { type: 'hidden' }>,
): Promise<void> {
  if (repository === undefined || (onlyPrivate && !repository.isPrivate)) return;
  await hideRepository(batch.transaction, repository.id, batch.context.now());
  batch.changedOwners.add(repository.ownerId);
}

/**
 * Hides the repositories of an installation that ended, which another credential may still show, and requests the present
 * installations.
 */
async function endInstallation(
  batch: Batch,
  provider: string,
  { credentialName, isOver }: Extract<Change, { type: 'installation' }>,
): Promise<void> {
  const { context, transaction, changedOwners, ownersToList, jobs } = batch;
  const hidden = isOver ? await hideShownBy(transaction, { provider, credentialName }, context.now()) : [];
  for (const id of hidden) {
    changedOwners.add(id);
    ownersToList.add(id);
    jobs.set(collectJob(id).key, collectJob(id));
  }
  addLater(batch, reconcileJob, delayMs.repository);
}

/**
 * Requests the lists in which a stored item must be absent to be removed. The job that reads them is queued by the
 * change of contributions that every such delivery reports as well.
 */
async function requestScan(
  { now }: SyncContext,
  transaction: Connection,
  repository: Repository | undefined,
  { kind, externalId }: Extract<Change, { type: 'removed' }>,
): Promise<void> {
  if (repository === undefined) return;
  await requestScanFor(transaction, { repositoryId: repository.id, kind, externalId }, now());
}

function addLater({ context, jobs }: Batch, job: Job, delayedByMs: number): void {
  if (jobs.has(job.key)) return;
  jobs.set(job.key, { ...job, runAt: new Date(context.now().getTime() + delayedByMs), keepsRunAt: true });
}

/**
 * Stores the people who gave stars, and locks them with the owners of the repositories, before `applyStar` stores the
 * stars one after the other: a transaction locks all accounts at once.
 */
async function saveStarGivers(
  context: SyncContext,
  transaction: Connection,
  stars: readonly { repository: Repository; change: Extract<Change, { type: 'star' }> }[],
): Promise<void> {
  const now = context.now();
  const addedStars = stars.filter(
    ({ repository, change }) => !change.isTakenBack && isCounted(repository, change, now),
  );
  for (const [provider, ofProvider] of Map.groupBy(addedStars, ({ repository }) => repository.provider)) {
    const givers = new Map(ofProvider.map(({ change: { account } }) => [account.externalId, account]));
    const alsoLocked = ofProvider.map(({ repository }) => repository.ownerId);
    await saveActors(transaction, provider, [...givers.values()], {
      mentionedAt: now,
      newId: context.newId,
      alsoLocked,
    });
  }
}

function isCounted({ installedAt }: Repository, { at }: { at: string }, now: Date): boolean {
  return installedAt !== null && !(new Date(at).getTime() + starEventsKeptMs < now.getTime());
}

/**
 * Stores or removes a star as a delivery says, where its host does not show the list of stars, so that deliveries are
 * their only source. Otherwise the list decides. Only installed repositories have stars stored.
 * @returns true when the contributions to the repository may have changed.
 */
async function applyStar(
  context: SyncContext,
  transaction: Connection,
  repository: Repository,
  change: Extract<Change, { type: 'star' }>,
): Promise<boolean> {
  const { account, isTakenBack } = change;
  const now = context.now();
  const at = new Date(change.at);
  if (!isCounted(repository, change, now)) return false;
  const star = { repositoryId: repository.id, externalId: account.externalId };
  const state = await saveStarEvent(transaction, { ...star, at, isTakenBack }, now);
  if (await isStreamShown(transaction, repository.id, 'stars')) {
    // The read of the list may find that it is withheld, and then stores the star of the delivery.
    await saveActors(transaction, repository.provider, [account], { mentionedAt: now, newId: context.newId });
    if (!state.isStarred) await requestScanFor(transaction, { ...star, kind: 'star' }, now);
    return false;
  }
  if (state.isStarred) {
    const page = {
      contributions: [toStar(account.externalId, state.at)],
      actors: [account],
      wholeParents: [],
      nextCursor: null,
      total: null,
      pageSize: 0,
    };
    await savePage(context, transaction, {
      repository,
      page,
      requestedAt: now,
      seenAt: now,
      actors: new ActorsOfScan(),
    });
  } else {
    await removeStar(transaction, { ...star, until: state.at });
    await requestScanFor(transaction, { ...star, kind: 'star' }, now);
  }
  return true;
}
