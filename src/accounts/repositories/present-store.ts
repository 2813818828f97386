import { type RawBuilder, sql } from 'kysely';

/**
 * Returns SQL that is true when a repository is present: neither hidden nor deleted. A private repository counts as
 * hidden from the moment at which its credential is withdrawn, long before its own row says so.
 * @param repositories the name or alias of the table of repositories.
 */
export function isPresentInSql(repositories: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${repositories}.deleted_at`)} is null and not ${isWithdrawnInSql(repositories)})`;
}

/** Returns SQL that is true when a repository is present and public, for which no credential has to be read. */
export function isPublicInSql(repositories: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${repositories}.deleted_at`)} is null and not ${sql.ref(`${repositories}.is_private`)})`;
}

/** Returns SQL that is true when a repository is private and its credential is withdrawn. */
export function isWithdrawnInSql(repositories: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${repositories}.${name}`);
  return sql<boolean>`(${column('is_private')} and exists (
    select from withdrawn_credentials w
    where w.provider = ${column('provider')} and w.credential_name = ${column('credential_name')}))`;
}
