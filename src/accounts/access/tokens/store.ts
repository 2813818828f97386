import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';

/** A time, in ms, longer than the life of any token with the tolerated clock differences. */
const longestLifeMs = 86_400_000 + 300_000;

/** Returns whether the account of a token is stored and not deleted, and the token is not revoked. */
export async function isTokenGood(
  connection: Connection,
  token: { accountId: string; tokenId: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    select from accounts a
    where id = ${token.accountId} and deleted_at is null and not exists (
      select from revoked_tokens r where r.account_id = a.id and r.token_id = ${token.tokenId})`.execute(connection);
  return rows.length > 0;
}

/** Revokes a token of an account, and announces it to all nodes. */
export async function revokeToken(
  connection: Connection,
  { accountId, tokenId, now }: { accountId: string; tokenId: string; now: Date },
): Promise<void> {
  await connection
    .insertInto('revoked_tokens')
    .values({ account_id: accountId, token_id: tokenId, expires_at: new Date(now.getTime() + longestLifeMs) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await announce(connection, { kind: 'account', key: accountId });
}

/** Revokes all tokens of an account that were issued to a person recently enough not to have expired. */
export async function revokeIssuedTo(
  connection: Connection,
  { accountId, person, now }: { accountId: string; person: string; now: Date },
): Promise<void> {
  await sql`
    insert into revoked_tokens (account_id, token_id, expires_at)
    select account_id, token_id, ${new Date(now.getTime() + longestLifeMs)} from audit_entries
    where account_id = ${accountId} and action = 'token_issued' and person = ${person} and token_id is not null
      and at > ${new Date(now.getTime() - longestLifeMs)}
    on conflict do nothing`.execute(connection);
  await announce(connection, { kind: 'account', key: accountId });
}

/** Deletes some revocations of tokens that must have expired by now. @returns how many. */
export function deleteRevocations(connection: Connection, now: Date, limit: number): Promise<number> {
  const where = sql`expires_at <= ${now}`;
  return deleteSome(connection, 'revoked_tokens', { where, orderBy: sql`expires_at`, limit });
}
