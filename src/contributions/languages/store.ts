import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql, isPublicInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import { deleteFoundPending, type PendingDetail } from '../items/detail-store.ts';
import { lockTotals } from '../items/write-store.ts';
import { changeCheckedLanguages } from '../totals/running-check-store.ts';
import type { FilesByLanguage } from './linguist.ts';
import { changeLanguageSums } from './sum-store.ts';

/** The most sums that `findFewLanguages` reads: those of nearly all people, in about a millisecond. */
const fewSums = 2000;

/** The sums of a language, and how many were read for it; null: all of them are of repositories that are not shown. */
/**
 * Languages of the files that commits change: of each commit in `commits.languages`, as sums for each address and day in
 * `language_days`, and for each address in `language_sums`. Sums belong to addresses, so that the account of an address can change without a recount.
 * The sums of `everyAddress` count each commit once, however many addresses it names.
 */

/** The most languages of an account. */
export const maxLanguages = 1000;

/**
 * The id under which sums of a repository count each commit once. It is the greatest one, which no address has, so that
 * jobs that go through addresses in order reach it last.
 */
export const everyAddress = 2_147_483_647;

/** SQL for the ids under which the languages of the commit `c` count: its addresses, and that of all. */
export const namesOfCommit = sql`c.identity_ids || ${sql.lit(everyAddress)}::integer`;

