import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { announce } from '../../database/listener.ts';

/** What an owner decides about their account. */
export interface OwnerSettings {
  /** Everybody may see the numbers of private contributions. */
  publishesPrivate: boolean;
  /** Nobody else is shown that there is such an account. */
  hidden: boolean;
}

/** Changes what is given, and tells all nodes. Of those in whose lists the account is a trigger tells. */
export async function changeSettings(
  connection: Connection,
  accountId: string,
  changes: Partial<OwnerSettings>,
): Promise<OwnerSettings> {
  const row = await connection
    .updateTable('accounts')
    .set({
      ...(changes.hidden !== undefined && { hidden: changes.hidden }),
      ...(changes.publishesPrivate !== undefined && { publishes_private: changes.publishesPrivate }),
    })
    .where('id', '=', accountId)
    .returning(['hidden', 'publishes_private'])
    .executeTakeFirstOrThrow();
  await announce(connection, { kind: 'account', key: accountId });
  return { hidden: row.hidden, publishesPrivate: row.publishes_private };
}

/** Who owns what an account contributed to: in their listings it is named. */
export async function findOwnersContributedTo(connection: Connection, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ owner_id: string }>`
    select distinct r.owner_id
    from contributor_totals t join repositories r on r.id = t.repository_id
    where t.account_id = ${accountId} order by 1`.execute(connection);
  return rows.map((row) => row.owner_id);
}
