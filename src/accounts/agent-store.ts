import { type RawBuilder, sql } from 'kysely';
import { agents } from './agents.ts';

/**
 * Returns SQL that is true for an account of a program that writes with people.
 * @param accounts the name or alias of the table of accounts.
 */
export function isAgentInSql(accounts: string): RawBuilder<boolean> {
  const names = agents.map(({ provider, name }) => `${provider}/${name}`);
  return sql<boolean>`(
    ${sql.ref(`${accounts}.provider`)} || '/' || lower(${sql.ref(`${accounts}.name`)}) = any(${names}::text[]))`;
}
