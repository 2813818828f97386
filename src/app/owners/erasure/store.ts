import { sql } from 'kysely';
import { endInstallations } from '../../../accounts/installations/store.ts';
import { lookUpJob, refreshJob } from '../../../accounts/jobs.ts';
import { hideSomeRepositories } from '../../../accounts/repositories/hide-store.ts';
import { removeFormerNames } from '../../../accounts/store.ts';
import { emptyAccount } from '../../../accounts/visibility/erase-store.ts';
import { addOptedOutEmails, addOptedOutNames, addOptOuts } from '../../../accounts/visibility/opt-out-store.ts';
import { eraseAddresses } from '../../../contributions/items/identity-store.ts';
import { calendarJob, collectJob, fetchReportedTotalsJob } from '../../../contributions/items/jobs.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import { takeErasureLock } from '../../../database/schema/erasure.ts';
import type { Account } from '../../../model/account.ts';

/** The most repositories that are hidden together with their owner. */
const hiddenAtOnce = 100;
/** The most addresses that are opted out together with their owner. */
const addressesAtOnce = 100;
/** The most former names that are opted out together with the present one. */
const namesAtOnce = 100;

/**
 * Begins the erasure of an account: hides it with all that belongs to it, removes its name and its facts, and stores an opt-out
 * so that it is not fetched again before its owner returns. `eraseNext` removes the rest. Commits in other owners' repositories
 * stay counted there, without an account. Must run in a transaction.
 */
export async function beginErasure(transaction: Connection, account: Account, now: Date): Promise<void> {
  await takeErasureLock(transaction);
  const { id, provider, externalId } = account;
  const personKey = await addOptOuts(transaction, provider, { externalId, names: [account.name] }, now);
  await hideSomeRepositories(transaction, id, { limit: hiddenAtOnce, now });
  // A trigger announces the owners whose lists show the account. From here on readers of awards leave out those of the account
  // (`keptAwards`), none is stored or announced any more, and signed credentials read as revoked.
  await emptyAccount(transaction, id, now, personKey);
  const person = { id, provider, personKey };
  await optOutAddresses(transaction, person, { limit: addressesAtOnce, now });
  const names = await optOutFormerNames(transaction, person, { limit: namesAtOnce, now });
  await endInstallations(transaction, account, now);
  const jobs = [refreshJob(id), collectJob(id), fetchReportedTotalsJob(id), calendarJob(id)].map(({ key }) => key);
  // Jobs come last, because other transactions lock them last too, also after the lookup of the same key.
  await deleteJobs(transaction, [...toLookUpKeys(provider, [account.name, ...names]), ...jobs]);
  await announce(transaction, { kind: 'account', key: id });
}

/** Returns the keys of the jobs that look up names. */
function toLookUpKeys(provider: string, names: readonly string[]): string[] {
  return names.map((name) => lookUpJob({ provider, name }).key);
}

/** Removes jobs by their keys, and the lookups that they are for. */
async function deleteJobs(transaction: Connection, keys: readonly string[]): Promise<void> {
  const inOrder = keys.toSorted();
  await sql`
    delete from lookups where key = any(array(
      select key from lookups where key = any(${inOrder}) order by key for update))`.execute(transaction);
  await sql`select graphile_worker.remove_job(key) from unnest(${inOrder}::text[]) as key`.execute(transaction);
}

/** A person who is being erased, with the key of the opt-out. */
interface OptedOut {
  id: string;
  provider: string;
  personKey: Buffer;
}

/**
 * Removes some former names of a person who has opted out, so that they are not looked up again. Must run in a transaction that
 * holds the erasure lock.
 * @returns these names.
 */
async function optOutFormerNames(
  transaction: Connection,
  { id, provider, personKey }: OptedOut,
  { limit, now }: { limit: number; now: Date },
): Promise<string[]> {
  const names = await removeFormerNames(transaction, id, limit);
  await addOptedOutNames(transaction, provider, { personKey, names }, now);
  return names;
}

/**
 * Does the same, and removes the jobs that look up these names.
 * @returns how many names.
 */
export async function deleteFormerNames(
  transaction: Connection,
  person: OptedOut,
  options: { limit: number; now: Date },
): Promise<number> {
  const names = await optOutFormerNames(transaction, person, options);
  await deleteJobs(transaction, toLookUpKeys(person.provider, names));
  return names.length;
}

/** SQL for the account that the key of a lookup names, as in the index `lookups_account`. */
const accountOfLookup = sql`substring(key from ' ([0-9a-f]{8}-[0-9a-f-]{27})')`;

/** Deletes some lookups for an account, such as those of its repositories. Their jobs end at once. @returns how many. */
export function deleteLookups(connection: Connection, accountId: string, limit: number): Promise<number> {
  const where = sql`${accountOfLookup} = ${accountId}`;
  return deleteSome(connection, 'lookups', { where, orderBy: accountOfLookup, limit });
}

/** Deletes some pending evaluations of an account, which earns nothing any more. @returns how many. */
export function deleteEvaluations(connection: Connection, accountId: string, limit: number): Promise<number> {
  const where = sql`account_id = ${accountId}`;
  return deleteSome(connection, 'pending_evaluations', { where, orderBy: sql`account_id`, limit });
}

/**
 * Erases some addresses of a person who has opted out, so that they are not stored again. Must run in a transaction that holds
 * the erasure lock.
 * @returns how many.
 */
export async function optOutAddresses(
  transaction: Connection,
  { id, provider, personKey }: OptedOut,
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
