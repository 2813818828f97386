import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';
import type { Administers, Call, Provider } from '../../../hosts/interface/provider.ts';
import { AppError } from '../../../model/errors.ts';
import { revokeIssuedTo } from '../tokens/store.ts';
import { uncheckedForMs } from './holding.ts';
import {
  type Administrator,
  deleteAdministrators,
  endHoldings,
  findAdministrations,
  findDueChecks,
  lockConfirmation,
  recordLapses,
  removeAdministrator,
  resumeHoldings,
  saveCheck,
} from './store.ts';

export interface CheckContext {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  now: () => Date;
  newId: () => string;
  /** Receives a failure of a host; `work` names it for the log, such as `checking an administrator`. */
  onFailure: (error: unknown, work: string) => void;
}

/** The times until the next check, in ms: after a result, and after a failure of the host. */
const checkAgainMs = { checked: 86_400_000, failed: 3_600_000 };
/** The most administrators that one run checks. */
const atOnce = 200;
/** The most people without keys and links that one statement deletes. */
const deletedAtOnce = 1000;
/** The most organizations of one person that are checked because of one delivery. */
const maxAdministrations = 100;
/** The time for which a person without keys and links stays stored: longer than the life of a service token. */
const keptMs = 2 * 86_400_000;

/** Checks the administrators whose check is due, records lapsed keys and links, and deletes people who hold neither. */
export async function checkDueAdministrators(context: CheckContext, signal: AbortSignal): Promise<void> {
  const { connection, now, newId } = context;
  const due = await findDueChecks(connection, now(), atOnce);
  // After a failure of a host, its other checks wait for the next run.
  const failing = new Set<string>();
  for (const administrator of due) {
    if (failing.has(administrator.provider)) continue;
    const result = await checkInBackground(context, administrator, signal);
    if (result === 'unavailable') failing.add(administrator.provider);
  }
  await recordLapses(connection, { now: now(), newId });
  const before = new Date(now().getTime() - keptMs);
  await inBatches(() => deleteAdministrators(connection, before, deletedAtOnce));
}

/** Checks all organizations of a person, because a delivery says that the person may have lost one. */
export async function checkAdministrations(
  context: CheckContext,
  { provider, person }: { provider: string; person: string },
  signal: AbortSignal,
): Promise<void> {
  const administrations = await findAdministrations(context.connection, provider, person, maxAdministrations);
  for (const administrator of administrations) await checkInBackground(context, administrator, signal);
}

async function checkInBackground(
  context: CheckContext,
  administrator: Administrator,
  signal: AbortSignal,
): Promise<Administers | 'unavailable'> {
  const call: Call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } };
  return checkAdministrator(context, administrator, call);
}

/**
 * Checks with the host whether a person still administers an organization, and applies the result: `no` ends the
 * person's keys, links and tokens on every node.
 * @returns `unavailable` when the host gave no usable response.
 */
export async function checkAdministrator(
  context: CheckContext,
  administrator: Administrator,
  call: Call,
): Promise<Administers | 'unavailable'> {
  const requestedAt = context.now();
  const result = await request(context, administrator, call);
  await inTransaction(context.connection, (transaction) =>
    apply(context, transaction, administrator, result, requestedAt),
  );
  return result;
}

async function request(
  { providers, onFailure }: CheckContext,
  { provider, organization, person }: Administrator,
  call: Call,
): Promise<Administers | 'unavailable'> {
  const ownership = providers.get(provider)?.ownership;
  try {
    return (await ownership?.administers?.(organization, person, call)) ?? 'cannot_check';
  } catch (error) {
    if (!(error instanceof AppError) && !call.signal.aborted) throw error;
    onFailure(error, 'checking an administrator');
    return 'unavailable';
  }
}

async function apply(
  { now, newId }: CheckContext,
  transaction: Connection,
  administrator: Administrator,
  result: Administers | 'unavailable',
  requestedAt: Date,
): Promise<void> {
  const { accountId, person } = administrator;
  const known = await lockConfirmation(transaction, accountId, person);
  const context = { now: now(), newId };
  const after = (ms: number): Date => new Date(requestedAt.getTime() + ms);
  switch (result) {
    case 'no':
      // A proof that the person gave to this service while the host was being called is newer than its response.
      if (known !== undefined && known.confirmedAt > requestedAt) return;
      await endHoldings(transaction, administrator, context);
      await revokeIssuedTo(transaction, { accountId, person, now: now() });
      return removeAdministrator(transaction, accountId, person);
    case 'yes':
      await saveCheck(transaction, administrator, {
        canCheck: true,
        confirmedAt: requestedAt,
        checkAfter: after(checkAgainMs.checked),
      });
      return resumeHoldings(transaction, administrator, context);
    case 'cannot_check': {
      await saveCheck(transaction, administrator, { canCheck: false, checkAfter: after(checkAgainMs.checked) });
      const isLasting = known !== undefined && known.confirmedAt > after(-uncheckedForMs);
      return isLasting ? resumeHoldings(transaction, administrator, context) : undefined;
    }
    case 'unavailable':
      return saveCheck(transaction, administrator, { checkAfter: after(checkAgainMs.failed) });
  }
}
