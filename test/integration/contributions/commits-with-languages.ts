import { recountRepository } from '../../../bench/recount-repository.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { storeLanguages } from './store-languages.ts';
import { addRepository } from './stored-repository.ts';

/** The commits of a day, each of which has at most two languages. */
export const commitsOfDay = 3;

/** Stores commits of some people on many days, with their languages, all counted. @returns the id of the repository. */
export async function storeCommitsWithLanguages({ connection, pool }: Database, commits: number): Promise<string> {
  const id = await addRepository(connection);
  await pool.query(
    `insert into identities (provider, email) select 'github', 'p' || n || '@x.org' from generate_series(1, 4) n`,
  );
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select $1, decode(md5(n::text), 'hex'), at, at, 1, array[i.id]
     from generate_series(1, ${commits}) n
     cross join lateral (select '2026-05-01T12:00:00Z'::timestamptz - n / ${commitsOfDay} * interval '1 day' as at) t
     join identities i on i.email = 'p' || (n % 4 + 1) || '@x.org'`,
    [id],
  );
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  await storeLanguages(connection);
  return id;
}
