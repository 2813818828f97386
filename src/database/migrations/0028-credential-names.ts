import { type Kysely, sql } from 'kysely';

/** Renames the columns, and the fields of stored JSON, that hold the name of a credential. */

const tables = ['repositories', 'reported_totals', 'installations'];
const [former, present] = ['{"access":', '{"credentialName":'];

const statements = [
  ...tables.map((table) => sql`alter table ${sql.id(table)} rename column access to credential_name`),
  // A listing that was interrupted continues in the view of the same credential.
  sql`
    update accounts set listing_cursor = ${present}::text || substr(listing_cursor, ${former.length + 1}::integer)
    where starts_with(listing_cursor, ${former})`,
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
