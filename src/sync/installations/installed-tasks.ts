import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { findAllInstalled, findDuePolls } from '../../accounts/repositories/poll-store.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import { newCost, type SyncContext, type Work } from '../context.ts';
import { pollOwners, roundMs, startOwnerPolls } from '../listings/poll-owners.ts';
import { pollJob, pollRepository } from '../listings/poll-repository.ts';
import { reconcileRepository, repairTotals } from '../listings/reconcile-repository.ts';

/** The most due polls that are queued each minute; the others wait a minute longer. */
const pollsAtOnce = 1000;
/** The time, in ms, over which reconciling all repositories is spread, so that other jobs can use the provider too. */
const reconcilingMs = 4 * 3_600_000;

const OneProvider = Type.Object({ provider: Type.String() });
const SecondRound = Type.Object({ isSecond: Type.Literal(true) });
const OneRepository = Type.Object({ repositoryId: Type.String() });

/** Returns the jobs that keep installed repositories current without a request by a client. */
export function createInstalledTasks(
  context: SyncContext,
  reportFailure: (work: Promise<unknown>, signal: AbortSignal) => Promise<void>,
): Record<string, Task> {
  return {
    poll_due: {
      urgency: 'background',
      schedule: '* * * * *',
      run: async () => {
        const providers = [...context.providers.keys()];
        const due = await findDuePolls(context.connection, providers, context.now(), pollsAtOnce);
        for (const repositoryId of due) await addJob(context.connection, pollJob(repositoryId));
      },
    },
    start_owner_polls: {
      urgency: 'interactive',
      schedule: '* * * * *',
      run: async (payload) => {
        await startOwnerPolls(context);
        if (!Value.Check(SecondRound, payload)) await addJob(context.connection, secondRound(context.now()));
      },
    },
    poll_owners: {
      // Repositories that became private are hidden without waiting behind long reads.
      urgency: 'interactive',
      run: (payload, signal) =>
        reportFailure(pollOwners(context, Value.Parse(OneProvider, payload).provider, signal), signal),
    },
    poll_repository: {
      urgency: 'background',
      run: (payload, signal) => reportFailure(pollRepository(context, idIn(payload), work(signal)), signal),
    },
    reconcile_repositories: {
      urgency: 'background',
      schedule: '0 2 * * *',
      run: () => reconcileRepositories(context),
    },
    reconcile_repository: {
      urgency: 'background',
      run: (payload, signal) => reportFailure(reconcileRepository(context, idIn(payload), work(signal)), signal),
    },
    repair_totals: {
      urgency: 'background',
      run: (payload, signal) => reportFailure(repairTotals(context, idIn(payload), work(signal)), signal),
    },
  };
}

/** Returns the job of the round at the half minute: the schedule of the queue knows whole minutes only. */
function secondRound(now: Date): Job {
  const runAt = new Date(now.getTime() + roundMs);
  return {
    task: 'start_owner_polls',
    payload: { isSecond: true },
    key: 'second start_owner_polls',
    priority: 30,
    runAt,
  };
}

async function reconcileRepositories({ connection, now }: SyncContext): Promise<void> {
  const repositories = await findAllInstalled(connection);
  for (const [index, repositoryId] of repositories.entries()) {
    const runAt = new Date(now().getTime() + (reconcilingMs * index) / repositories.length);
    await addJob(connection, { ...reconcileJob(repositoryId), runAt });
  }
}

function reconcileJob(repositoryId: string): Job {
  return { task: 'reconcile_repository', payload: { repositoryId }, key: `reconcile ${repositoryId}`, priority: 50 };
}

function idIn(payload: unknown): string {
  return Value.Parse(OneRepository, payload).repositoryId;
}

function work(signal: AbortSignal): Work {
  return { call: { urgency: 'background', signal, cost: newCost() }, onProgress: () => {} };
}
