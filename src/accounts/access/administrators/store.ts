import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inOneTransaction } from '../../../database/connections/transaction.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import { recordAudit } from '../audit/store.ts';
import { assessHolding, type HoldingColumns, toHolding, unansweredForMs } from './holding.ts';

/** The kinds of holdings, and their tables. */
const tables = { key: 'owner_keys', embed: 'embeds' } as const;
type HoldingKind = keyof typeof tables;
const kinds = ['key', 'embed'] as const satisfies HoldingKind[];

const pageSize = 500;
/** The name in the audit trail of changes that no caller requested. */
const service = 'service';

interface LapseContext {
  newId: () => string;
  now: Date;
}

interface Lapsed {
  id: string;
  account_id: string;
  holder_name: string | null;
}

type LapsingRow = HoldingColumns & Lapsed & { suspended_at: Date | null };

/** A person, by the immutable id of the person's own account at the provider. */
export interface Person {
  id: string;
  /** `PROVIDER/NAME`. */
  name: string;
}

/** The facts about an administrator of a stored organization that a check needs; `person` is the immutable id. */
export interface Administrator {
  accountId: string;
  provider: string;
  organization: { externalId: string; name: string };
  person: string;
}

/** Stores that the host has just confirmed a person as an administrator of an organization. */
export async function confirmAdministrator(
  connection: Connection,
  accountId: string,
  { id, name }: Person,
  now: Date,
): Promise<void> {
  await sql`
    insert into administrators (account_id, person, name, confirmed_at, check_after)
    values (${accountId}, ${id}, ${name}, ${now}, ${now})
    on conflict (account_id, person) do update
    set name = excluded.name, confirmed_at = greatest(administrators.confirmed_at, excluded.confirmed_at)`.execute(
    connection,
  );
}

/** Finds the last confirmation of a person; undefined when there is none. */
export async function findConfirmation(
  connection: Connection,
  accountId: string,
  person: string,
): Promise<{ confirmedAt: Date; canCheck: boolean | null } | undefined> {
  return connection
    .selectFrom('administrators')
    .select(['confirmed_at as confirmedAt', 'can_check as canCheck'])
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .executeTakeFirst();
}

/**
 * Locks the last confirmation of a person until the transaction ends.
 * @returns undefined when there is none.
 */
export async function lockConfirmation(
  transaction: Connection,
  accountId: string,
  person: string,
): Promise<{ confirmedAt: Date } | undefined> {
  return transaction
    .selectFrom('administrators')
    .select('confirmed_at as confirmedAt')
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .forUpdate()
    .executeTakeFirst();
}

/** Stores the outcome of a check. @param checked.confirmedAt undefined: the host has not confirmed the person. */
export async function saveCheck(
  connection: Connection,
  { accountId, person }: Pick<Administrator, 'accountId' | 'person'>,
  checked: { canCheck?: boolean; confirmedAt?: Date; checkAfter: Date },
): Promise<void> {
  const { canCheck, confirmedAt, checkAfter } = checked;
  await connection
    .updateTable('administrators')
    .set({
      check_after: checkAfter,
      ...(canCheck !== undefined && { can_check: canCheck }),
      ...(confirmedAt !== undefined && { confirmed_at: sql<Date>`greatest(confirmed_at, ${confirmedAt})` }),
    })
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .execute();
}

export async function removeAdministrator(connection: Connection, accountId: string, person: string): Promise<void> {
  await connection
    .deleteFrom('administrators')
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .execute();
}

/** SQL for whether an administrator holds a key or link that has not ended. @param alias the name of the administrator's row. */
function holdsSomething(alias: string): RawBuilder<boolean> {
  const [account, person] = [sql.ref(`${alias}.account_id`), sql.ref(`${alias}.person`)];
  return sql`(
    exists (select from owner_keys k where k.account_id = ${account} and k.holder = ${person} and k.ended_at is null)
    or exists (select from embeds e where e.account_id = ${account} and e.holder = ${person} and e.ended_at is null))`;
}

const columnsOfAdministrator = sql`
  m.account_id as "accountId", m.person, a.provider,
  json_build_object('externalId', a.external_id, 'name', a.name) as organization`;

/** Finds administrators with keys or links whose check is due, the longest due first. */
export async function findDueChecks(connection: Connection, now: Date, limit: number): Promise<Administrator[]> {
  const { rows } = await sql<Administrator>`
    select ${columnsOfAdministrator}
    from administrators m join accounts a on a.id = m.account_id
    where m.check_after <= ${now} and a.deleted_at is null and ${holdsSomething('m')}
    order by m.check_after, m.account_id, m.person limit ${limit}`.execute(connection);
  return rows;
}

/** Finds up to `limit` organizations of a provider that a person administered at the last confirmation. */
export async function findAdministrations(
  connection: Connection,
  provider: string,
  person: string,
  limit: number,
): Promise<Administrator[]> {
  const { rows } = await sql<Administrator>`
    select ${columnsOfAdministrator}
    from administrators m join accounts a on a.id = m.account_id
    where m.person = ${person} and a.provider = ${provider} and a.deleted_at is null
    order by m.account_id limit ${limit}`.execute(connection);
  return rows;
}

/** Deletes some administrators without keys and links whose last confirmation was before `before`. @returns how many. */
export function deleteAdministrators(connection: Connection, before: Date, limit: number): Promise<number> {
  const where = sql`confirmed_at < ${before} and not ${holdsSomething('administrators')}`;
  return deleteSome(connection, 'administrators', { where, orderBy: sql`confirmed_at`, limit });
}

