import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { hideRepository } from '../src/accounts/repositories/hide-store.ts';
import { findById } from '../src/accounts/store.ts';
import type { Core } from '../src/app/core.ts';
import { createCleaningTasks } from '../src/app/owners/clean-up.ts';
import { saveContributions } from '../src/contributions/items/contribution-store.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { hideAllWithdrawn } from '../src/sync/lookups/lost-access.ts';
import { recordVisibility } from '../src/sync/lookups/record-state.ts';
import { collectNamedRepository } from '../src/sync/streams/collect.ts';
import { beginWork, createStartTasks } from '../src/sync/tasks.ts';
import { type CheckLimits, checkTotals } from '../src/sync/totals/check-totals.ts';
import { updateTotals } from '../src/sync/totals/stored-totals.ts';
import { findPort } from '../test/find-port.ts';
import { startService } from './bench-service.ts';
import { erasePerson } from './erase-person.ts';
import { createIssueSource, unstoppedWork } from './issue-source.ts';
import { newIssue } from './new-issue.ts';
import type { StoredOrganization, Typical } from './stored-organization.ts';

export interface Cost {
  blocks: number;
  ms: number;
}

/**
 * Stores the fewest blocks and the median time of some rounds of work under a name.
 * @param before runs before each round and is not measured.
 */
export type Measure = (
  name: string,
  work: (round: number) => Promise<unknown>,
  times?: number,
  before?: () => Promise<unknown>,
) => Promise<void>;

interface Place {
  /** The part of the largest repository that one run of its check takes. */
  share: CheckLimits;
  core: Core;
  stored: StoredOrganization;
  typical: Typical;
  /** Requests the first page of the contributors to the organization. */
  contributors: () => Promise<void>;
  dataDir: string;
}

/** The number of items on a page of a full scan. */
const itemsOfPage = 100;
const starts = 3;
const lists = 3;
const longestStartMs = 600_000;
const requestEveryMs = 10;

/** Measures events and jobs. Later ones work on what earlier ones have changed. */
export async function measureJobs(place: Place, measure: Measure): Promise<void> {
  const { core, stored, typical, contributors, share } = place;
  const { sync } = core;
  const recount = ({ id }: { id: string }, limits?: CheckLimits): Promise<unknown> =>
    checkTotals(sync, { repositoryId: id, ownerId: stored.id }, new AbortController().signal, limits);
  const event = applyEvents(core, stored);
  // The first one reads what later ones need no more.
  await event();
  await measure('event', event);
  await measure('event-contributors', contributors, lists, event);
  await measure('event-totals', () => updateTotals(sync), 1);
  await measure('full-scan', await scanPage(core, stored), 1);
  await measure('recount', () => recount(typical.repository));
  await measure('recount-largest', () => recount(stored.largestRepository, share), 1);
  const cleanUp = createCleaningTasks(sync)['clean_up'];
  await measure('clean-up', async () => cleanUp?.run({}, new AbortController().signal));
  const hide = (repository: { id: string; ownerId: string }): Promise<void> =>
    inTransaction(sync.connection, async (transaction) => {
      await hideRepository(transaction, repository.id, sync.now());
      await recordVisibility(sync, transaction, [repository.ownerId]);
    });
  // The first one reads what later ones of a connection need no more.
  await hide(stored.repositoryOfUser);
  await measure('visibility', () => hide({ ...stored.otherRepository, ownerId: stored.id }), 1);
  await measure('erasure', (round) => erase(core, typical.people[round]?.id ?? ''));
  await measureStarts(place, measure);
}

/** Measures starts of a node; before the last ones, a credential that showed half of the repositories is withdrawn. */
async function measureStarts({ core, stored, dataDir }: Place, measure: Measure): Promise<void> {
  const { sync } = core;
  const { signal } = new AbortController();
  await measure('start', () => beginWork(sync));
  const tasks = createStartTasks(sync);
  await measure('start-jobs', async () => {
    for (const task of Object.values(tasks)) await task.run({}, signal);
  });
  await sql`
    update repositories set is_private = true, credential_name = 'withdrawn'
    where owner_id = ${stored.id} and size_kib % 2 = 0`.execute(sync.connection);
  await measure('start-withdrawn', () => beginWork(sync), starts);
  await measure('withdrawal', () => hideAllWithdrawn(sync, signal), 1);
  // The process runs jobs for as long as it takes, so blocks that are counted after it would follow its time.
  await measureProcess(dataDir, measure);
}

/** Measures the time in which a node in a process of its own responds; its blocks are not counted. */
async function measureProcess(dataDir: string, measure: Measure): Promise<void> {
  const paths = { 'start-listening': '/healthz', 'start-process': '/readyz' };
  for (const [name, path] of Object.entries(paths)) {
    const port = await findPort();
    const started = startService({ DATA_DIR: dataDir, PORT: String(port) });
    await measure(name, () => untilSuccessful(`http://127.0.0.1:${port}${path}`), 1);
    await (await started)[Symbol.asyncDispose]();
  }
}

async function untilSuccessful(url: string): Promise<void> {
  const end = performance.now() + longestStartMs;
  while (performance.now() < end) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await wait(requestEveryMs);
  }
  throw new Error('the service did not become ready');
}

async function erase({ sync }: Core, id: string): Promise<void> {
  const account = await findById(sync.connection, id);
  if (account === undefined) throw new Error('there is no such account');
  await erasePerson(sync.connection, account, sync.now());
}

/** Returns a function that collects one new issue of the largest repository, whose author is known. */
function applyEvents(
  { sync }: Core,
  { id: accountId, largestRepository: { name }, people: known }: StoredOrganization,
): () => Promise<void> {
  let done = 0;
  const source = createIssueSource({ externalId: 'r1', name }, () => ({
    id: `new ${done}`,
    author: known[done % known.length]?.name.slice('person-'.length) ?? '1',
    total: done,
  }));
  const context = { ...sync, providers: new Map([['github', source]]) };
  return async () => {
    done += 1;
    await collectNamedRepository(context, { accountId, repository: name, withPrivate: false }, unstoppedWork);
  };
}

/** Returns a function that stores a page of a full scan of the largest repository: issues that have not changed. */
async function scanPage({ sync }: Core, { largestRepository }: StoredOrganization): Promise<() => Promise<void>> {
  const { rows } = await sql<{ externalId: string; accountId: string; createdAt: Date; closedAt: Date | null }>`
    select external_id as "externalId", account_id as "accountId", created_at as "createdAt", closed_at as "closedAt"
    from contributions where repository_id = ${largestRepository.id} and kind = 'issue' and account_id is not null
    limit ${itemsOfPage}`.execute(sync.connection);
  const contributions = rows.map(({ externalId, accountId, createdAt, closedAt }) => ({
    ...newIssue(externalId, accountId, createdAt),
    closedAt,
  }));
  const accountIds = new Map(rows.map(({ accountId }) => [accountId, accountId]));
  return () =>
    inTransaction(sync.connection, (transaction) =>
      saveContributions(transaction, {
        repositoryId: largestRepository.id,
        contributions,
        accountIds,
        wholeParents: [],
        seenAt: sync.now(),
        scan: { stream: 'issues', isFull: true },
      }),
    );
}
