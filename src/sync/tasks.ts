import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AccountReference, NameOnProvider, withUrgency } from '../accounts/jobs.ts';
import { eraseDeleted } from '../accounts/store.ts';
import { findCollection } from '../contributions/collection-store.ts';
import { findUncounted } from '../contributions/commit-store.ts';
import { removeOutlivedCounters } from '../contributions/counter-store.ts';
import { collectJob, collectRepositoryJob, RepositoryOfAccount, updateTotalsJob } from '../contributions/jobs.ts';
import { forgetStarEvents } from '../contributions/star-store.ts';
import { removeOldRankings } from '../contributors/store.ts';
import type { Connection } from '../database/connection.ts';
import { forgetOutcomes } from '../database/lookups.ts';
import { addJob, type Task } from '../database/queue.ts';
import { forgetRejections } from '../deliveries/rejection-store.ts';
import { applyJob, forgetDeliveries } from '../deliveries/store.ts';
import { AppError } from '../errors.ts';
import { urgencies } from '../providers/call.ts';
import { historyStream } from '../providers/history.ts';
import type { Call } from '../providers/provider.ts';
import { eraseDeletedRepositories } from '../repositories/store.ts';
import { applyDeliveries } from './apply-deliveries.ts';
import { starEventsKeptMs } from './apply-star.ts';
import { createStartTasks } from './begin-work.ts';
import { checkAccounts } from './check-accounts.ts';
import { busyDelayMs, collectAccount, collectNamedRepository } from './collect.ts';
import { newCost, type SyncContext, type Work } from './context.ts';
import { forgetDrifts } from './drift-store.ts';
import { fetchCalendar } from './fetch-calendar.ts';
import { fetchReportedTotals } from './fetch-reported-totals.ts';
import { createInstalledTasks } from './installed-tasks.ts';
import { lookUp, refresh } from './look-up.ts';
import { createWithdrawalTasks } from './lost-access.ts';
import { recordStreamChange } from './stream-store.ts';
import { updateTotals } from './update-totals.ts';

/** The time slice, in ms, of a job that collects. */
const timeSliceMs = 60_000;
/** The time, in ms, after which data that its provider deleted is erased. */
const gracePeriodMs = 30 * 86_400_000;
/** The time, in ms, for which cursors into a replaced listing stay valid. */
const rankingKeptMs = 3_600_000;
/** The time, in ms, for which a repeated delivery is recognized. */
const deliveriesKeptMs = 30 * 86_400_000;
/** The time, in ms, for which repaired drifts are kept for the operator. */
const driftsKeptMs = 30 * 86_400_000;
/** The most repositories that one run counts again. */
const maxUncounted = 100;

/** Returns the jobs that nodes run, by name. */
export function createTasks(context: SyncContext): Record<string, Task> {
  return {
    look_up: {
      urgency: 'interactive',
      run: (payload, signal) => {
        const name = parse(NameOnProvider, payload);
        return reportFailure(context, lookUp(context, name, call(urgencyIn(payload), signal)), signal);
      },
    },
    refresh: aboutAccount(context, 'background', refresh),
    collect_repository: {
      urgency: 'interactive',
      run: (payload, signal) => reportFailure(context, runCollectRepositoryJob(context, payload, signal), signal),
    },
    see_totals: aboutAccount(context, 'interactive', fetchReportedTotals),
    fetch_calendar: aboutAccount(context, 'interactive', fetchCalendar),
    collect: {
      urgency: 'background',
      run: (payload, signal) => reportFailure(context, runCollectJob(context, payload, signal), signal),
    },
    apply_deliveries: {
      urgency: 'interactive',
      // The schedule also applies deliveries that a failure left behind.
      schedule: '* * * * *',
      run: async () => {
        if ((await applyDeliveries(context)) === 'more') await addJob(context.connection, applyJob);
      },
    },
    update_totals: {
      urgency: 'interactive',
      // A run that takes long, or is killed, leaves people for the next minute.
      schedule: '* * * * *',
      run: async () => {
        if ((await updateTotals(context)) === 'more') await addJob(context.connection, updateTotalsJob);
      },
    },
    ...createStartTasks(context),
    ...createWithdrawalTasks(context),
    ...createInstalledTasks(context, (work, signal) => reportFailure(context, work, signal)),
    check_accounts: {
      urgency: 'background',
      schedule: '17 * * * *',
      run: (_payload, signal) => checkAccounts(context, call('background', signal)),
    },
    clean_up: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: () => cleanUp(context),
    },
  };
}

