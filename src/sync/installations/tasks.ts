import { Value } from 'typebox/value';
import { findKnown, requestListing } from '../../accounts/actor-store.ts';
import { InstallationReference, reconcileJob, welcomeJob } from '../../accounts/installations/jobs.ts';
import { deleteInstallations, findInstallation } from '../../accounts/installations/store.ts';
import { collectJob } from '../../contributions/items/jobs.ts';
import { inBatches, inTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { InstallableApp } from '../../hosts/interface/installation.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { newCost, type SyncContext } from '../context.ts';
import { lookUp } from '../lookups/look-up.ts';
import { findMissed, type MissedMetrics } from './missed.ts';
import { reconcile } from './reconcile.ts';

/** The delay, in ms, after which a failed request to a provider is repeated. */
const restMs = 60_000;
/** The time, in ms, for which a removed installation is remembered. */
const removedKeptMs = 30 * 86_400_000;
/** The most rows about removed installations that one statement deletes. */
const deletedAtOnce = 1000;

/** Returns the jobs that follow the installations of the apps. */
export function createInstallationTasks(context: SyncContext, metrics: MissedMetrics): Record<string, Task> {
  return {
    reconcile_installations: {
      urgency: 'interactive',
      schedule: '17 * * * *',
      run: async (_payload, signal) => {
        for (const target of apps(context, signal)) {
          await orLater(context, reconcileJob, () => reconcile(context, target));
        }
        const before = new Date(context.now().getTime() - removedKeptMs);
        await inBatches(() => deleteInstallations(context.connection, before, deletedAtOnce));
      },
    },
    welcome: {
      urgency: 'interactive',
      run: async (payload, signal) => {
        const reference = Value.Parse(InstallationReference, payload);
        await orLater(context, welcomeJob(reference), () => welcome(context, reference, toCall(signal)));
      },
    },
    find_missed_deliveries: {
      urgency: 'interactive',
      schedule: '*/5 * * * *',
      run: async (_payload, signal) => {
        for (const target of apps(context, signal)) {
          if (!target.app.takesDeliveries) continue;
          await orReport(context, () => findMissed(context, target, metrics));
        }
      },
    },
  };
}

function apps(
  { providers }: SyncContext,
  signal: AbortSignal,
): { provider: string; app: InstallableApp; call: Call }[] {
  return [...providers].flatMap(([provider, { app }]) =>
    app === undefined ? [] : [{ provider, app, call: toCall(signal) }],
  );
}

/** Queues the job again when `work` fails. A denied request is only reported; the next scheduled run repeats it. */
async function orLater(context: SyncContext, job: Job, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.onFailure(error, 'following installations');
    if (error.code === 'provider_denied') return;
    const runAt = error.retryAt ?? new Date(context.now().getTime() + restMs);
    await addJob(context.connection, { ...job, runAt });
  }
}

/**
 * Reports a failure; the next run continues where this one failed. A denied request is left out, because `reconcile`
 * reports it.
 */
async function orReport(context: SyncContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'provider_denied') context.onFailure(error, 'looking for missed deliveries');
  }
}

function toCall(signal: AbortSignal): Call {
  return { urgency: 'background', signal, cost: newCost() };
}

/** Queues the collecting of everything that an installation shows. */
async function welcome(
  context: SyncContext,
  { provider, installation: id }: InstallationReference,
  call: Call,
): Promise<void> {
  const { connection, now } = context;
  const installation = await findInstallation(connection, provider, id);
  if (installation === undefined) return;
  const { externalId, name } = installation.account;
  const known = await findKnown(connection, { provider, externalId, name });
  if (known === undefined || known.fetchedAt === null) await lookUp(context, { provider, name }, call);
  // Another account may have the name by now; the next update of the installations brings the right name.
  const account = await findKnown(connection, { provider, externalId, name });
  if (account === undefined) return;
  await inTransaction(connection, async (transaction) => {
    await requestListing(transaction, account.id, now());
    await addJob(transaction, collectJob(account.id));
  });
}
