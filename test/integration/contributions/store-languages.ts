import { sql } from 'kysely';
import { recountLanguages } from '../../../src/contributions/languages/recount-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';

/** Stores languages of all commits, as if the paths of their files had been read. */
export async function storeLanguages(connection: Connection): Promise<void> {
  await sql`
    update repositories set needs = needs || '{commit_languages}'::text[]
    where not 'commit_languages' = any(needs)`.execute(connection);
  await sql`
    update commits set languages = case get_byte(oid, 0) % 3
      when 0 then '{"TypeScript": 2}'::jsonb when 1 then '{"C++": 1, "TypeScript": 3}' else '{"Jupyter Notebook": 1}' end`.execute(
    connection,
  );
  const { rows } = await sql<{ id: string }>`select id from repositories`.execute(connection);
  for (const { id } of rows)
    await inTransaction(connection, (transaction) => recountLanguages(transaction, id, { from: null, until: null }));
}
