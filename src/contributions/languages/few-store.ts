import { sql } from 'kysely';
import { isPublicInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import { findAddresses, isOfPerson, type LanguageSum, maxLanguages } from './store.ts';

/** The most sums that `findFewLanguages` reads: those of nearly all people, in about a millisecond. */
const fewSums = 2000;

/**
 * Sums the public languages of a person as `findLanguages` does, unless there are more than a request reads together
 * with its other parts, or the person has several addresses.
 * @returns undefined where there are more.
 */
export async function findFewLanguages(connection: Connection, accountId: string): Promise<LanguageSum[] | undefined> {
  const addresses = await findAddresses(connection, accountId);
  // A commit may name several addresses of a person; then the sums count it several times.
  if (addresses.length > 1) return undefined;
  // Of a language, the sum is null where all that was read is of repositories that are not shown.
  const { rows } = await sql<{ language: string; files: number | null; read: number }>`
    select ${pointRead} d.language, sum(d.files) filter (where r.id is not null)::float8 as files, count(*)::integer as read
    from (
      select d.repository_id, d.language, d.files from language_sums d
      where ${isOfPerson(accountId)} limit ${fewSums + 1}) d
    left join repositories r on r.id = d.repository_id and ${isPublicInSql('r')} and not r.is_fork
    group by d.language order by files desc nulls last, d.language`.execute(connection);
  if (rows.reduce((sum, { read }) => sum + read, 0) > fewSums) return undefined;
  return rows.flatMap(({ language, files }) => (files === null ? [] : [{ language, files }])).slice(0, maxLanguages);
}
