import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../model/errors.ts';
import type { Connection } from '../connections/connection.ts';
import { accountColumns } from '../tables/divided-tables.ts';

/**
 * Exports of other versions: those since 0.3, whose headers name a migration from before the baseline, and those with
 * another baseline. Their rows take the columns that exist in both; the lists below name everything that has
 * another name or meaning, or exists no more. What follows from contributions and commits is not read, but counted again.
 */

/** The newest migration of release 0.3, and that of the last commit before the baseline. */
const [oldestKnown, newestKnown] = ['0009-details-on-demand', '0140-states-of-reviews'] as const;

/** Returns whether a header names the tables of such a version. */
export function isFormer(migration: string): boolean {
  return migration >= oldestKnown && migration <= newestKnown;
}

/** Returns whether a header names tables from before release 0.3. */
export function isTooOld(migration: string): boolean {
  return migration < oldestKnown;
}

/** Names of tables before migration 0023. */
const formerTables: Readonly<Record<string, string>> = {
  seen_totals: 'reported_totals',
  lacking_details: 'pending_details',
  achievement_work: 'pending_evaluations',
};

/** Former columns by their tables of today, and their names of today; null: dropped. */
const formerColumns: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  accounts: { asked_at: 'fetched_at', gone_at: 'deleted_at', uncollected: null, contributors_version: null },
  repositories: { gone_at: 'deleted_at', access: 'credential_name' },
  reported_totals: { asked_at: 'fetched_at', access: 'credential_name' },
  installations: { access: 'credential_name' },
  achievements: { judged_at: 'evaluate_at', settled_at: 'evaluated_at' },
  notifications: { settled_at: 'ended_at' },
  streams: { hinted_at: 'invalidated_at' },
  pending_details: { noted: 'revision' },
  changed_contributors: { is_news: 'is_update' },
  repository_identities: { oid: null },
  boards: { ranking_id: null },
};

/** Tables whose rows follow from others. Of a repository, only whether its commits were counted is read. */
const derived = new Set([
  'contributor_totals',
  'contribution_days',
  'language_days',
  'language_sums',
  'owner_sums',
  'summed_repositories',
]);
const readOfTotals = new Set(['repository_id', 'commits_counted']);

export type Row = Readonly<Record<string, unknown>>;

/** The longest life of a key of a person, and the time after which keys and links without a known holder end, in days. */
const [keyDays, unknownHolderDays] = [400, 30];
const dayMs = 86_400_000;

/** Changes of the rows of a table that SQL cannot make later. They leave rows of newer versions as they are. */
const changes: Readonly<Record<string, (row: Row) => Row>> = {
  accounts: (row) => ({ ...withRequestedAt(row), ...withCredentialName(row) }),
  reported_totals: withRequestedAt,
  streams: (row) => ('failing_since' in row ? row : { ...row, failing_since: row['failed_at'] ?? null }),
  owner_keys: (row) => {
    if ('ends_at' in row) return row;
    const end = Date.parse(String(row['created_at'])) + keyDays * dayMs;
    return { ...row, ends_at: new Date(Math.max(end, Date.now() + unknownHolderDays * dayMs)) };
  },
  next_season_ranks: (row) => {
    if ('account_ids' in row || !Array.isArray(row['people'])) return row;
    const people: unknown[] = row['people'];
    const ids = people.flatMap((person) => (isRow(person) ? [person['account_id'] ?? []].flat() : []));
    return { ...row, account_ids: ids };
  },
};

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Renames `askedAt` in the windows that GitHub's provider remembers of an account, as migration 0035 did. */
function withRequestedAt(row: Row): Row {
  const memory = row['provider_memory'];
  if (!isRow(memory) || !Array.isArray(memory['windows'])) return row;
  const remembered: unknown[] = memory['windows'];
  return { ...row, provider_memory: { ...memory, windows: remembered.map(withRequestTime) } };
}

