import { sql } from 'kysely';
import { lookUpJob, refreshJob } from '../../accounts/jobs.ts';
import { addOptOuts } from '../../accounts/opt-out-store.ts';
import { type Account, removeAccount } from '../../accounts/store.ts';
import { forgetPerson } from '../../contributions/erase-store.ts';
import { calendarJob, collectJob, fetchReportedTotalsJob } from '../../contributions/jobs.ts';
import { announce } from '../../database/announcements.ts';
import type { Connection } from '../../database/connection.ts';
import { takeErasureLock } from '../../database/erasure-lock.ts';
import { eraseInstallations } from '../../installations/store.ts';
import { findOwnersContributedTo } from '../settings/store.ts';

/**
 * Removes everything about an account, and stores an opt-out so that it is not fetched again before its owner returns.
 * Commits in other owners' repositories stay counted there, without an account. Must run in a transaction.
 */
export async function eraseAccount(connection: Connection, account: Account, now: Date): Promise<void> {
  await takeErasureLock(connection);
  const { id, provider, externalId } = account;
  const names = [account.name, ...(await findFormerNames(connection, id))];
  const emails = await findEmails(connection, id);
  await addOptOuts(connection, provider, { externalId, names, emails }, now);
  const owners = (await findOwnersContributedTo(connection, id)).filter((owner) => owner !== id);
  await sql`
    update identities set email = 'erased ' || id, account_id = null, resolved_at = '9999-01-01T00:00:00Z'
    where account_id = ${id}`.execute(connection);
  const keys = [
    ...names.map((name) => lookUpJob({ provider, name }).key),
    ...[refreshJob(id), collectJob(id), fetchReportedTotalsJob(id), calendarJob(id)].map(({ key }) => key),
  ];
  await eraseInstallations(connection, account);
  await forgetPerson(connection, id);
  await connection.deleteFrom('pending_evaluations').where('account_id', '=', id).execute();
  await removeAccount(connection, id);
  // Jobs come last, because other transactions lock them last too. They come before lookups, because a lookup that
  // starts between the two statements then leaves only a job without its row in `lookups`, which ends by itself.
  await sql`select graphile_worker.remove_job(key) from unnest(${keys}::text[]) as key`.execute(connection);
  await sql`
    delete from lookups
    where key = any(${keys}) or starts_with(key, ${`collect_repository ${id}/`})`.execute(connection);
  for (const owner of owners) await announce(connection, { kind: 'account', key: owner });
  await announce(connection, { kind: 'account', key: id });
  await announce(connection, { kind: 'erased', key: id });
}

async function findFormerNames(connection: Connection, accountId: string): Promise<string[]> {
  const rows = await connection
    .selectFrom('former_names')
    .select('name_key')
    .where('account_id', '=', accountId)
    .execute();
  return rows.map((row) => row.name_key);
}

async function findEmails(connection: Connection, accountId: string): Promise<string[]> {
  const rows = await connection.selectFrom('identities').select('email').where('account_id', '=', accountId).execute();
  return rows.map((row) => row.email);
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
