import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';

/**
 * Ends the installations of an account, and replaces what names the account in them by the id with which `eraseInstallations`
 * finds them. There are few, because a host installs an app once for each account. Must run in the transaction that empties the
 * account.
 */
export async function endInstallations(
  transaction: Connection,
  { id, provider, externalId }: { id: string; provider: string; externalId: string },
  now: Date,
): Promise<void> {
  await transaction
    .updateTable('installations')
    .set({ removed_at: now, account_external_id: `erased ${id}`, account_name: '' })
    .where('provider', '=', provider)
    .where('account_external_id', '=', externalId)
    .execute();
  await announce(transaction, { kind: 'installations', key: provider });
}

/**
 * Deletes some rows about the installations of an account that is being erased: first those of the repositories that they
 * covered.
 * @returns how many; 0 when none are left, or others hold the rest.
 */
export function eraseInstallations(
  connection: Connection,
  { id: accountId, provider }: { id: string; provider: string },
  limit: number,
): Promise<number> {
  return inTransaction(connection, async (transaction) => {
    // The lock keeps the owner's return from making it a living installation meanwhile.
    const { rows } = await sql<{ id: string }>`
      select id from installations where provider = ${provider} and account_external_id = ${`erased ${accountId}`}
      limit 1 for update skip locked`.execute(transaction);
    const [found] = rows;
    if (found === undefined) return 0;
    const covered = await deleteSome(transaction, 'covered_repositories', {
      where: sql`provider = ${provider} and installation_id = ${found.id}`,
      orderBy: sql`provider, installation_id`,
      limit,
    });
    if (covered > 0) return covered;
    await transaction.deleteFrom('installations').where('provider', '=', provider).where('id', '=', found.id).execute();
    return 1;
  });
}
