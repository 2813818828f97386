import { type RawBuilder, sql } from 'kysely';
import { agents, type PersonType } from '../../model/agents.ts';

/**
 * Returns SQL that is true for the account of an agent (`agents.ts`).
 * @param accounts the name or alias of the table of accounts.
 */
export function isAgentInSql(accounts: string): RawBuilder<boolean> {
  const names = agents.filter(({ provider }) => provider === null).map(({ name }) => name);
  const namesAtHosts = agents.flatMap(({ provider, name }) => (provider === null ? [] : [`${provider}/${name}`]));
  const name = sql`lower(${sql.ref(`${accounts}.name`)})`;
  return sql<boolean>`(
    ${name} = any(${names}::text[]) or ${sql.ref(`${accounts}.provider`)} || '/' || ${name} = any(${namesAtHosts}::text[]))`;
}

/**
 * Returns SQL that is true for an account of a type. An agent counts as one even if it is stored as a user, because it
 * was stored before its entry in the list.
 * @param accounts the name or alias of the table of accounts.
 */
export function isOfTypeInSql(accounts: string, type: PersonType): RawBuilder<boolean> {
  if (type === 'agent') return isAgentInSql(accounts);
  return sql<boolean>`(${sql.ref(`${accounts}.type`)} = ${type} and not ${isAgentInSql(accounts)})`;
}
