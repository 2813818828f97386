import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { fixedStatement, pointRead } from '../../database/point-reads.ts';
import { isPresentInSql } from '../../repositories/present-store.ts';
import { isOfPerson, type LanguageSum, maxLanguages } from './store.ts';

/** The most sums that `findFewLanguages` reads: those of nearly all people, in about a millisecond. */
const fewSums = 2000;

/**
 * Sums the public languages of a person as `findLanguages` does, unless there are more than a request reads together
 * with its other parts.
 * @returns undefined where there are more.
 */
export async function findFewLanguages(connection: Connection, accountId: string): Promise<LanguageSum[] | undefined> {
  const rows = await readFewSums(connection, { accountId });
  return rows.some(({ isCut }) => isCut)
    ? undefined
    : rows.flatMap(({ language, files }) => (language === null ? [] : [{ language, files }]));
}

const readFewSums = fixedStatement<{ accountId: string }, { isCut: boolean; language: string | null; files: number }>(
  (value) => sql`
    with own as (
      select ${pointRead} repository_id, language, sum(files) as files, count(*) as read from (
        select d.repository_id, d.language, d.files from language_sums d
        where ${isOfPerson(value('accountId'))} limit ${fewSums + 1}) d
      group by repository_id, language
    ), sums as (
      select d.language, sum(d.files)::float8 as files from own d join repositories r on r.id = d.repository_id
      where not r.is_private and ${isPresentInSql('r')} group by d.language
    )
    select c."isCut", s.language, s.files
    from (select coalesce(sum(read), 0) > ${fewSums} as "isCut" from own) c left join sums s on not c."isCut"
    order by s.files desc, s.language limit ${maxLanguages}`,
);