/** SQL for the sums of the commits `c` that a query or a table holds, by repository, address, day and language. */
export function sumsInSql(commits: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select c.repository_id, u.identity_id, (c.authored_at at time zone 'UTC')::date as day, l.key as language,
      sum(l.value::integer)::integer as files, count(*)::integer as commits
    from ${commits} cross join unnest(${namesOfCommit}) as u (identity_id) cross join jsonb_each_text(c.languages) as l
    group by 1, 2, 3, 4`;
}

/**
 * Stores the languages of commits, by commit id, and adds them to the sums. Commits without a result stay pending. Must
 * run in a transaction.
 */
export async function saveCommitLanguages(
  transaction: Connection,
  repositoryId: string,
  requested: readonly PendingDetail[],
  found: ReadonlyMap<string, FilesByLanguage>,
): Promise<void> {
  await lockTotals(transaction, repositoryId);
  const oids = [...found.keys()];
  await changeSums(transaction, repositoryId, oids, -1);
  const rows = [...found].map(([oid, files]) => ({ oid: `\\x${oid}`, languages: Object.fromEntries(files) }));
  await sql`
    update commits c set languages = f.languages
    from json_to_recordset(${JSON.stringify(rows)}::json) as f (oid bytea, languages jsonb)
    where c.repository_id = ${repositoryId} and c.oid = f.oid
      and c.languages is distinct from f.languages`.execute(transaction);
  await changeSums(transaction, repositoryId, oids, 1);
  await deleteFoundPending(transaction, repositoryId, 'commit_languages', { requested, found });
  await sql`
    insert into announcements (kind, key)
    with found as (
      select identity_ids from commits where repository_id = ${repositoryId} and oid = any(${toBytes(oids)}::bytea[])
    )
    select distinct 'account', i.account_id from found c cross join unnest(c.identity_ids) as u (id)
    join identities i on i.id = u.id where i.account_id is not null`.execute(transaction);
}

/** Subtracts commits that are about to be removed from the sums. Must run in a transaction. */
export async function uncountLanguages(
  transaction: Connection,
  repositoryId: string,
  oids: readonly string[],
): Promise<void> {
  await lockTotals(transaction, repositoryId);
  await changeSums(transaction, repositoryId, oids, -1);
}

/** Adds stored commits to the sums, or subtracts them; those whose languages were not read change nothing. */
async function changeSums(
  transaction: Connection,
  repositoryId: string,
  oids: readonly string[],
  sign: 1 | -1,
): Promise<void> {
  const commits = sql`(
    select * from commits c where c.repository_id = ${repositoryId} and c.oid = any(${toBytes(oids)}::bytea[])
      and c.languages is not null) c`;
  await changeLanguageSums(
    transaction,
    repositoryId,
    sql`select s.identity_id, s.language, ${sign}::integer * s.files as files from (${sumsInSql(commits)}) s`,
  );
  await changeCheckedLanguages(transaction, repositoryId, sumsInSql(commits), sign);
  if (sign === 1) {
    await sql`
      insert into language_days as d (repository_id, identity_id, day, language, files, commits)
      select s.* from (${sumsInSql(commits)}) s
      on conflict (repository_id, identity_id, day, language)
        do update set files = d.files + excluded.files, commits = d.commits + excluded.commits`.execute(transaction);
    return;
  }
  const { rows } = await sql<{ id: number }>`
    update language_days d set files = d.files - s.files, commits = d.commits - s.commits
    from (${sumsInSql(commits)}) s
    where d.repository_id = ${repositoryId} and d.identity_id = s.identity_id and d.day = s.day
      and d.language = s.language
    returning d.identity_id as id`.execute(transaction);
  if (rows.length === 0) return;
  await sql`
    delete from language_days where repository_id = ${repositoryId} and commits <= 0
      and identity_id = any(${[...new Set(rows.map(({ id }) => id))]}::integer[])`.execute(transaction);
}

function toBytes(oids: readonly string[]): string[] {
  return oids.map((oid) => `\\x${oid}`);
}

/** Returns whether the languages of a repository's commits are counted. */
export async function needsLanguages(connection: Connection, repositoryId: string): Promise<boolean> {
  const { rows } = await sql`
    select from repositories where id = ${repositoryId} and 'commit_languages' = any(needs)`.execute(connection);
  return rows.length > 0;
}

/** An account whose languages are counted. */
export interface LanguageQuery {
  accountId: string;
  /** True for an organization: the languages are those of the repositories that it owns. */
  isOwner: boolean;
  withPrivate: boolean;
}

/** The changed files of one language. */
export interface LanguageSum {
  language: string;
  files: number;
}

/**
 * Sums the languages of an account, the most changed one first.
 * @param days `YYYY-MM-DD`: the first day, and the day after the last one; null: open.
 */
export async function findLanguages(
  connection: Connection,
  { accountId, isOwner, withPrivate }: LanguageQuery,
  days: { since: string | null; until: string | null },
): Promise<LanguageSum[]> {
  const isShown = sql`(${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`;
  const [isSince, isUntil] = [
    days.since === null ? sql`true` : sql`d.day >= ${days.since}::date`,
    days.until === null ? sql`true` : sql`d.day < ${days.until}::date`,
  ];
  const ofDays = sql`${isSince} and ${isUntil}`;
  // One plan fits the whole history of any person, and no other window.
  const isOfAllDays = days.since === null && days.until === null;
  const table = isOfAllDays ? sql`language_sums` : sql`language_days`;
  const repeated = repeatedFiles(await findAddresses(connection, isOwner ? null : accountId), ofDays);
  // The part that is read first is the smaller one: see docs/decisions/0087-statements-on-citus.md.
  const [first, sums] = isOwner
    ? [
        sql`shown as (select r.id from repositories r where r.owner_id = ${accountId}::uuid and ${isShown})`,
        sql`${table} d join shown on shown.id = d.repository_id where ${ofDays} and ${isOfEveryAddress}`,
      ]
    : [
        // A person has far more days than repositories, whose rows are then read once for each language.
        sql`own as (
          select ${isOfAllDays ? pointRead : sql``} d.repository_id, d.language, sum(d.files) as files from ${table} d
          where ${ofDays} and ${isOfPerson(accountId)}
          group by d.repository_id, d.language
          union all ${repeated})`,
        sql`own d join repositories r on r.id = d.repository_id where ${isShown} and not r.is_fork`,
      ];
  const { rows } = await sql<LanguageSum>`
    with ${first}
    select d.language, sum(d.files)::float8 as files
    from ${sums} group by d.language having sum(d.files) > 0
    order by files desc, d.language limit ${maxLanguages}`.execute(connection);
  return rows;
}

/** SQL that is true for the sums `d` that belong to an address of a person. */
function isOfPerson(accountId: string): RawBuilder<boolean> {
  return sql`d.identity_id = any(array(select i.id from identities i where i.account_id = ${accountId}::uuid))`;
}

/** SQL that is true for the sums `d` that count each commit of a repository once. */
export const isOfEveryAddress = sql<boolean>`d.identity_id = ${sql.lit(everyAddress)}`;

/** The most addresses whose pairs are searched for in commits. The few people with more are searched for by each address. */
const maxPaired = 12;

/** Finds the addresses of a person, of whom one commit may name several; none for an owner. */
export async function findAddresses(connection: Connection, personId: string | null): Promise<number[]> {
  if (personId === null) return [];
  const { rows } = await sql<{ id: number }>`
    select ${pointRead} id from identities where account_id = ${personId}::uuid order by id`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Returns SQL for the files, as negative numbers by repository and language, by which the sums of a person's addresses count
 * commits too often, because these name several of them.
 * @param condition about the day `d.day` of the commit.
 */
export function repeatedFiles(addresses: readonly number[], condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select t.repository_id, l.key as language, sum(l.value::integer * (1 - t.times)) as files
    from (
      select d.repository_id, d.oid, d.languages, count(*) as times
      from (select c.*, (c.authored_at at time zone 'UTC')::date as day from commits c) d
      cross join unnest(d.identity_ids) as u (id)
      where ${mayNameSeveral(addresses)} and u.id = any(${addresses}::integer[]) and d.languages is not null
        and ${condition}
      group by d.repository_id, d.oid, d.languages having count(*) > 1
    ) t cross join jsonb_each_text(t.languages) as l
    group by t.repository_id, l.key`;
}

/** SQL that is true for commits `d` that name several of the addresses, in a form for which PostgreSQL uses the index of co-authors. */
function mayNameSeveral(addresses: readonly number[]): RawBuilder<boolean> {
  if (addresses.length < 2) return sql<boolean>`false`;
  const pairs = addresses.flatMap((one, index) => addresses.slice(index + 1).map((other) => [one, other]));
  const named =
    addresses.length > maxPaired
      ? sql`d.identity_ids && ${addresses}::integer[]`
      : sql.join(
          pairs.map((pair) => sql`d.identity_ids @> ${pair}::integer[]`),
          sql` or `,
        );
  return sql<boolean>`(cardinality(d.identity_ids) > 1 and (${named}))`;
}

/** A repository to which an account contributes commits. */
interface LanguageRepository {
  id: string;
  ownerId: string;
  name: string;
  isPrivate: boolean;
  /** False while its languages were never requested. */
  isNeeded: boolean;
  /** True while languages of commits are still to be read. */
  isPending: boolean;
}

/**
 * Finds the repositories to which an account has the most commits; for an owner, its repositories with the most
 * commits.
 */
export async function findLanguageRepositories(
  connection: Connection,
  { accountId, isOwner, withPrivate }: LanguageQuery,
  limit: number,
): Promise<LanguageRepository[]> {
  const isShown = sql`(${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`;
  const columns = sql`r.id, r.owner_id as "ownerId", r.name, r.is_private as "isPrivate", 'commit_languages' = any(r.needs) as "isNeeded"`;
  const { rows } = await (isOwner
    ? sql<FoundRepository>`
        with shown as (select ${columns} from repositories r where r.owner_id = ${accountId}::uuid and ${isShown})
        select r.* from repository_totals t join shown r on r.id = t.repository_id where t.commits > 0
        order by t.commits desc, r.id limit ${limit}`
    : sql<FoundRepository>`
        with own as (
          select repository_id, commits from contributor_totals where account_id = ${accountId}::uuid and commits > 0
        )
        select ${columns} from own t join repositories r on r.id = t.repository_id where ${isShown}
        order by t.commits desc, r.id limit ${limit}`
  ).execute(connection);
  const pending = await findPending(
    connection,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => Object.assign(row, { isPending: pending.has(row.id) }));
}

type FoundRepository = Omit<LanguageRepository, 'isPending'>;

/** Returns the repositories of which languages of commits are still to be read. */
async function findPending(connection: Connection, repositoryIds: readonly string[]): Promise<Set<string>> {
  if (repositoryIds.length === 0) return new Set();
  // A subquery for each repository stops at the first row; one repository may have a million of them.
  const each = repositoryIds.map(
    (id) => sql`(
      select repository_id as id from pending_details where repository_id = ${id} and detail = 'commit_languages' limit 1)`,
  );
  const { rows } = await sql<{ id: string }>`${sql.join(each, sql` union all `)}`.execute(connection);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Sums the public languages of a person as `findLanguages` does, unless there are more than a request reads together
 * with its other parts, or the person has several addresses.
 * @returns undefined where there are more.
 */
export async function findFewLanguages(connection: Connection, accountId: string): Promise<LanguageSum[] | undefined> {
  const addresses = await findAddresses(connection, accountId);
  // A commit may name several addresses of a person; then the sums count it several times.
  if (addresses.length > 1) return undefined;
  // The sum of a language is null where all that was read is of repositories that are not shown.
  const { rows } = await sql<{ language: string; files: number | null; read: number }>`
    select ${pointRead} d.language, sum(d.files) filter (where r.id is not null)::float8 as files, count(*)::integer as read
    from (
      select d.repository_id, d.language, d.files from language_sums d
      where ${isOfPerson(accountId)} limit ${fewSums + 1}) d
    left join repositories r on r.id = d.repository_id and ${isPublicInSql('r')} and not r.is_fork
    group by d.language order by files desc nulls last, d.language`.execute(connection);
  if (rows.reduce((sum, { read }) => sum + read, 0) > fewSums) return undefined;
  return rows.flatMap(({ language, files }) => (files === null ? [] : [{ language, files }])).slice(0, maxLanguages);
}