/** Returns whether the service can check all holders of an account's keys and links; null: not known, or no holders. */
export async function findCanCheck(connection: Connection, accountId: string): Promise<boolean | null> {
  const { rows } = await sql<{ can_check: boolean | null }>`
    select bool_and(can_check) as can_check from administrators m
    where account_id = ${accountId} and ${holdsSomething('m')}`.execute(connection);
  return rows[0]?.can_check ?? null;
}

/** Ends all keys and links of a person for an account, because the host says that the person does not administer it. */
export async function endHoldings(
  transaction: Connection,
  { accountId, person }: { accountId: string; person: string },
  context: LapseContext,
): Promise<void> {
  const where = sql`account_id = ${accountId} and holder = ${person} and ended_at is null`;
  for (const kind of kinds) {
    const ended = await updateHoldings(transaction, kind, sql`ended_at = ${context.now}`, where);
    await record(transaction, ended, { kind, change: 'ended', reason: 'no longer administers the account' }, context);
  }
  await announce(transaction, { kind: 'account', key: accountId });
}

/** Ends the suspension of a person's keys and links, because the host confirmed the person. */
export async function resumeHoldings(
  transaction: Connection,
  { accountId, person }: { accountId: string; person: string },
  context: LapseContext,
): Promise<void> {
  const where = sql`account_id = ${accountId} and holder = ${person} and ended_at is null and suspended_at is not null`;
  for (const kind of kinds) {
    const resumed = await updateHoldings(transaction, kind, sql`suspended_at = null`, where);
    await record(transaction, resumed, { kind, change: 'resumed', reason: 'confirmed again' }, context);
  }
}

/**
 * Records which keys and links have ended or been suspended with time. They stop working at that moment even without
 * the record, which makes the end final and visible in the audit trail.
 */
export async function recordLapses(connection: Connection, context: LapseContext): Promise<void> {
  for (const kind of kinds) {
    let last: { account_id: string; id: string } | undefined;
    do {
      const page = await findLapsing(connection, kind, context.now, last);
      for (const row of page) await recordLapse(connection, kind, row, context);
      last = page.length === pageSize ? page.at(-1) : undefined;
    } while (last !== undefined);
  }
}

/** Finds a page of holdings that may have lapsed, in the order of account and id. */
async function findLapsing(
  connection: Connection,
  kind: HoldingKind,
  now: Date,
  after: { account_id: string; id: string } | undefined,
): Promise<LapsingRow[]> {
  const next = after === undefined ? sql`true` : sql`(h.account_id, h.id) > (${after.account_id}, ${after.id})`;
  const { rows } = await sql<LapsingRow>`
    select h.id, h.account_id, h.holder, h.holder_name, h.ends_at, h.ended_at, h.suspended_at,
      a.type as account_type, a.external_id as account_external_id, m.confirmed_at, m.can_check
    from ${sql.table(tables[kind])} h join accounts a on a.id = h.account_id
    left join administrators m on m.account_id = h.account_id and m.person = h.holder
    where h.ended_at is null and ${next}
      and (h.ends_at <= ${now} or m.confirmed_at <= ${new Date(now.getTime() - unansweredForMs)})
    order by h.account_id, h.id limit ${pageSize}`.execute(connection);
  return rows;
}

async function recordLapse(
  connection: Connection,
  kind: HoldingKind,
  row: LapsingRow,
  context: LapseContext,
): Promise<void> {
  const { state, endsAt } = assessHolding(toHolding(row), context.now);
  const isSuspended = state === 'suspended' && row.suspended_at === null;
  if (state !== 'ended' && !isSuspended) return;
  await inOneTransaction(connection, async (transaction) => {
    // Changes nothing when the holding was renewed after the row was read.
    const unchanged = sql`
      account_id = ${row.account_id} and id = ${row.id} and ended_at is null
      and ends_at is not distinct from ${row.ends_at} and holder is not distinct from ${row.holder}`;
    const change = state === 'ended' ? sql`ended_at = ${endsAt}` : sql`suspended_at = ${context.now}`;
    const lapsed = await updateHoldings(transaction, kind, change, unchanged);
    const reason = state === 'ended' ? 'was not renewed in time' : 'not confirmed by the code host for 7 days';
    await record(transaction, lapsed, { kind, change: state === 'ended' ? 'ended' : 'suspended', reason }, context);
    await announce(transaction, { kind: 'account', key: row.account_id });
  });
}

async function updateHoldings(
  transaction: Connection,
  kind: HoldingKind,
  change: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): Promise<Lapsed[]> {
  const { rows } = await sql<Lapsed>`
    update ${sql.table(tables[kind])} set ${change} where ${where}
    returning id, account_id, holder_name`.execute(transaction);
  return rows;
}

async function record(
  transaction: Connection,
  lapsed: readonly Lapsed[],
  { kind, change, reason }: { kind: HoldingKind; change: 'ended' | 'suspended' | 'resumed'; reason: string },
  { newId, now }: LapseContext,
): Promise<void> {
  for (const { id, account_id: accountId, holder_name: name } of lapsed) {
    const subject = `${id} (${name ?? 'unknown holder'}): ${reason}`;
    const entry = {
      id: newId(),
      action: `${kind}_${change}` as const,
      subject,
      actor: service,
      tokenId: null,
      at: now,
    };
    await recordAudit(transaction, accountId, entry);
  }
}