/** Returns the task that requests something about one account. */
function aboutAccount(
  context: SyncContext,
  urgency: Task['urgency'],
  fetch: (context: SyncContext, accountId: string, call: Call) => Promise<void>,
): Task {
  return {
    urgency,
    run: (payload, signal) => {
      const { accountId } = parse(AccountReference, payload);
      return reportFailure(context, fetch(context, accountId, call(urgencyIn(payload), signal)), signal);
    },
  };
}

/** Runs a job that collects an account, for one time slice. The rest, or work that waits for quota, is another job. */
async function runCollectJob(context: SyncContext, payload: unknown, signal: AbortSignal): Promise<void> {
  const { accountId } = parse(AccountReference, payload);
  const urgency = urgencyIn(payload);
  const until = new Date(context.now().getTime() + timeSliceMs);
  const job = withUrgency(collectJob(accountId), urgency);
  const goOnAt = (runAt: Date): Promise<void> => addJob(context.connection, { ...job, runAt });
  const { listedAt, isUnfinished } = await findCollection(context.connection, accountId);
  const isFirst = listedAt === null || isUnfinished;
  try {
    const end = await collectAccount(context, accountId, work(urgency, isFirst ? 'bulk' : 'background', signal), until);
    if (end === 'complete') return;
  } catch (error) {
    const isLimited = error instanceof AppError && error.code === 'provider_rate_limited';
    if (isLimited && error.retryAt !== undefined) await goOnAt(error.retryAt);
    throw error;
  }
  const isTimeSliceOver = context.now() >= until;
  await goOnAt(new Date(context.now().getTime() + (isTimeSliceOver ? 0 : busyDelayMs)));
}

/**
 * Runs a job that collects one repository. When another job is reading it, it runs again later: that job may have
 * passed the requested part already.
 */
async function runCollectRepositoryJob(context: SyncContext, payload: unknown, signal: AbortSignal): Promise<void> {
  const requested = parse(RepositoryOfAccount, payload);
  const urgency = urgencyIn(payload);
  const reading = urgency === 'interactive' ? 'bulk' : 'background';
  const end = await collectNamedRepository(context, requested, work(urgency, reading, signal));
  if (end === 'complete') return;
  const runAt = new Date(context.now().getTime() + busyDelayMs);
  await addJob(context.connection, { ...withUrgency(collectRepositoryJob(requested), urgency), runAt });
}

async function cleanUp({ connection, now }: SyncContext): Promise<void> {
  await countUncounted(connection, now());
  const before = (agoMs: number): Date => new Date(now().getTime() - agoMs);
  await eraseDeleted(connection, before(gracePeriodMs));
  await eraseDeletedRepositories(connection, before(gracePeriodMs));
  await removeOutlivedCounters(connection);
  await removeOldRankings(connection, before(rankingKeptMs));
  await forgetOutcomes(connection, before(0));
  await forgetDeliveries(connection, before(deliveriesKeptMs));
  await forgetStarEvents(connection, before(starEventsKeptMs));
  await forgetRejections(connection, before(deliveriesKeptMs));
  await forgetDrifts(connection, before(driftsKeptMs));
}

/** Queues another count of commits whose address has a new owner: reading the history counts them. */
async function countUncounted(connection: Connection, now: Date): Promise<void> {
  for (const { id, ownerId, name } of await findUncounted(connection, maxUncounted)) {
    await recordStreamChange(connection, id, [historyStream.name], now);
    await addJob(connection, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: true }));
  }
}

/** Reports the failure of a provider. The lookup is settled already, and repeated when a client requests it. */
async function reportFailure(context: SyncContext, work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    context.onFailure(error, 'a request to a provider');
  }
}

function call(urgency: Call['urgency'], signal: AbortSignal): Call {
  return { urgency, signal, cost: newCost() };
}

function work(first: Call['urgency'], reading: Call['urgency'], signal: AbortSignal): Work {
  return { firstCall: call(first, signal), call: call(reading, signal), onProgress: () => {} };
}

/** The urgency in the payload of a job; absent: no caller waits for it. */
const WithUrgency = Type.Object({ urgency: Type.Optional(Type.Enum([...urgencies])) });

function urgencyIn(payload: unknown): Call['urgency'] {
  return parse(WithUrgency, payload).urgency ?? 'background';
}

function parse<Schema extends TSchema>(schema: Schema, payload: unknown): Static<Schema> {
  return Value.Parse(schema, payload);
}
