import assert from 'node:assert/strict';
import {
  type CountedContributions,
  findWindowContributors,
} from '../src/contributions/contributors/windowed-list-store.ts';
import type { ItemScope } from '../src/contributions/evidence/items-store.ts';
import { findItems } from '../src/contributions/evidence/store.ts';
import { countParts } from '../src/contributions/windows/counted-window-store.ts';
import type { Connection, Database } from '../src/database/connections/connection.ts';
import { openRequestPool } from '../src/database/reads/request-pool.ts';
import { contributionKinds, itemised } from '../src/model/kinds.ts';
import type { BenchResult } from './bench-result.ts';
import { openOrganization } from './kept-organization.ts';
import { median } from './load.ts';
import { sized } from './size.ts';
import type { StoredOrganization } from './stored-organization.ts';

const size = {
  contributions: sized(300_000, 3000),
  repositories: sized(50, 5),
  people: sized(3000, 300),
};
const rounds = sized(40, 2);
const pageSize = 30;
const yearMs = 365 * 86_400_000;
const statementTimeoutMs = 10_000;

/** Measures windows of one year over an organization, and pages of evidence, against bare statements on the same rows. */
export async function run(): Promise<BenchResult[]> {
  const { stored, ...opened } = await openOrganization(size);
  await using place = opened.place;
  const { database } = place;
  const requests = openRequestPool(database.clientConfig, { maxConnections: 1, statementTimeoutMs });
  try {
    return [
      await contributors(database, stored),
      await counters(database, stored),
      await evidence(database.pool, stored, { connection: requests.connection, counter: 'issues' }),
      await evidence(database.pool, stored, { connection: requests.connection, counter: 'commits' }),
    ];
  } finally {
    await requests.close();
  }
}

/** The last year up to midnight, in whole days. */
function lastYear(): { since: Date; until: Date } {
  const until = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
  return { since: new Date(until.getTime() - yearMs), until };
}

async function contributors({ connection, pool }: Database, stored: StoredOrganization): Promise<BenchResult> {
  const { since, until } = lastYear();
  const scope = { accountId: stored.id, repositoryId: null, includesPrivate: false };
  const counted: CountedContributions = { scope, since, until, kinds: contributionKinds, only: null, except: [] };
  const people = { type: undefined, viewerId: null };
  const { ratio, ms } = await compare(
    async () => {
      const { remaining } = await findWindowContributors(connection, counted, people, { limit: pageSize + 1 });
      return remaining;
    },
    () => groupByDays(pool, stored.id, 'd.account_id'),
  );
  return {
    name: 'windows-contributors',
    ratio,
    goal: '<=1.5',
    baseline: 'GROUP BY of the same days by person',
    detail: `${ms.toFixed(1)} ms for the contributors of a year`,
  };
}

async function counters({ connection, pool }: Database, stored: StoredOrganization): Promise<BenchResult> {
  const { since, until } = lastYear();
  const account = { id: stored.id, isOwner: true, withPrivate: false };
  const { ratio, ms } = await compare(
    async () => {
      const [part] = await countParts(connection, account, { bounds: [since, until] });
      return Number(part?.commits);
    },
    () => groupByDays(pool, stored.id, 'd.repository_id'),
  );
  return {
    name: 'windows-counters',
    ratio,
    goal: '<=1.5',
    baseline: 'GROUP BY of the same days by repository',
    detail: `${ms.toFixed(1)} ms for the counters of a year`,
  };
}

async function groupByDays(pool: Database['pool'], ownerId: string, column: string): Promise<number> {
  const { since, until } = lastYear();
  const { rowCount } = await pool.query(
    `select ${column}, sum(d.commits + d.issues + d.pull_requests + d.reviews + d.discussions)
     from repositories r join contribution_days d on d.repository_id = r.id
     where r.owner_id = $1 and d.day >= $2::date and d.day < $3::date group by 1`,
    [ownerId, since.toISOString().slice(0, 10), until.toISOString().slice(0, 10)],
  );
  return rowCount ?? 0;
}

/** Measures pages on a connection of requests, which prepares its statement; the baseline is one without a name. */
async function evidence(
  pool: Database['pool'],
  stored: StoredOrganization,
  { connection, counter }: { connection: Connection; counter: 'issues' | 'commits' },
): Promise<BenchResult> {
  const [person] = stored.people;
  assert.ok(person);
  const none = { ownerId: null, repositoryId: null, seesPrivateOf: null, since: null, until: null };
  const scope: ItemScope = { ...none, personId: person.id };
  const counters = itemised.filter(({ name }) => name === counter);
  const { ratio, ms } = await compare(
    async () => (await findItems(connection, scope, counters, { limit: pageSize })).length,
    async () => {
      const { rowCount } = await pool.query(
        `select * from contributions where account_id = $1 and kind = 'issue' order by created_at desc limit ${pageSize}`,
        [person.id],
      );
      return rowCount ?? 0;
    },
  );
  return {
    name: `windows-evidence-${counter}`,
    ratio,
    goal: '<=2',
    baseline: `an index scan of ${pageSize} rows`,
    detail: `${ms.toFixed(1)} ms for a page of ${pageSize} items`,
  };
}

/** Runs both alternately. @returns the median ratio, and the time of the claim in ms. */
async function compare(
  claimed: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ ratio: number; ms: number }> {
  const ratios: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [measured, compared] = [await findTime(claimed), await findTime(baseline)];
    times.push(measured);
    ratios.push(measured / compared);
  }
  return { ratio: median(ratios), ms: median(times) };
}

async function findTime(work: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  assert.ok((await work()) > 0);
  return performance.now() - begun;
}
