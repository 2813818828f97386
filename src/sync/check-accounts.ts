import { saveActors } from '../accounts/actor-store.ts';
import { type CheckedAccount, findDueChecks, markChecked } from '../accounts/check-store.ts';
import { markDeleted } from '../accounts/hide-store.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../errors.ts';
import type { Call, Provider } from '../providers/provider.ts';
import type { SyncContext } from './context.ts';

/** The most accounts of a host that one run checks, and the most in one call of its provider. */
const atOnce = { run: 100, call: 50 };
/** The time, in ms, for which the result of a check holds, unless a mention or a lookup shows otherwise. */
const checkedForMs = 7 * 86_400_000;

/**
 * Checks whether hosts still show the accounts in lists of contributors: deliveries and mentions do not report that an
 * account was deleted or hidden. Each run is bounded, so that large lists are checked over days.
 */
export async function checkAccounts(context: SyncContext, call: Call): Promise<void> {
  for (const provider of context.providers.values()) {
    try {
      await checkAt(context, provider, call);
    } catch (error) {
      if (call.signal.aborted || !(error instanceof AppError)) throw error;
      context.onFailure(error, 'checking accounts');
    }
  }
}

async function checkAt(context: SyncContext, provider: Provider, call: Call): Promise<void> {
  const { connection, now } = context;
  if (provider.accounts.check === undefined) return;
  const before = new Date(now().getTime() - checkedForMs);
  for (let checked = 0; checked < atOnce.run; checked += atOnce.call) {
    const due = await findDueChecks(connection, provider.name, before, atOnce.call);
    if (due.length === 0) return;
    await checkTogether(context, provider, due, call);
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
