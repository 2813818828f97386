import { type RawBuilder, sql } from 'kysely';

/**
 * SQL for the ids of accounts that are being erased, which are few at any time. As an array it is read once in each statement
 * and leaves the plan as it is: with an anti join, a page of awards read all awards of the account.
 */
const accountsBeingErased = sql`array(select id from accounts where erased_at is not null)`;

/** SQL that is true for the rows of `awards` whose account is being erased. */
export const isOfErased = sql<boolean>`account_id = any(${accountsBeingErased})`;

/**
 * Returns SQL for a table of all awards except those of accounts that are being erased: steps of the erasure delete these
 * rows, but no reader may show them from its beginning on. All readers of awards use it, or `allAwards`.
 */
export function keptAwards(alias: string): RawBuilder<unknown> {
  return sql`(select * from awards where account_id <> all(${accountsBeingErased})) ${sql.id(alias)}`;
}

/**
 * Returns SQL for a table of all awards, for statements that show none of an account that is being erased: they require that its
 * account is shown, which an account that is being erased is not, or only leave out what an account has earned.
 */
export function allAwards(alias: string): RawBuilder<unknown> {
  return sql`awards ${sql.id(alias)}`;
}
