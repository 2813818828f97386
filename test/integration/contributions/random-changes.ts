import fc from 'fast-check';
import { sql } from 'kysely';
import { eraseRest } from '../../../bench/erase-person.ts';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { emptyAccount } from '../../../src/accounts/visibility/erase-store.ts';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import { changeContributions } from '../../../src/contributions/items/write-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { takeErasureLock, takeSharedErasureLock } from '../../../src/database/schema/erasure.ts';
import type { ItemKind } from '../../../src/model/contribution.ts';
import { makeContribution } from './stored-repository.ts';

/** Random changes of everything that the numbers of owners depend on. */

const uuid = (kind: number, index: number): string =>
  `00000000-0000-4000-8000-${String(kind).padStart(4, '0')}${String(index).padStart(8, '0')}`;
const list = (kind: number, length: number): string[] => Array.from({ length }, (_, index) => uuid(kind, index));

export const owners = list(1, 3);
export const people = list(2, 4);
export const repositories = list(3, 4);

export interface Change {
  name: string;
  apply: (transaction: Connection) => Promise<unknown>;
  /** Work of jobs that follow. */
  follow?: (connection: Connection) => Promise<unknown>;
}

/** Thrown at the end of a transaction, as a kill before its commit ends it. */
class Killed extends Error {}

/** Applies a change in a transaction, or lets a kill end that before its commit. */
export async function applyChange(connection: Connection, change: Change, isKilled: boolean): Promise<void> {
  const applied = inTransaction(connection, async (transaction) => {
    await change.apply(transaction);
    if (isKilled) throw new Killed();
  });
  await applied.catch((error: unknown) => {
    // Something that the change refers to was erased meanwhile: the transaction did nothing.
    const isErased =
      error instanceof Error && 'code' in error && (error.code === '23503' || error.code === 'not_found');
    if (!(error instanceof Killed) && !isErased) throw error;
  });
  await change.follow?.(connection);
}

/** Replaces everything that is stored by some owners, people and empty repositories. */
export async function startWorld(connection: Connection): Promise<void> {
  await sql`delete from accounts`.execute(connection);
  await sql`truncate rankings, ranks`.execute(connection);
  await sql`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, listed_at, fetched_at, created_at,
      updated_at)
    select id, 'github', id, id, case when id = any(${owners}::uuid[]) then 'organization' else 'user' end, id, now(),
      now(), now(), now(), now()
    from unnest(${[...owners, ...people]}::uuid[]) id`.execute(connection);
  for (const id of repositories) await addRepository(connection, id, owners[0] ?? '');
}

async function addRepository(connection: Connection, id: string, owner: string): Promise<void> {
  await sql`
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, stars, named_at,
      listed_at, collected_at, created_at, updated_at)
    select ${id}, 'github', ${id}, '', id, ${id}, false, false, 0, now(), now(), now(), now(), now()
    from accounts where id = ${owner}
    on conflict do nothing`.execute(connection);
}

const pickAny = (ids: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...ids);
const repository = pickAny(repositories);

const item = fc.record({
  repository,
  person: fc.option(pickAny(people)),
  kind: fc.constantFrom<ItemKind>('issue', 'pull_request', 'review', 'discussion', 'star', 'issue_comment'),
  number: fc.integer({ min: 1, max: 4 }),
  isEnded: fc.boolean(),
});

function added({
  repository: id,
  person,
  kind,
  number,
  isEnded,
}: typeof item extends fc.Arbitrary<infer T> ? T : never) {
  return {
    name: `a ${kind}`,
    apply: async (transaction: Connection) => {
      await takeSharedErasureLock(transaction);
      const { rows } = await sql<{
        id: string;
      }>`select id from accounts where id = ${person} and erased_at is null`.execute(transaction);
      const author = rows[0]?.id ?? null;
      const ended = isEnded ? new Date() : null;
      const contribution = makeContribution({
        kind,
        externalId: String(number),
        author,
        answeredBy: author,
        answered: isEnded,
        createdAt: new Date(Date.UTC(2026, 0, number)),
        updatedAt: new Date(),
        closedAt: ended,
        mergedAt: ended,
      });
      await saveContributions(transaction, {
        repositoryId: id,
        contributions: [contribution],
        accountIds: new Map(author === null ? [] : [[author, author]]),
        wholeParents: [],
        seenAt: new Date(),
      });
    },
  };
}

const updates = {
  'a repository becomes private or public': sql`is_private = not is_private`,
  'a repository is hidden': sql`deleted_at = now()`,
  'a repository is shown again': sql`deleted_at = null`,
  'a repository is a fork or not': sql`is_fork = not is_fork`,
  'a repository gets stars': sql`stars = stars + 3`,
};

