import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The repositories whose streams one transaction changes. */
const atOnce = 1000;

/** Stores since when a stream fails. Of failures before, only the last one is known. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table streams add column failing_since timestamptz`] },
  {
    backfill: {
      table: 'streams',
      batch: async (transaction, after) => {
        const { rows } = await sql<{ id: string }>`
          select id from repositories where ${after}::uuid is null or id > ${after}::uuid order by id limit ${atOnce}`.execute(
          transaction,
        );
        const { numAffectedRows = 0n } = await sql`
          update streams set failing_since = failed_at
          where repository_id = any(${rows.map(({ id }) => id)}::uuid[]) and failed_at is not null
            and failing_since is null`.execute(transaction);
        return { next: rows.length < atOnce ? null : (rows.at(-1)?.id ?? null), rows: Number(numAffectedRows) };
      },
    },
  },
];
