import { saveActors } from '../../accounts/actor-store.ts';
import { namedHoldsMs } from '../../accounts/jobs.ts';
import {
  type CheckedAccount,
  findDueChecks,
  findDueLeaders,
  findNamedChecks,
  markChecked,
  markDeleted,
} from '../../accounts/visibility/check-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Call, Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import {
  type DueName,
  deleteLookedUp,
  findDueNames,
  saveLookedUp,
} from '../../recognition/boards/people/named-people-store.ts';
import { requestBoardsWithPerson } from '../../recognition/boards/ranking/request-store.ts';
import type { SyncContext } from '../context.ts';
import { lookUp } from './look-up.ts';

/** The most accounts that one run looks up; the next run looks up others. */
const namesAtOnce = 50;

type Result = 'stored' | 'absent' | 'failed' | 'limited';

/** The accounts in one call of a provider that names no limits, and those of its host in an hour. */
const defaultLimits = { atOnce: 20, perHour: 1200 };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The time between two runs, and the part of it in which a run begins calls. */
const runs = { everyMs: 5 * minuteMs, lastMs: 4 * minuteMs };
/** The jobs an hour that check accounts which callers name, in several processes. */
const namedRunsPerHour = 720;

/**
 * The time for which a result holds, unless a mention or a lookup shows otherwise: of people on first pages an hour, of
 * others in lists a day, both with the time that the checks themselves take, of deleted accounts a week.
 */
const holdsMs = { leader: 45 * minuteMs, other: 23 * hourMs, deleted: 7 * 24 * hourMs };

/**
 * Checks whether hosts still show the accounts in lists of contributors and on boards: deliveries and mentions do not
 * report that an account was deleted or hidden. Each run takes its part of what the host allows in an hour.
 */
export async function checkAccounts(context: SyncContext, call: Call): Promise<void> {
  const { connection } = context;
  const now = context.now().getTime();
  const before = (ms: number): Date => new Date(now - ms);
  await checkAtHosts(context, call, async ({ name, accounts }) => {
    const limit = Math.ceil((accounts.checkLimits ?? defaultLimits).perHour / (hourMs / runs.everyMs));
    const leaders = await findDueLeaders(connection, name, {
      before: before(holdsMs.leader),
      // The others in lists have their turn, too, where there are very many lists.
      limit: Math.ceil(limit / 2),
      run: Math.floor(now / runs.everyMs),
    });
    const terms = {
      before: before(holdsMs.other),
      deletedBefore: before(holdsMs.deleted),
      limit: limit - leaders.length,
    };
    const ofLists = await findDueChecks(connection, name, { ...terms, on: 'lists' });
    const ofBoards = await findDueChecks(connection, name, { ...terms, on: 'boards' });
    const due = new Map([...leaders, ...ofLists, ...ofBoards].map((account) => [account.id, account]));
    return [...due.values()];
  });
}

/** Checks accounts that callers have just named, unless their host reported on them within a minute. */
export async function checkNamedAccounts(context: SyncContext, ids: readonly string[], call: Call): Promise<void> {
  const before = new Date(context.now().getTime() - namedHoldsMs);
  await checkAtHosts(context, call, ({ name, accounts }) =>
    findNamedChecks(context.connection, name, {
      before,
      ids,
      limit: Math.ceil((accounts.checkLimits ?? defaultLimits).perHour / namedRunsPerHour),
    }),
  );
}

async function checkAtHosts(
  context: SyncContext,
  call: Call,
  findDue: (provider: Provider) => Promise<CheckedAccount[]>,
): Promise<void> {
  const until = context.now().getTime() + runs.lastMs;
  for (const provider of context.providers.values()) {
    if (provider.accounts.check === undefined) continue;
    const { atOnce } = provider.accounts.checkLimits ?? defaultLimits;
    try {
      const due = await findDue(provider);
      for (let at = 0; at < due.length && context.now().getTime() < until; at += atOnce) {
        await checkTogether(context, provider, due.slice(at, at + atOnce), call);
      }
    } catch (error) {
      if (call.signal.aborted || !(error instanceof AppError)) throw error;
      context.onFailure(error, 'checking accounts');
    }
  }
}

async function checkTogether(
  context: SyncContext,
  provider: Provider,
  due: readonly CheckedAccount[],
  call: Call,
): Promise<void> {
  const requestedAt = context.now();
  const checked = await provider.accounts.check?.(due, call).catch((error: unknown) => {
    if (!(error instanceof AppError) || !isAboutThese(error)) throw error;
    // Without being marked as checked, these accounts would come first again and keep all others from being checked.
    context.onFailure(error, 'checking accounts');
    return undefined;
  });
  const found = checked ?? new Map<string, null>();
  await inTransaction(context.connection, async (transaction) => {
    const visibleActors = [...found.values()].filter((actor) => actor !== null);
    const alsoLocked = due.map(({ id }) => id);
    await saveActors(transaction, provider.name, visibleActors, {
      mentionedAt: requestedAt,
      newId: context.newId,
      alsoLocked,
    });
    for (const { id, externalId } of due) {
      if (found.get(externalId) === null) await markDeleted(transaction, id, requestedAt);
    }
    await markChecked(transaction, alsoLocked, requestedAt);
  });
}

function isAboutThese({ code }: AppError): boolean {
  return code === 'provider_denied' || code === 'provider_invalid_response';
}

/**
 * Looks up accounts that boards name and that are not stored, with requests of the lowest urgency. A host that limits
 * requests gets no further one in this run.
 */
export async function lookUpNamedPeople(context: SyncContext, call: Call): Promise<void> {
  const limited = new Set<string>();
  for (const due of await findDueNames(context.connection, context.now(), namesAtOnce)) {
    if (limited.has(due.provider)) continue;
    const result = await lookUpOne(context, due, call);
    if (result === 'limited') limited.add(due.provider);
    else await saveResult(context, due, result);
  }
  await deleteLookedUp(context.connection);
}

async function lookUpOne(context: SyncContext, { provider, login }: DueName, call: Call): Promise<Result> {
  try {
    const id = await lookUp(context, { provider, name: login }, call);
    return id === undefined ? 'absent' : 'stored';
  } catch (error) {
    if (call.signal.aborted || !(error instanceof AppError)) throw error;
    context.onFailure(error, 'looking up an account that a board names');
    return error.code === 'provider_rate_limited' ? 'limited' : 'failed';
  }
}

/** Stores a result. Requests the boards that name the account, unless it was absent before too. */
async function saveResult(
  { connection, now }: SyncContext,
  { key, isAbsent: wasAbsent }: DueName,
  result: Exclude<Result, 'limited'>,
): Promise<void> {
  const isAbsent = result === 'absent';
  await inTransaction(connection, async (transaction) => {
    await saveLookedUp(transaction, { key, isAbsent: isAbsent || (result === 'failed' && wasAbsent) }, now());
    if (result === 'stored' || (isAbsent && !wasAbsent)) await requestBoardsWithPerson(transaction, key);
  });
}