const updated = fc.record({ repository, what: fc.constantFrom(...Object.entries(updates)) }).map(
  ({ repository: id, what: [name, set] }): Change => ({
    name,
    apply: (transaction) => sql`update repositories set ${set} where id = ${id}`.execute(transaction),
  }),
);

const transferred = fc.record({ moved: fc.subarray(repositories, { minLength: 1 }), owner: pickAny(owners) }).map(
  ({ moved, owner }): Change => ({
    name: 'repositories have another owner',
    apply: (transaction) =>
      sql`
        update repositories set owner_id = a.id from accounts a
        where a.id = ${owner} and repositories.id = any(${moved}::uuid[])`.execute(transaction),
  }),
);

const streamed = fc
  .record({
    repository,
    covers: fc.subarray(['issue', 'pull_request', 'review']),
    isRead: fc.boolean(),
    fails: fc.boolean(),
  })
  .map(
    ({ repository: id, covers, isRead, fails }): Change => ({
      name: 'a stream is read or not',
      apply: (transaction) =>
        sql`
          insert into streams (repository_id, name, covers, completed_at, failure)
          select id, 'issues', ${covers}::text[], case when ${isRead} then now() end, case when ${fails} then 'denied' end
          from repositories where id = ${id}
          on conflict (repository_id, name) do update set
            covers = excluded.covers, completed_at = excluded.completed_at, failure = excluded.failure`.execute(
          transaction,
        ),
    }),
  );

const skipped = fc.record({ repository, isCounted: fc.boolean(), isGone: fc.boolean() }).map(
  ({ repository: id, isCounted, isGone }): Change => ({
    name: 'an issue is skipped or not',
    apply: async (transaction) => {
      await sql`delete from skipped_items where repository_id = ${id}`.execute(transaction);
      if (isGone) return;
      await sql`
        insert into skipped_items (provider, repository_id, stream, kind, reason, path, is_stored, is_counted, items,
          first_seen_at, seen_at)
        select 'github', id, 'issues', 'issue', 'refused', '', false, ${isCounted}, 1, now(), now()
        from repositories where id = ${id}
        on conflict do nothing`.execute(transaction);
    },
  }),
);

async function eraseAccount(transaction: Connection, id: string): Promise<void> {
  await takeErasureLock(transaction);
  await emptyAccount(transaction, id, new Date());
}

function followErasure(connection: Connection): Promise<void> {
  return eraseRest(connection, new Date());
}

const simple = fc.oneof(
  fc.record({ repository, number: fc.integer({ min: 1, max: 4 }) }).map(
    ({ repository: id, number }): Change => ({
      name: 'items vanish',
      apply: (transaction) =>
        changeContributions(transaction, id, (change) => change.remove(sql`c.external_id = ${String(number)}`)),
    }),
  ),
  pickAny(people).map(
    (id): Change => ({
      name: 'a person is erased',
      apply: (transaction) => eraseAccount(transaction, id),
      follow: followErasure,
    }),
  ),
  pickAny(owners.slice(1)).map(
    (id): Change => ({
      name: 'an owner is erased',
      apply: (transaction) => eraseAccount(transaction, id),
      follow: followErasure,
    }),
  ),
  repository.map(
    (id): Change => ({
      name: 'a repository is erased',
      apply: (transaction) => sql`delete from repositories where id = ${id}`.execute(transaction),
    }),
  ),
  repository.map(
    (id): Change => ({
      name: 'a repository is added',
      apply: (transaction) => addRepository(transaction, id, owners[0] ?? ''),
    }),
  ),
  repository.map(
    (id): Change => ({
      name: 'a recount finds other totals',
      apply: async (transaction) => {
        // Totals of an erased repository stay for a while. Without the lock, one that is added meanwhile would begin with
        // totals that nothing counts again.
        const { rows } = await sql`select from repositories where id = ${id} for key share`.execute(transaction);
        if (rows.length === 0) return;
        await sql`update repository_totals set commits = commits + 2 where repository_id = ${id}`.execute(transaction);
        await recountRepository(transaction, id);
      },
    }),
  ),
);

/** A random change, most often of contributions. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: item.map(added), weight: 8 },
  { arbitrary: updated, weight: 4 },
  { arbitrary: transferred, weight: 1 },
  { arbitrary: streamed, weight: 2 },
  { arbitrary: skipped, weight: 1 },
  { arbitrary: simple, weight: 4 },
);
