import {
  claimOwnerPoll,
  findDueProviders,
  isWhollyInstalled,
  type OwnerPoll,
  saveOwnerPoll,
  sumPollCosts,
} from '../../accounts/installations/owner-poll-store.ts';
import { refreshJob } from '../../accounts/jobs.ts';
import { findByExternalIds, findOwnedRepositories } from '../../accounts/repositories/store.ts';
import { findById } from '../../accounts/store.ts';
import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import type { OwnerChanges, OwnerPolls } from '../../hosts/interface/polls.ts';
import type { Call, Provider } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { newCost, type SyncContext } from '../context.ts';
import { recordStreamChange } from '../streams/stream-store.ts';
import { compareListing } from './compare-listing.ts';

/** The time, in ms, between two rounds, which begin at the full and at the half minute. */
export const roundMs = 30_000;
/**
 * A round also makes the polls that are due up to half a round later, because they are nearer to it than to the next
 * one.
 */
const dueEarlyMs = roundMs / 2;
/**
 * The time slice, in ms, of a round, which ends before the next one begins; the owners that are left are polled there
 * first.
 */
const sliceMs = 25_000;
/** The number of owners of one provider that are polled in parallel. */
const parallelOwners = 3;
const failureDelayMs = 60_000;
const hourMs = 3_600_000;
/** Failures of the host itself, which the next owner would meet as well. */
const hostFailures = new Set(['provider_unavailable', 'provider_rate_limited']);

function pollOwnersJob(provider: string): Job {
  return { task: 'poll_owners', payload: { provider }, key: `poll_owners ${provider}`, priority: 30 };
}

/** Begins a round: queues one job for each provider with an owner to poll, so that a slow host holds up no other. */
export async function startOwnerPolls(context: SyncContext): Promise<void> {
  const polled = [...context.providers.values()].filter(({ polls }) => polls !== undefined);
  const names = polled.map(({ name }) => name);
  const dueUntil = new Date(context.now().getTime() + dueEarlyMs);
  for (const provider of await findDueProviders(context.connection, names, dueUntil)) {
    await addJob(context.connection, pollOwnersJob(provider));
  }
}

/** Polls the owners of a provider that are due, those first that have waited longest. */
export async function pollOwners(context: SyncContext, name: string, signal: AbortSignal): Promise<void> {
  const provider = context.providers.get(name);
  const polls = provider?.polls?.owners;
  if (provider === undefined || polls === undefined) return;
  const begunAt = context.now();
  const dueUntil = new Date(begunAt.getTime() + dueEarlyMs);
  let hasFailed = false;
  const poller = async (): Promise<void> => {
    while (!hasFailed && !signal.aborted && context.now().getTime() < begunAt.getTime() + sliceMs) {
      const nextAt = new Date(context.now().getTime() + polls.intervalMs);
      const claimed = await claimOwnerPoll(context.connection, name, { dueUntil, nextAt });
      if (claimed === undefined) return;
      const call: Call = { urgency: 'background', signal, cost: newCost() };
      const failure = await pollOwner(context, { provider, polls, accountId: claimed.accountId, poll: claimed }, call);
      hasFailed ||= failure !== undefined && hostFailures.has(failure.code);
    }
  };
  await Promise.all(Array.from({ length: parallelOwners }, poller));
}

interface Polled {
  provider: Provider;
  polls: OwnerPolls;
  accountId: string;
  poll: OwnerPoll;
}

/**
 * Polls one owner, and sets the time of the next poll.
 * @returns the failure of the provider, if there is one.
 */
async function pollOwner(context: SyncContext, polled: Polled, call: Call): Promise<AppError | undefined> {
  const { accountId, polls, poll } = polled;
  const { connection, now } = context;
  const account = await findById(connection, accountId);
  if (account === undefined) return undefined;
  const startedAt = now();
  try {
    const isWhole = await isWhollyInstalled(connection, account);
    await compareListing(context, { account, provider: polled.provider, isWhole }, call);
    const changes = await readChanges(context, polled, account, call);
    const cost = Math.max(call.cost.requests, call.cost.points);
    const others = (await sumPollCosts(connection, account.provider)) - poll.cost;
    const intervalMs = Math.max(polls.intervalMs, (hourMs * (others + cost)) / polls.maxCostPerHour);
    const nextAt = new Date(startedAt.getTime() + intervalMs);
    await saveChanges(context, account, changes, { nextAt, cost, position: changes?.position ?? null });
    return undefined;
  } catch (error) {
    if (call.signal.aborted || !(error instanceof AppError)) throw error;
    const nextAt = error.retryAt ?? new Date(startedAt.getTime() + failureDelayMs);
    await saveOwnerPoll(connection, accountId, { ...poll, nextAt });
    // A refresh of the account shows whether it was renamed or deleted.
    if (error.code === 'not_found') await addJob(connection, refreshJob(accountId));
    context.onFailure(error, 'polling an owner');
    return error;
  }
}

async function readChanges(
  { connection }: SyncContext,
  { polls, poll }: Polled,
  account: Account,
  call: Call,
): Promise<OwnerChanges | undefined> {
  if (polls.readChanges === undefined) return undefined;
  const owned = await findOwnedRepositories(connection, account.id);
  const repositories = owned.filter(({ installedAt }) => installedAt !== null).map(({ externalId }) => externalId);
  return polls.readChanges(account, { repositories, position: poll.position }, call);
}

/** Stores the changes together with the position after them, so that a kill loses none. */
async function saveChanges(
  { connection, now }: SyncContext,
  account: Account,
  read: OwnerChanges | undefined,
  poll: OwnerPoll & { nextAt: Date },
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    const changes = read?.changes ?? [];
    const ids = changes.map(({ repository }) => repository);
    const stored = ids.length === 0 ? new Map() : await findByExternalIds(transaction, account.provider, ids);
    for (const { repository: externalId, streams } of changes) {
      const repository = stored.get(externalId);
      if (repository === undefined || repository.installedAt === null || repository.isDeleted) continue;
      await recordStreamChange(transaction, repository.id, streams, now());
      const { ownerId: accountId, name } = repository;
      await addJob(transaction, collectRepositoryJob({ accountId, repository: name, withPrivate: true }));
    }
    await saveOwnerPoll(transaction, account.id, poll);
  });
}
