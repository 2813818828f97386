import { type RawBuilder, sql } from 'kysely';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import { changeContributions } from '../../../src/contributions/items/write-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { type Contribution, noDetails } from '../../../src/model/contribution.ts';
import { type StoredCounter, storedCounters } from '../../../src/model/kinds.ts';

/** Stores an account with a repository about which nothing else is stored. @returns the id of the repository. */
export async function addRepository(connection: Connection): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with account as (
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values (gen_random_uuid(), 'github', '1', '1', 'user', 'ada', now(), now(), now()) returning id
    )
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', '1', '1', id, 'engine', false, false, now(), now(), now(), now() from account
    returning id`.execute(connection);
  return rows[0]?.id ?? '';
}

/** Stores an account with repositories about which nothing else is stored. */
export async function addRepositories(connection: Connection, count: number): Promise<void> {
  await addRepository(connection);
  await sql`
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), provider, n::text, n::text, owner_id, name || '-' || n, false, false, now(), now(), now(), now()
    from repositories cross join generate_series(2, ${count}::integer) n`.execute(connection);
}

/** Returns an issue that differs in some facts. Accounts are our ids. */
export function makeContribution(facts: Partial<Contribution>): Contribution {
  const at = new Date('2026-05-01T12:00:00Z');
  return {
    kind: 'issue',
    externalId: '1',
    parentExternalId: null,
    author: null,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    mergedAt: null,
    answered: false,
    answeredBy: null,
    details: noDetails,
    ...facts,
  };
}

/** Stores contributions whose accounts are our ids, as a delivery does at a time. */
export async function storeContributions(
  connection: Connection,
  repositoryId: string,
  contributions: readonly Contribution[],
  { seenAt = new Date(), counters = storedCounters }: { seenAt?: Date; counters?: readonly StoredCounter[] } = {},
): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from accounts`.execute(connection);
  const accountIds = new Map(rows.map(({ id }) => [id, id]));
  await inTransaction(connection, (transaction) =>
    saveContributions(transaction, { repositoryId, contributions, accountIds, wholeParents: [], seenAt }, counters),
  );
}

/** Removes the contributions `c` to a repository that meet a condition. */
export async function removeContributions(
  connection: Connection,
  repositoryId: string,
  condition: RawBuilder<boolean>,
  counters: readonly StoredCounter[] = storedCounters,
): Promise<void> {
  await inTransaction(connection, (transaction) =>
    changeContributions(transaction, repositoryId, (change) => change.remove(condition), { counters }),
  );
}
