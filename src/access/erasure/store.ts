import { sql } from 'kysely';
import { emptyAccount } from '../../accounts/erase-store.ts';
import { lookUpJob, refreshJob } from '../../accounts/jobs.ts';
import { addOptedOutEmails, addOptOuts } from '../../accounts/opt-out-store.ts';
import type { Account } from '../../accounts/store.ts';
import { eraseAddresses } from '../../contributions/identity-store.ts';
import { calendarJob, collectJob, fetchReportedTotalsJob } from '../../contributions/jobs.ts';
import { announce } from '../../database/announcements.ts';
import type { Connection } from '../../database/connection.ts';
import { takeErasureLock } from '../../database/erasure-lock.ts';
import { eraseInstallations } from '../../installations/store.ts';
import { hideSomeOf } from '../../repositories/hide-store.ts';

/** The most repositories that are hidden together with their owner. */
const hiddenAtOnce = 100;
/** The most addresses that are opted out together with their owner. */
const addressesAtOnce = 100;

/**
 * Begins the erasure of an account: hides it, removes its name and its facts, and stores an opt-out so that it is not fetched
 * again before its owner returns. `eraseNext` removes the rest. Commits in other owners' repositories stay counted there,
 * without an account. Must run in a transaction.
 */
export async function beginErasure(transaction: Connection, account: Account, now: Date): Promise<void> {
  await takeErasureLock(transaction);
  const { id, provider, externalId } = account;
  const names = [account.name, ...(await findFormerNames(transaction, id))];
  const personKey = await addOptOuts(transaction, provider, { externalId, names }, now);
  await hideSomeOf(transaction, id, { limit: hiddenAtOnce, now });
  // A trigger announces the owners whose lists show the account.
  await emptyAccount(transaction, id, now, personKey);
  await optOutAddresses(transaction, { id, provider, personKey }, { limit: addressesAtOnce, now });
  await eraseInstallations(transaction, account);
  // No award is stored or announced any more, and signed credentials read as revoked.
  await transaction.deleteFrom('pending_evaluations').where('account_id', '=', id).execute();
  await transaction.deleteFrom('awards').where('account_id', '=', id).execute();
  const keys = [
    ...names.map((name) => lookUpJob({ provider, name }).key),
    ...[refreshJob(id), collectJob(id), fetchReportedTotalsJob(id), calendarJob(id)].map(({ key }) => key),
  ].toSorted();
  // Jobs come last, because other transactions lock them last too, also after the lookup of the same key.
  await sql`
    delete from lookups where key = any(array(
      select key from lookups where key = any(${keys}) or starts_with(key, ${`collect_repository ${id}/`})
      order by key for update))`.execute(transaction);
  await sql`select graphile_worker.remove_job(key) from unnest(${keys}::text[]) as key`.execute(transaction);
  await announce(transaction, { kind: 'account', key: id });
}

async function findFormerNames(connection: Connection, accountId: string): Promise<string[]> {
  const rows = await connection
    .selectFrom('former_names')
    .select('name_key')
    .where('account_id', '=', accountId)
    .execute();
  return rows.map((row) => row.name_key);
}

/**
 * Erases some addresses of a person who has opted out, so that they are not stored again. Must run in a transaction that holds
 * the erasure lock.
 * @returns how many.
 */
export async function optOutAddresses(
  transaction: Connection,
  { id, provider, personKey }: { id: string; provider: string; personKey: Buffer },
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  const emails = await eraseAddresses(transaction, id, limit);
  await addOptedOutEmails(transaction, provider, { personKey, emails }, now);
  return emails.length;
}

/** The form of repository ids. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the ids of stored repositories among `ids`, the names of local copies of histories. Copies without a stored
 * repository can be deleted, also those whose name is no id.
 */
export async function findStoredRepositories(connection: Connection, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from repositories where id = any(${ids.filter((id) => uuid.test(id))}::uuid[])`.execute(connection);
  return new Set(rows.map((row) => row.id));
}
