import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { reconcileJob } from '../accounts/installations/jobs.ts';
import { AccountReference, lookUpJob, NamedAccounts, NameOnProvider, withUrgency } from '../accounts/jobs.ts';
import { ListOfAccount } from '../contributions/contributors/prepare-store.ts';
import { makeList, prepareList } from '../contributions/contributors/ranking.ts';
import { findCollection } from '../contributions/items/collection-store.ts';
import {
  collectJob,
  collectRepositoryJob,
  LanguagesOfAccount,
  RepositoryOfAccount,
  updateTotalsJob,
  WindowOfAccount,
} from '../contributions/items/jobs.ts';
import { takeBackCount } from '../database/connections/counts.ts';
import { addJob, type Job } from '../database/queue/added-jobs.ts';
import { findOutcome } from '../database/queue/lookups.ts';
import type { Task } from '../database/queue/queue.ts';
import { correctFutureTimes } from '../database/schema/future-store.ts';
import { urgencies } from '../hosts/interface/call.ts';
import type { Call } from '../hosts/interface/provider.ts';
import { AppError } from '../model/errors.ts';
import { newCost, type SyncContext, type Work } from './context.ts';
import { applyDeliveries } from './deliveries/apply-deliveries.ts';
import { applyJob } from './deliveries/store.ts';
import { countLanguages } from './histories/read-history.ts';
import { createInstalledTasks } from './installations/installed-tasks.ts';
import { checkAccounts, checkNamedAccounts, lookUpNamedPeople } from './lookups/check-accounts.ts';
import { endWaits, endWaitsJob } from './lookups/end-waits.ts';
import { fetchCalendar, fetchReportedTotals, fetchWindow } from './lookups/fetch-reported.ts';
import { lookUp, refresh } from './lookups/look-up.ts';
import { checkAccess, createWithdrawalTasks, withdrawLostCredentials } from './lookups/lost-access.ts';
import { busyDelayMs, collectAccount, collectNamedRepository } from './streams/collect.ts';
import { createOrphanTasks } from './totals/check-orphans.ts';
import { createRecountTasks } from './totals/recount-owners.ts';
import { updateTotals } from './totals/stored-totals.ts';

/** The jobs of each start. Where times have to be corrected, they read all tables, so the node listens before they end. */
const jobs: readonly Job[] = [{ task: 'correct_times', payload: {}, key: 'correct_times', priority: 5 }, endWaitsJob];

/** The time slice, in ms, of a job that collects. */
const timeSliceMs = 60_000;
/** Returns the jobs that nodes run, by name. */
export function createTasks(context: SyncContext): Record<string, Task> {
  return {
    fetch_window: {
      urgency: 'interactive',
      run: (payload, signal) => {
        const range = parse(WindowOfAccount, payload);
        return reportFailure(context, fetchWindow(context, range, call(urgencyIn(payload), signal)), signal);
      },
    },
    count_languages: {
      urgency: 'background',
      run: (payload) => countLanguages(context, parse(LanguagesOfAccount, payload)),
    },
    make_list: { urgency: 'interactive', run: (payload) => makeList(context, parse(ListOfAccount, payload)) },
    prepare_list: {
      urgency: 'background',
      run: (payload) => prepareList(context, parse(AccountReference, payload).accountId),
    },
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
    ...createNameTasks(context),
    ...createAccountTasks(context),
    ...createStartTasks(context),
    ...createWithdrawalTasks(context),
    ...createInstalledTasks(context, (work, signal) => reportFailure(context, work, signal)),
    look_up_named_people: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: (_payload, signal) => lookUpNamedPeople(context, call('background', signal)),
    },
    ...createRecountTasks(context),
    ...createOrphanTasks(context),
  };
}

/** Returns the jobs that request something by a name that may not exist. */
function createNameTasks(context: SyncContext): Record<string, Task> {
  return {
    look_up: {
      urgency: 'interactive',
      run: (payload, signal) => {
        const name = parse(NameOnProvider, payload);
        const work = lookUp(context, name, call(urgencyIn(payload), signal));
        return reportFailure(context, countAbsent(context, work, { payload, job: lookUpJob(name), signal }), signal);
      },
    },
    collect_repository: {
      urgency: 'interactive',
      run: (payload, signal) => {
        const job = collectRepositoryJob(parse(RepositoryOfAccount, payload));
        const work = runCollectRepositoryJob(context, payload, signal);
        return reportFailure(context, countAbsent(context, work, { payload, job, signal }), signal);
      },
    },
  };
}

/** Returns the jobs that request something about one account. */
function createAccountTasks(context: SyncContext): Record<string, Task> {
  return {
    refresh: aboutAccount(context, 'background', refresh),
    fetch_reported_totals: aboutAccount(context, 'interactive', fetchReportedTotals),
    check_access: aboutAccount(context, 'interactive', checkAccess),
    check_accounts: {
      urgency: 'background',
      schedule: '*/5 * * * *',
      run: (payload, signal) => {
        const { ids } = parse(NamedAccounts, payload);
        return ids === undefined
          ? checkAccounts(context, call('background', signal))
          : checkNamedAccounts(context, ids.split(' '), call('background', signal));
      },
    },
    fetch_calendar: aboutAccount(context, 'interactive', fetchCalendar),
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

/** The count of a lookup that an image started, for a name that may not exist. */
const WithCount = Type.Object({ counted: Type.Optional(Type.String()) });

/**
 * Takes back the count of a lookup that an image started, unless it finds that the name does not exist. A service that
 * stops repeats the lookup when it starts.
 */
async function countAbsent(
  context: SyncContext,
  work: Promise<unknown>,
  { payload, job, signal }: { payload: unknown; job: Job; signal: AbortSignal },
): Promise<void> {
  const { counted } = parse(WithCount, payload);
  try {
    await work;
  } finally {
    const isEnded = counted !== undefined && !signal.aborted;
    if (isEnded && (await findOutcome(context.connection, job.key, context.now()))?.state !== 'absent') {
      await takeBackCount(context.connection, counted);
    }
  }
}

/** Reports the failure of a provider. The lookup has ended already, and is repeated when a client requests it. */
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

/**
 * Withdraws lost credentials before the first response of a node, and queues the other work of a start. Must be called after
 * the providers have their installations.
 */
export async function beginWork(context: SyncContext): Promise<void> {
  await withdrawLostCredentials(context);
  const hasApp = [...context.providers.values()].some(({ app }) => app !== undefined);
  for (const job of hasApp ? [...jobs, reconcileJob] : jobs) await addJob(context.connection, job);
}

/** Returns the jobs of a start. */
export function createStartTasks({ connection, now }: SyncContext): Record<string, Task> {
  return {
    correct_times: { urgency: 'interactive', run: () => correctFutureTimes(connection, now()) },
    end_waits: { urgency: 'interactive', run: () => endWaits(connection, now()) },
  };
}
