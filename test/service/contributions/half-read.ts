import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { makeContribution, storeContributions } from '../../integration/contributions/stored-repository.ts';

/** An organization with three repositories: one is completely read, one in part, and one not at all. */
export const names = { organization: 'engines', whole: 'whole', begun: 'begun', unread: 'unread', person: 'grace' };

/**
 * The numbers of stored contributions to the repository that is read, and to the one that is being read; all are the
 * person's. Commits of a history that is being read are counted for their people at its end.
 */
export const stored = { commits: { whole: 7, begun: 4 }, issues: { whole: 3, begun: 2 } };

const address = 'grace@example.org';

/**
 * Stores an organization in the middle of its first collection, for which nothing is requested from a host. Nothing is
 * stored that a job would add later, such as its counters.
 */
export async function storeHalfRead({ connection }: Database): Promise<void> {
  await sql`
    insert into accounts (id, provider, external_id, handle, type, name, followers, following, pinned, named_at, fetched_at, listed_at, created_at,
      updated_at)
    select gen_random_uuid(), 'github', name, name, type, name, 0, 0, true, now(), now(), now(), now(), now()
    from (values ('organization', ${names.organization}), ('user', ${names.person})) known (type, name)`.execute(
    connection,
  );
  await sql`
    insert into identities (provider, email, account_id)
    select 'github', ${address}, id from accounts where name = ${names.person}`.execute(connection);
  const whole = await addRepository(connection, names.whole);
  const begun = await addRepository(connection, names.begun);
  await addRepository(connection, names.unread);
  await sql`
    insert into streams (repository_id, name, covers, completed_at)
    values (${whole}, 'all', '{commit,issue,pull_request,review,discussion,star}', now()),
      (${begun}, 'issues', '{issue}', null)`.execute(connection);
  await storeIssues(connection, whole, stored.issues.whole);
  await storeIssues(connection, begun, stored.issues.begun);
  await storeCommits(connection, whole, stored.commits.whole);
  await storeCommits(connection, begun, stored.commits.begun);
  await inTransaction(connection, (transaction) => recountRepository(transaction, whole));
}

async function addRepository(connection: Connection, name: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      collected_at, created_at, updated_at)
    select gen_random_uuid(), 'github', ${name}, ${name}, id, ${name}, false, false, now(), now(), now(), now(), now()
    from accounts where name = ${names.organization} returning id`.execute(connection);
  return rows[0]?.id ?? '';
}

async function storeIssues(connection: Connection, repositoryId: string, count: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from accounts where name = ${names.person}`.execute(connection);
  const issues = Array.from({ length: count }, (_, index) =>
    makeContribution({ externalId: `${repositoryId}/${index}`, author: rows[0]?.id ?? null }),
  );
  await storeContributions(connection, repositoryId, issues);
}

async function storeCommits(connection: Connection, repositoryId: string, count: number): Promise<void> {
  const at = new Date('2026-05-01T12:00:00Z');
  async function* batches() {
    yield Array.from({ length: count }, (_, index) => ({
      oid: index.toString(16).padStart(40, 'a'),
      authoredAt: at,
      committedAt: at,
      emails: [address],
    }));
  }
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted: false });
}
