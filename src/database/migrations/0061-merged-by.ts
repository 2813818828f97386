import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The account that merged a pull request, so that boards can leave out those that authors merged themselves. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table contributions add column merged_by uuid references accounts on delete set null`] },
  { concurrently: { name: 'contributions_merged_by', on: sql`contributions (merged_by) where merged_by is not null` } },
];