function withRequestTime(window: unknown): unknown {
  if (!isRow(window) || !('askedAt' in window)) return window;
  const { askedAt: requestedAt, ...others } = window;
  return { ...others, requestedAt };
}

/** Renames the first member of the cursor of an interrupted listing, as migration 0028 did. */
function withCredentialName({ listing_cursor: cursor }: Row): Row {
  const [former, present] = ['{"access":', '{"credentialName":'];
  return typeof cursor === 'string' && cursor.startsWith(former)
    ? { listing_cursor: `${present}${cursor.slice(former.length)}` }
    : {};
}

/** The table of today to which rows of an export belong. */
export interface Target {
  table: string;
  /** Returns the row with its columns of today; absent: it has them. */
  toRow?: (row: Row) => Row;
}

/** Returns where the rows of a table of a former export belong; undefined: they are not read. */
export function toTarget(name: string): Target | undefined {
  const table = formerTables[name] ?? name;
  if (derived.has(table)) return undefined;
  if (table === 'repository_totals') {
    return {
      table,
      toRow: (row) => Object.fromEntries(Object.entries(row).filter(([column]) => readOfTotals.has(column))),
    };
  }
  const columns = formerColumns[table];
  const change = changes[table] ?? ((row) => row);
  if (columns === undefined && changes[table] === undefined) return { table };
  return { table, toRow: (row) => change(withPresentColumns(row, columns ?? {})) };
}

function withPresentColumns(row: Row, columns: Readonly<Record<string, string | null>>): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([column, value]) => {
      const present = column in columns ? columns[column] : column;
      return typeof present === 'string' ? [[present, value]] : [];
    }),
  );
}

/** @throws AppError `invalid_input`. */
export function refuseNewer(): never {
  throw new AppError('invalid_input', 'The file was written by a newer release of this service; use that one.');
}

/** Accounts that 0.3 stored as people: deleted users (`ghost` in GitHub's REST interface), and mannequins. */
const nobodies = sql`
  select id from accounts
  where provider = 'github' and ((external_id = '10137' and lower(name) = 'ghost') or handle ~ '^M_kgDO[A-Za-z0-9_-]+$'
    or handle like 'MDk6TWFubmVxdWlu%')`;

/** SQL for a list of accounts without these; null stands for each where the place counts. */
function withoutNobodies(column: 'assignees' | 'reviewers' | 'reactors'): RawBuilder<unknown> {
  const list = sql.ref(column);
  const kept =
    column === 'reactors'
      ? sql`select case when one <> all(array(${nobodies})) then one end from unnest(${list}) with ordinality as u (one, place) order by place`
      : sql`select one from unnest(${list}) as one where one <> all(array(${nobodies}))`;
  return sql`${list} = case when ${list} is not null then array(${kept}) end`;
}

const isWithoutAccount = sql`account_id is null and resolved_at is not null and email not like 'erased %'`;

