import { inTransaction } from '../../database/connections/transaction.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import {
  type DueName,
  deleteLookedUp,
  findDueNames,
  saveLookedUp,
} from '../../recognition/boards/named-people-store.ts';
import { requestBoardsWithPerson } from '../../recognition/boards/ranking/request-store.ts';
import type { SyncContext } from '../context.ts';
import { lookUp } from './look-up.ts';

/** The most accounts that one run looks up; the next run looks up others. */
const namesAtOnce = 50;

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

type Result = 'stored' | 'absent' | 'failed' | 'limited';

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
