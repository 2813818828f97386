import { type RawBuilder, sql } from 'kysely';

/**
 * Returns SQL that is true when an account is public: its host has it and shows it, and its owner does not hide it.
 * @param accounts the name or alias of the table of accounts.
 */
export function isShownInSql(accounts: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${accounts}.${name}`);
  return sql<boolean>`(${column('deleted_at')} is null and not ${column('hidden')} and not ${column('hidden_by_host')})`;
}
