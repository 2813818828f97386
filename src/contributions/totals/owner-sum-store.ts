import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { type ContributionKind, contributionKinds } from '../../model/contribution.ts';
import { type Counters, unknownCounters } from '../../model/counters.ts';
import { sumColumns, summedNames, uncollectedColumn } from '../../model/kinds.ts';
import { contributedBy, isListedInPart, isSkippedElsewhere, toKinds, type Visibility } from './uncollected-store.ts';

/**
 * Sums over the repositories that an account owns. Each transaction appends its differences at its end
 * (`database/schema/owner-sums.ts`), so that reading them does not depend on the number of repositories.
 */

const names = sql.join(sumColumns.map((name) => sql.ref(name)));

/** SQL for each column, named like it. */
function eachSum(toSql: (column: RawBuilder<unknown>) => RawBuilder<unknown>, alias?: string): RawBuilder<unknown> {
  const ref = (name: string) => sql.ref(alias === undefined ? name : `${alias}.${name}`);
  return sql.join(sumColumns.map((name) => sql`${toSql(ref(name))} as ${sql.ref(name)}`));
}

const negative = (column: RawBuilder<unknown>): RawBuilder<unknown> => sql`- ${column}`;

/**
 * Returns SQL for the sums of the account `a`, one row. The SQL adds the repositories that the surrounding transaction
 * has changed, and subtracts private repositories of withdrawn credentials, which are hidden at once and whose own rows
 * follow.
 */
export function sumsInSql(visibility: Visibility): RawBuilder<unknown> {
  return sql`(
    select ${eachSum((column) => sql`coalesce(sum(${column}), 0)::integer`)}
    from (
      select is_private, ${names} from owner_sums where owner_id = a.id
      union all
      select p.is_private, ${eachSum((column) => column, 'p')}
      from unsummed_repositories u cross join lateral present_sums(u.repository_id) p
      where u.transaction_id = pg_current_xact_id_if_assigned() and p.owner_id = a.id
      union all
      select s.is_private, ${eachSum(negative, 's')}
      from unsummed_repositories u
      -- The offset keeps the planner from reading the parts of all repositories of the owner.
      cross join lateral (select * from summed_repositories where repository_id = u.repository_id offset 0) s
      where u.transaction_id = pg_current_xact_id_if_assigned() and s.owner_id = a.id
      union all
      select true, ${eachSum(negative, 'p')}
      from withdrawn_credentials w
      cross join lateral (
        select id from repositories
        where provider = w.provider and credential_name = w.credential_name and is_private and deleted_at is null
          and owner_id = a.id
        offset 0) r -- The offset keeps repositories from being read before the credentials, of which there are few.
      cross join lateral present_sums(r.id) p) part
    where ${visibility === 'all'}::boolean or is_private = ${visibility === 'private'}::boolean)`;
}

/**
 * Returns SQL for the kinds of contributions to repositories of the account `a` that are not completely known, from the
 * row `sums` of `sumsInSql`. Except for `public`, the statement must contain the expression of `contributedBy`. Sums and
 * the kinds that are missing from them have to be read by one statement: collecting may end between two.
 */
export function uncollectedKinds(visibility: Visibility): RawBuilder<string[]> {
  const isUncollected = contributionKinds.map(
    (kind) => sql`(kinds.kind = ${kind} and ${sql.ref(`sums.${uncollectedColumn(kind)}`)} > 0)`,
  );
  return sql`array(
    select kind from unnest(${[...contributionKinds]}::text[]) as kinds (kind)
    where a.listed_at is null or ${sql.join(isUncollected, sql` or `)} or ${isListedInPart(visibility)}
      or ${isSkippedElsewhere(visibility)})`;
}

/** Sums over the repositories that an account owns. */
export interface OwnedTotals {
  /** The time when its repositories were last listed; null: never. */
  listedAt: Date | null;
  /** True when the provider has reported since then that the list changed. */
  isListOutdated: boolean;
  counters: Counters;
  /** Kinds of contributions of which the sums may lack some. */
  uncollected: ContributionKind[];
  /** True when a readable stream was never read to its end: the process that was reading it may have been killed. */
  isUnfinished: boolean;
}

/**
 * Returns the contributions to the repositories that an account owns, which are an organization's counters, as of one
 * moment.
 */
export async function sumOverOwned(
  connection: Connection,
  ownerId: string,
  visibility: Visibility,
): Promise<OwnedTotals> {
  const { rows } = await sql<
    Counters & { listed_at: Date | null; is_outdated: boolean; kinds: string[]; is_unfinished: boolean }
  >`
    ${visibility === 'public' ? sql`` : sql`with ${contributedBy(ownerId)}`}
    select a.listed_at, a.listing_wanted_at is not null as is_outdated, ${uncollectedKinds(visibility)} as kinds,
      sums.unfinished > 0 as is_unfinished, ${sql.join(summedNames.map((name) => sql.ref(`sums.${name}`)))}
    from accounts a cross join lateral ${sumsInSql(visibility)} sums
    where a.id = ${ownerId}`.execute(connection);
  const [row] = rows;
  if (row === undefined) {
    return {
      listedAt: null,
      isListOutdated: false,
      counters: unknownCounters,
      uncollected: [...contributionKinds],
      isUnfinished: false,
    };
  }
  const { listed_at: listedAt, is_outdated: isListOutdated, kinds, is_unfinished: isUnfinished, ...counters } = row;
  return { listedAt, isListOutdated, counters, uncollected: toKinds(kinds), isUnfinished };
}

