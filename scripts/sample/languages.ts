import { sql } from 'kysely';
import { recountLanguages } from '../../src/contributions/languages/recount-store.ts';
import type { Connection } from '../../src/database/connections/connection.ts';
import { inTransaction } from '../../src/database/connections/transaction.ts';
import { privateRepositories, repositories } from './community.ts';

/** A language that some commits change too, by the first one of their repository. */
const further: Readonly<Record<string, string>> = { TypeScript: 'CSS', Rust: 'Shell', Go: 'Shell', Python: 'HTML' };

/**
 * Stores languages of the commits, as if their paths had been read: each changes files of its repository's language, and
 * some also of another one.
 */
export async function storeLanguages(connection: Connection): Promise<void> {
  for (const { path, language } of [...repositories, ...privateRepositories]) {
    const [owner, name] = path.split('/');
    const { rows } = await sql<{ id: string }>`
      update repositories r set needs = array_append(r.needs, 'commit_languages') from accounts a
      where a.id = r.owner_id and a.name = ${owner} and r.name = ${name} returning r.id`.execute(connection);
    for (const { id } of rows) {
      await sql`
        update commits set languages = jsonb_build_object(${language}::text, 1 + get_byte(oid, 0) % 4)
          || case when get_byte(oid, 1) % 3 = 0 then jsonb_build_object(${further[language]}::text, 1) else '{}' end
        where repository_id = ${id}`.execute(connection);
      await inTransaction(connection, (transaction) => recountLanguages(transaction, id, { from: null, until: null }));
    }
  }
}
