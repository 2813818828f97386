import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The repositories whose sums one transaction stores. */
const atOnce = 20;

/** The changed files of each language over all days, which pages of people read. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table language_sums (
          repository_id uuid not null,
          identity_id integer not null,
          language text not null,
          files integer not null,
          primary key (repository_id, identity_id, language)
        )`,
      sql`create index language_sums_people on language_sums (identity_id)`,
    ],
  },
  {
    backfill: {
      table: 'language_sums',
      batch: async (transaction, after) => {
        const { rows } = await sql<{ id: string }>`
          select distinct repository_id as id from language_days
          where ${after}::uuid is null or repository_id > ${after}::uuid order by 1 limit ${atOnce}`.execute(
          transaction,
        );
        let stored = 0n;
        for (const { id } of rows) {
          // Other transactions that change the days of the repository hold this lock. A cluster locks one at a time.
          await sql`select from repository_totals where repository_id = ${id}::uuid for no key update`.execute(
            transaction,
          );
          const { numAffectedRows = 0n } = await sql`
            insert into language_sums (repository_id, identity_id, language, files)
            select repository_id, identity_id, language, sum(files) from language_days where repository_id = ${id}::uuid
            group by repository_id, identity_id, language
            on conflict (repository_id, identity_id, language) do update set files = excluded.files`.execute(
            transaction,
          );
          stored += numAffectedRows;
        }
        return { next: rows.length < atOnce ? null : (rows.at(-1)?.id ?? null), rows: Number(stored) };
      },
    },
  },
];
