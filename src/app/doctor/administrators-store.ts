import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/** The administrators of organizations at one provider who hold keys or embed links. */
export interface HeldAdministrations {
  provider: string;
  administrators: number;
  /** The number of administrators that no credential of the service can check. */
  unchecked: number;
  /** The name of an organization of such an administrator. */
  uncheckedExample: string | null;
  /** The number of administrators whose last confirmation is overdue, though a credential may be able to check them. */
  unanswered: number;
  /** The oldest overdue confirmation. */
  unansweredSince: Date | null;
}

/**
 * Counts the administrators with keys or embed links, by provider.
 * @param before the time before which a confirmation is overdue.
 */
export async function findHeldAdministrations(connection: Connection, before: Date): Promise<HeldAdministrations[]> {
  const overdue = sql`m.can_check is distinct from false and m.confirmed_at < ${before}`;
  const { rows } = await sql<HeldAdministrations>`
    select a.provider, count(*) as administrators, count(*) filter (where m.can_check = false) as unchecked,
      min(a.name) filter (where m.can_check = false) as "uncheckedExample",
      count(*) filter (where ${overdue}) as unanswered,
      min(m.confirmed_at) filter (where ${overdue}) as "unansweredSince"
    from administrators m join accounts a on a.id = m.account_id
    where a.deleted_at is null and (
      exists (select from owner_keys k where k.account_id = m.account_id and k.holder = m.person and k.ended_at is null)
      or exists (select from embeds e where e.account_id = m.account_id and e.holder = m.person and e.ended_at is null))
    group by a.provider order by a.provider`.execute(connection);
  return rows;
}
