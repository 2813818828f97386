import { areCommitsCounted } from '../../contributions/totals/total-store.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { requestFullEvaluation } from '../../recognition/achievements/files/store.ts';
import type { SyncContext, Work } from '../context.ts';
import { whileClaimed } from '../streams/claims.ts';
import { busyDelayMs, toKnown } from '../streams/collect.ts';
import { type Drift, markDriftsRepaired, saveDrift } from '../streams/drift-store.ts';
import { findStreams, wantFullScan } from '../streams/stream-store.ts';
import { checkTotals } from '../totals/check-totals.ts';
import { bringUpToDate, findInstalled } from './poll-repository.ts';

/**
 * Compares the stored data of an installed repository with its provider's totals, and reads streams that differ again.
 */
export async function reconcileRepository(context: SyncContext, repositoryId: string, work: Work): Promise<void> {
  // Some changes, such as a renamed account, are never reported, so every account is evaluated again.
  await requestFullEvaluation(context.connection, repositoryId);
  const before = await differences(context, repositoryId, work);
  // A change may have happened during the comparison: then a second one finds no difference.
  const found = before.size === 0 ? before : await differences(context, repositoryId, work);
  if (found.size > 0) {
    await wantFullScan(context.connection, repositoryId, [...found.keys()], context.now());
    const left = await differences(context, repositoryId, work);
    for (const [kind, { expected, stored, provider }] of found) {
      await report(context, {
        provider,
        repositoryId,
        part: kind,
        expected,
        found: stored,
        isRepaired: !left.has(kind),
      });
    }
  }
  await markDriftsRepaired(context.connection, repositoryId, [...found.keys()]);
  // A repository that another job is reading is checked the next night.
  await whileClaimed(context, repositoryId, () => checkSums(context, repositoryId, work));
}

/** Continues the repair of the totals of a repository, which a check has begun. Later, when another job is reading it. */
export async function repairTotals(context: SyncContext, repositoryId: string, work: Work): Promise<void> {
  const end = await whileClaimed(context, repositoryId, () => checkSums(context, repositoryId, work));
  if (end !== 'busy') return;
  const runAt = new Date(context.now().getTime() + busyDelayMs);
  await addJob(context.connection, { ...repairJob(repositoryId), runAt });
}

function repairJob(repositoryId: string): Job {
  return { task: 'repair_totals', payload: { repositoryId }, key: `repair_totals ${repositoryId}`, priority: 60 };
}

interface Difference {
  provider: string;
  expected: number;
  stored: number;
}

/** Returns the streams whose stored total differs from the provider's, after all known changes were read. */
async function differences(context: SyncContext, repositoryId: string, work: Work): Promise<Map<string, Difference>> {
  const different = new Map<string, Difference>();
  const installed = await findInstalled(context, repositoryId);
  if (installed === undefined) return different;
  const { account, provider, repository } = installed;
  await bringUpToDate(context, installed, work);
  const totals = (await provider.polls?.readTotals(toKnown(account, repository), work.call)) ?? {};
  const streams = await findStreams(context.connection, repositoryId);
  for (const { name, storedTotal, skippedTotal, completedAt, withheldAt } of streams) {
    const expected = totals[name];
    // Another read cannot repair a list that the host does not show.
    if (expected === undefined || completedAt === null || withheldAt !== null) continue;
    if (expected === storedTotal + skippedTotal) continue;
    different.set(name, { provider: provider.name, expected, stored: storedTotal });
  }
  return different;
}

/**
 * Checks that the next totals of a repository agree with its stored contributions, and repairs them. The rest of a repair
 * is another job, so that others run in between.
 */
async function checkSums(context: SyncContext, repositoryId: string, { call }: Work): Promise<void> {
  const installed = await findInstalled(context, repositoryId);
  if (installed === undefined || !(await areCommitsCounted(context.connection, repositoryId))) return;
  const checked = { repositoryId, ownerId: installed.account.id };
  const { differences: wrong, isRepairing } = await checkTotals(context, checked, call.signal);
  if (isRepairing) await addJob(context.connection, repairJob(repositoryId));
  if (wrong === 0) return;
  const provider = installed.provider.name;
  await report(context, { provider, repositoryId, part: 'sums', expected: 0, found: wrong, isRepaired: true });
}

/** Stores a drift for the operator's report, and counts and logs it. */
async function report(context: SyncContext, drift: Drift): Promise<void> {
  await saveDrift(context.connection, drift, context.now());
  context.onDrift(drift);
}