/** The number of an owner's rows up to which folding costs more than it saves. */
const fewRows = 50;
/** The most rows that one statement folds. */
const rowsAtOnce = 10_000;

/**
 * Adds up the rows of an owner to one for each visibility, when there are many. Rows that another transaction locks
 * stay.
 */
export async function foldSums(connection: Connection, ownerId: string): Promise<void> {
  await sql`
    with many as (
      select ctid from owner_sums where owner_id = ${ownerId} limit ${rowsAtOnce} for update skip locked
    ), taken as (
      delete from owner_sums where ctid = any(array(select ctid from many))
        and (select count(*) from many) > ${fewRows}
      returning *
    )
    insert into owner_sums (owner_id, is_private, ${names})
    select owner_id, is_private, ${eachSum((column) => sql`sum(${column})`)}
    from taken group by owner_id, is_private`.execute(connection);
}

/** A part of all repositories or owners, in the order of their ids. */
export interface Batch {
  /** The last id of the part before; undefined: the first part. */
  after: string | undefined;
  limit: number;
}

/** A checked part. */
export interface Checked {
  ids: string[];
  /** The last id; undefined when none is left after it. */
  last: string | undefined;
  /** The owners whose sums differed; the end of the transaction repairs them. */
  different: string[];
}

/** Compares some repositories with their parts of sums, of which none are expected to differ. */
export async function checkSummed(connection: Connection, { after, limit }: Batch): Promise<Checked> {
  const isAfter = (id: string) => sql`(${after ?? null}::uuid is null or ${sql.ref(id)} > ${after ?? null}::uuid)`;
  const { rows } = await sql<CheckedRow>`
    with batch as (
      select id from (
        (select id from repositories where ${isAfter('id')} order by id limit ${limit})
        union
        (select repository_id from summed_repositories where ${isAfter('repository_id')} order by 1 limit ${limit})) known
      order by id limit ${limit}
    ), compared as (
      select batch.id, p is distinct from s as is_different, array_remove(array[p.owner_id, s.owner_id], null) as owners
      from batch left join lateral present_sums(batch.id) p on true
      left join summed_repositories s on s.repository_id = batch.id
    ), marked as (
      select mark_unsummed(array_agg(id)) from compared where is_different
    )
    select id, case when is_different then owners else '{}' end as different from compared cross join marked
    order by id`.execute(connection);
  return toChecked(rows, limit);
}

/**
 * Compares the sums of some owners with the parts of their repositories, and appends the differences, of which none are
 * expected. Both are read as of one moment, so that other transactions may append meanwhile.
 */
export async function checkSums(connection: Connection, { after, limit }: Batch): Promise<Checked> {
  const isAfter = sql`(${after ?? null}::uuid is null or owner_id > ${after ?? null}::uuid)`;
  const { rows } = await sql<CheckedRow>`
    with batch as (
      select owner_id from (
        (select distinct owner_id from summed_repositories where ${isAfter} order by owner_id limit ${limit})
        union
        (select distinct owner_id from owner_sums where ${isAfter} order by owner_id limit ${limit})) known
      order by owner_id limit ${limit}
    ), counted as (
      select owner_id, is_private, ${names} from batch join summed_repositories using (owner_id)
      union all
      select owner_id, is_private, ${eachSum(negative)} from batch join owner_sums using (owner_id)
    ), different as (
      select owner_id, is_private, ${eachSum((column) => sql`sum(${column})`)}
      from counted group by owner_id, is_private
      having ${sql.join(
        sumColumns.map((name) => sql`sum(${sql.ref(name)}) <> 0`),
        sql` or `,
      )}
    ), repaired as (
      insert into owner_sums (owner_id, is_private, ${names}) select owner_id, is_private, ${names} from different
    )
    select owner_id as id, array(select distinct d.owner_id from different d where d.owner_id = batch.owner_id) as different
    from batch order by owner_id`.execute(connection);
  return toChecked(rows, limit);
}

interface CheckedRow {
  id: string;
  different: string[];
}

function toChecked(rows: readonly CheckedRow[], limit: number): Checked {
  const different = new Set(rows.flatMap((row) => row.different));
  return {
    ids: rows.map(({ id }) => id),
    last: rows.length < limit ? undefined : rows.at(-1)?.id,
    different: [...different].toSorted(),
  };
}
