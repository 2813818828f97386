import { inBatches } from '../../database/connections/transaction.ts';
import type { AttemptPage, DeliveryAttempt, InstallableApp } from '../../hosts/interface/installation.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import {
  countRedelivery,
  deleteRedeliveries,
  endRedeliveries,
  findArrived,
  findCheck,
  findDueRedeliveries,
  findRequested,
  saveCheck,
  saveRedelivery,
} from './missed-store.ts';

/** GitHub keeps its record of deliveries, and repeats them on request, for three days. */
const keptMs = 3 * 86_400_000;
/** The record may show an attempt a while after it began. */
const overlapMs = 600_000;
/** The most pages of the record that one run reads; the next run continues. */
const maxPages = 50;
/**
 * The requests for a delivery that does not arrive. Each delay is twice the one before, so that they reach over the
 * three days: the address of the service can be unreachable for hours, and only deliveries contain some stars
 * (docs/decisions/0015-deliveries-as-hints.md).
 */
const redeliveries = { most: 11, firstDelayMs: 240_000 };
/** The most deliveries that one run requests once more. */
const repeatsAtOnce = 200;
/** The most records of redeliveries that one statement deletes. */
const deletedAtOnce = 1000;

/** The metrics of the search for missed deliveries. */
export interface MissedMetrics {
  /** Counts a missed delivery when it is found. */
  countMissed(provider: string): void;
}

/**
 * Reads a provider's record of its deliveries, newest first, back to where the last run began, and requests those again
 * that did not arrive.
 */
export async function findMissed(
  context: SyncContext,
  { provider, app, call }: { provider: string; app: InstallableApp; call: Call },
  metrics: MissedMetrics,
): Promise<void> {
  const { connection, now } = context;
  const oldest = new Date(now().getTime() - keptMs);
  const check = (await findCheck(connection, provider)) ?? { checkedUntil: oldest, cursor: null, newestAt: null };
  const until = new Date(Math.max(oldest.getTime(), check.checkedUntil.getTime() - overlapMs));
  // Deliveries with a newer attempt, which decides about them.
  const seen = new Set<string>();
  let { cursor, newestAt } = check;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await readPage(app, cursor, call);
    if (page === 'lost') {
      await saveCheck(connection, provider, { checkedUntil: check.checkedUntil, cursor: null, newestAt: null });
      return;
    }
    newestAt ??= page.attempts[0]?.at ?? null;
    const attempts = page.attempts.filter(({ at }) => at >= until);
    await requestRedeliveries(context, { provider, app, call }, newestOfEach(attempts, seen), metrics);
    const isEnd = page.nextCursor === null || attempts.length < page.attempts.length;
    cursor = isEnd ? null : page.nextCursor;
    const end = { checkedUntil: newestAt ?? check.checkedUntil, cursor: null, newestAt: null };
    await saveCheck(connection, provider, isEnd ? end : { checkedUntil: check.checkedUntil, cursor, newestAt });
    if (isEnd) break;
  }
  await repeatRequests(context, { provider, app, call });
  const before = new Date(oldest.getTime() - keptMs);
  await inBatches(() => deleteRedeliveries(connection, before, deletedAtOnce));
}

/** @returns `lost` when the provider does not know the cursor any more: the next run starts again. */
async function readPage(app: InstallableApp, cursor: string | null, call: Call): Promise<AttemptPage | 'lost'> {
  try {
    return await app.attempts(cursor, call);
  } catch (error) {
    if (cursor !== null && error instanceof AppError && error.code === 'not_found') return 'lost';
    throw error;
  }
}

/** Returns the newest attempt of each delivery, unless a newer one was on an earlier page. */
function newestOfEach(attempts: readonly DeliveryAttempt[], seen: Set<string>): DeliveryAttempt[] {
  return attempts.filter(({ delivery }) => {
    const isNew = !seen.has(delivery);
    seen.add(delivery);
    return isNew;
  });
}

/** Requests the deliveries among failed attempts for which no request is stored. */
async function requestRedeliveries(
  { connection, now }: SyncContext,
  { provider, app, call }: { provider: string; app: InstallableApp; call: Call },
  attempts: readonly DeliveryAttempt[],
  metrics: MissedMetrics,
): Promise<void> {
  const failed = attempts.filter(({ hasArrived }) => !hasArrived);
  const succeeded = attempts.filter(({ hasArrived }) => hasArrived).map(({ delivery }) => delivery);
  await endRedeliveries(connection, provider, succeeded, redeliveries.most);
  const ids = failed.map(({ delivery }) => delivery);
  const arrived = await findArrived(connection, provider, ids);
  const requested = await findRequested(connection, provider, ids);
  for (const { id, delivery } of failed) {
    if (arrived.has(delivery) || requested.has(delivery)) continue;
    // The request is stored after it was sent: a second request does no harm, but a delivery that is never requested is
    // lost.
    await app.redeliver(id, call);
    await saveRedelivery(connection, { provider, delivery, attempt: id }, now());
    metrics.countMissed(provider);
  }
}

/** Requests deliveries once more that have not arrived since the last request. */
async function repeatRequests(
  { connection, now }: SyncContext,
  { provider, app, call }: { provider: string; app: InstallableApp; call: Call },
): Promise<void> {
  const due = await findDueRedeliveries(connection, provider, { ...redeliveries, now: now(), limit: repeatsAtOnce });
  for (const { delivery, attempt } of due) {
    await app.redeliver(attempt, call);
    await countRedelivery(connection, provider, delivery);
  }
}
