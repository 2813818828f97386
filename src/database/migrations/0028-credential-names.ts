import { type Kysely, sql } from 'kysely';

/** Renames the columns, and the fields of stored JSON, that hold the name of a credential. */

const tables = ['repositories', 'reported_totals', 'installations'];
const [formerStart, presentStart] = ['{"access":', '{"credentialName":'];

const statements = [
  ...tables.map((table) => sql`alter table ${sql.id(table)} rename column access to credential_name`),
  // An interrupted listing continues with the same credential.
  sql`
    update accounts set listing_cursor = ${presentStart}::text || substr(listing_cursor, ${formerStart.length + 1}::integer)
    where starts_with(listing_cursor, ${formerStart})`,
  sql`
    update deliveries set changes = (
      select jsonb_agg(
        case when change ? 'access'
          then change - 'access' || jsonb_build_object('credentialName', change -> 'access')
          else change end
        order by position)
      from jsonb_array_elements(changes) with ordinality as c (change, position))
    where applied_at is null and changes @> '[{"what": "installation"}]'`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
