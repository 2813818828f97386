import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql, isWithdrawnInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { advisoryLocks } from '../../database/schema/advisory-locks.ts';
import { contributionKinds } from '../../model/contribution.ts';
import { contributionsIn } from '../totals/column-store.ts';
import type { Ranking, Scope } from './contributor.ts';
import { isOf, isOutdatedByCredentials } from './ranking-store.ts';

/** Lists of contributors are made in parts, people in the order of their ids, so that no event waits for a whole list. */

/** The place before all people. */
const beginning = '00000000-0000-0000-0000-000000000000';

/** A list whose people up to one id are stored, and follow changes; null: all of them. */
interface Stored extends Ranking {
  madeUntil: string | null;
}

/** SQL for the repositories of a scope. */
function shownIn({ accountId, repositoryId, includesPrivate }: Scope): RawBuilder<unknown> {
  return sql`
    select r.id from repositories r
    where r.owner_id = ${accountId} and (${includesPrivate}::boolean or not r.is_private)
      and ${isPresentInSql('r')} and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)`;
}

/** Returns the last ids of the parts of a list, with `people` each; the rest is the last part. Locks nothing. */
export async function findParts(connection: Connection, scope: Scope, people: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with shown as (${shownIn(scope)}), found as materialized (
      select distinct t.account_id from contributor_totals t join shown r on r.id = t.repository_id
    ), numbered as (
      select account_id as id, row_number() over (order by account_id) as place from found
    )
    select id from numbered where place % ${people}::integer = 0 order by id`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Makes the next part of the list of a scope; other processes may have made the ones before. Must run in a transaction that holds the
 * shared erasure lock: a list must not name a person who is erased meanwhile.
 * @param parts as `findParts` returns them.
 * @returns the list after its last part.
 */
export async function makePart(
  transaction: Connection,
  scope: Scope,
  parts: readonly string[],
  now: Date,
): Promise<Ranking | undefined> {
  // With this lock, each transaction that changes contributors has ended, and the list contains its changes, or waits,
  // and then finds the list.
  await sql`
    select pg_advisory_xact_lock(${advisoryLocks.listing}, hashtext(${scope.accountId}))`.execute(transaction);
  await sql`update rankings r set ended_at = ${now} where ${isOf(scope)} and ${isOutdatedByCredentials}`.execute(
    transaction,
  );
  const { id, version, people, madeUntil } =
    (await findStored(transaction, scope)) ?? (await begin(transaction, scope, now));
  if (madeUntil === null) return { id, version, people };
  // Both are written in the same way, so their order is that of the database.
  const until = parts.find((part) => part > madeUntil) ?? null;
  const { rows: counted } = await sql<{ added: number }>`
    with shown as (${shownIn(scope)}), summed as materialized (
      select t.account_id, sum(${contributionsIn(contributionKinds, 't')})::integer as contributions
      from contributor_totals t join shown r on r.id = t.repository_id
      where t.account_id > ${madeUntil}::uuid and ${until === null ? sql`true` : sql`t.account_id <= ${until}::uuid`}
      group by t.account_id
    ), people as materialized (
      select a.id, lower(a.name) as name_key, is_counted(a) as is_counted, s.contributions
      from summed s join accounts a on a.id = s.account_id where s.contributions > 0
    ), filled as (
      insert into ranks (ranking_id, account_id, contributions, name_key, is_counted, since_version)
      select ${id}::bigint, p.id, p.contributions, p.name_key, p.is_counted, ${version}::bigint from people p
    )
    select count(*)::integer as added from people where is_counted`.execute(transaction);
  const { rows } = await sql<Ranking>`
    update rankings r set made_until = ${until}::uuid, people = r.people + ${counted[0]?.added ?? 0}::integer
    where r.id = ${id} returning r.id, r.version, r.people`.execute(transaction);
  return until === null ? rows[0] : undefined;
}

async function findStored(transaction: Connection, scope: Scope): Promise<Stored | undefined> {
  const { rows } = await sql<Stored>`
    select r.id, r.version, r.people, r.made_until as "madeUntil" from rankings r where ${isOf(scope)}`.execute(
    transaction,
  );
  return rows[0];
}

async function begin(
  transaction: Connection,
  { accountId, repositoryId, includesPrivate }: Scope,
  now: Date,
): Promise<Stored> {
  const { rows } = await sql<Stored>`
    insert into rankings (account_id, repository_id, includes_private, excluded, built_at, made_until)
    select ${accountId}::uuid, ${repositoryId}::uuid, ${includesPrivate}::boolean, array(
      select distinct r.credential_name from repositories r
      where r.owner_id = ${accountId} and ${includesPrivate}::boolean and r.deleted_at is null
        and ${isWithdrawnInSql('r')}), ${now}, ${beginning}::uuid
    returning id, version, people, made_until as "madeUntil"`.execute(transaction);
  const [begun] = rows;
  if (begun === undefined) throw new Error('a list was not begun');
  return begun;
}