/** Statements about imported rows by the migration that made the same change, which exports of earlier ones lack. */
const statements: readonly (readonly [migration: string, statements: readonly RawBuilder<unknown>[]])[] = [
  // Files are read again, because they may contain conditions that could not be evaluated.
  ['0012', [sql`update achievement_files set revision = null where text like '%files%'`]],
  [
    '0015',
    [
      sql`
        update repository_identities u set is_counted = true, is_author = exists (
          select from commits c where c.repository_id = u.repository_id and c.identity_ids[1] = u.identity_id)`,
      // One response that did not show the account of an address was taken for the truth. Each is looked up once more.
      sql`
        update repository_identities set attempts = 2, retry_at = now()
        where identity_id = any(array(select id from identities where ${isWithoutAccount}))`,
      sql`
        update streams set invalidated_at = greatest(invalidated_at, known_until)
        where name = 'commits' and repository_id = any(array(
          select repository_id from repository_identities where attempts = 2))`,
      sql`update identities set resolved_at = null where ${isWithoutAccount}`,
    ],
  ],
  ['0020', [sql`update accounts set checked_at = fetched_at where fetched_at is not null`]],
  [
    '0021',
    [
      sql`
        update contributions set ${sql.join((['assignees', 'reviewers', 'reactors'] as const).map(withoutNobodies))}
        where (assignees || reviewers || reactors) && array(${nobodies})`,
      ...accountColumns
        .filter(({ table }) => table === 'contributions')
        .map(
          ({ column }) =>
            sql`update contributions set ${sql.id(column)} = null where ${sql.id(column)} = any(array(${nobodies}))`,
        ),
      sql`delete from pending_evaluations where account_id in (${nobodies})`,
      sql`delete from accounts where id in (${nobodies})`,
      sql`update accounts set type = 'bot' where type = 'user' and handle ~ '^(BOT_kgDO|MDM6Qm90)'`,
      sql`
        delete from former_names where account_id in (
          select id from accounts where external_id in ('198982749', '175728472') and name ilike 'copilot%')`,
      sql`
        update accounts set type = 'bot', name = case external_id
          when '198982749' then 'copilot-swe-agent[bot]' else 'copilot-pull-request-reviewer[bot]' end
        where external_id in ('198982749', '175728472') and name ilike 'copilot%'`,
    ],
  ],
  // Keys and links of people belong to these. Those of organizations have no known holder, and end soon.
  [
    '0027',
    [
      ...['owner_keys', 'embeds'].map(
        (table) => sql`
          update ${sql.table(table)} k set holder = a.external_id, holder_name = a.provider || '/' || a.name
          from accounts a where a.id = k.account_id and a.type <> 'organization'`,
      ),
      ...['owner_keys', 'embeds'].map(
        (table) => sql`
          update ${sql.table(table)} set ends_at = now() + ${sql.lit(`${unknownHolderDays} days`)}::interval
          where holder is null`,
      ),
    ],
  ],
  [
    '0110',
    [
      sql`
        update boards b set people = array(
          select distinct lower(case when n.bare like '%/%' then n.bare else (b.definition ->> 'provider') || '/' || n.bare end)
          from (
            select regexp_replace(t.text, '^@', '') as bare from (
              select json_array_elements_text(b.definition #> '{people,exclude}') as text
              union all select json_array_elements_text(m.value) from json_each(b.definition -> 'teams') m
              union all select g ->> 'person' from json_array_elements(b.definition -> 'grants') g) t
            where t.text not like '@%/%') n
          order by 1)`,
    ],
  ],
  // Numbered addresses were credited by the number alone, without their host. They are looked up again.
  [
    '0133',
    [
      sql`
        update identities
        set account_id = null, resolved_at = null, forgotten_until = '00000000-0000-0000-0000-000000000000'
        where account_id is not null and email ~ '^[0-9]+[+][^@]+@' and email not like '%@users.noreply.github.com'`,
    ],
  ],
];

/**
 * Changes imported rows as the migrations did that their version lacked, and counts what follows from them. People are not
 * noted as changed, except those that the file notes.
 */
export async function completeFormer(
  transaction: Connection,
  migration: string,
  count: (transaction: Connection) => Promise<void>,
): Promise<void> {
  const missing = statements.filter(([number]) => migration < number);
  const afterCount = '0133';
  const apply = async (of: typeof statements): Promise<void> => {
    for (const statement of of.flatMap(([, all]) => all)) await statement.execute(transaction);
  };
  await apply(missing.filter(([number]) => number < afterCount));
  // Items are known since now, because the times at which older versions stored them are not.
  await sql`update changes_kept set since = now()`.execute(transaction);
  await sql`create temporary table noted on commit drop as table changed_contributors`.execute(transaction);
  await count(transaction);
  await sql`delete from changed_contributors`.execute(transaction);
  await sql`insert into changed_contributors table noted`.execute(transaction);
  await apply(missing.filter(([number]) => number >= afterCount));
}
