import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The id under which sums count each commit of a repository once: `everyAddress` in contributions/languages/store.ts. */
const everyAddress = sql.lit(2_147_483_647);

/** The repositories whose sums one transaction stores. */
const atOnce = 20;

/** Counts languages of a repository by commits, and finds commits that name several addresses. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'commits_of_co_authors',
      on: sql`commits using gin (identity_ids) where cardinality(identity_ids) > 1`,
    },
  },
  {
    backfill: {
      table: 'language_days',
      batch: async (transaction, after) => {
        const { rows } = await sql<{ id: string }>`
          select repository_id as id from repository_totals
          where ${after}::uuid is null or repository_id > ${after}::uuid order by 1 limit ${atOnce}`.execute(
          transaction,
        );
        for (const { id } of rows) {
          await sql`
            update repository_totals set checked_languages = null where repository_id = ${id}::uuid`.execute(
            transaction,
          );
          await sql`
            insert into language_days (repository_id, identity_id, day, language, files, commits)
            select c.repository_id, ${everyAddress}, (c.authored_at at time zone 'UTC')::date, l.key,
              sum(l.value::integer), count(*)
            from commits c cross join jsonb_each_text(c.languages) as l
            where c.repository_id = ${id}::uuid and c.languages is not null group by 1, 3, 4
            on conflict do nothing`.execute(transaction);
          await sql`
            insert into language_sums (repository_id, identity_id, language, files)
            select repository_id, identity_id, language, sum(files) from language_days
            where repository_id = ${id}::uuid and identity_id = ${everyAddress} group by 1, 2, 3
            on conflict do nothing`.execute(transaction);
        }
        return { next: rows.length < atOnce ? null : (rows.at(-1)?.id ?? null), rows: rows.length };
      },
    },
  },
];
