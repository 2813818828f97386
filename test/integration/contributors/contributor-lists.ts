import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Contributor, Place, Ranking, Scope } from '../../../src/contributions/contributors/contributor.ts';
import { findContributors } from '../../../src/contributions/contributors/store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { owners, repositories } from '../contributions/random-changes.ts';

export const scopes: Scope[] = owners.flatMap((accountId) => [
  { accountId, repositoryId: null, includesPrivate: false },
  { accountId, repositoryId: null, includesPrivate: true },
  { accountId, repositoryId: repositories[0] ?? '', includesPrivate: true },
]);
export const withoutBots = { withBots: false, viewerId: null };
export const withBots = { withBots: true, viewerId: null };
export const start = new Date('2026-01-01T00:00:00Z');

export type Row = Pick<Contributor, 'name' | 'contributions'>;

const toRows = (found: readonly Contributor[]): Row[] =>
  found.map(({ name, contributions }) => ({ name, contributions }));

/** Sums up all contributors of a scope from scratch. */
export async function sumContributors(
  connection: Connection,
  { accountId, repositoryId, includesPrivate }: Scope,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with shown as (
      select id from repositories r
      where r.owner_id = ${accountId} and r.deleted_at is null and (${includesPrivate} or not r.is_private)
        and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
    ), summed as (
      select t.account_id, sum(t.commits + t.issues + t.pull_requests + t.reviews + t.discussions)::integer as contributions
      from contributor_totals t where t.repository_id in (select id from shown) group by t.account_id
    )
    select a.name, s.contributions from summed s join accounts a on a.id = s.account_id
    where s.contributions > 0 order by 2 desc, lower(a.name) collate "C", a.id`.execute(connection);
  return rows;
}

/** Reads a version of a list in pages of two, forward and then backward. */
export async function readPages(connection: Connection, ranking: Ranking): Promise<Row[]> {
  const forward: Contributor[] = [];
  for (let after: Place | undefined; ; ) {
    const page = await findContributors(connection, ranking, { ...withBots, limit: 2, after });
    forward.push(...page);
    const last = page.at(-1);
    if (last === undefined) break;
    after = { ...last, accountId: last.id };
  }
  const last = forward.at(-1);
  if (last === undefined) return [];
  const before = { ...last, accountId: last.id };
  const backward = await findContributors(connection, ranking, { ...withBots, limit: 100, before });
  assert.deepEqual(toRows([...backward, last]), toRows(forward));
  return toRows(forward);
}

export async function isStored(connection: Connection, { accountId }: Scope): Promise<boolean> {
  const { rows } = await sql`select from accounts where id = ${accountId}`.execute(connection);
  return rows.length > 0;
}
