import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { Change } from '../../hosts/interface/provider.ts';
import { maxAttempts } from './store.ts';

/** A change, and the provider that delivered it. */
export interface DeliveredChange {
  provider: string;
  change: Change;
}

/** The state of the deliveries about an account and its repositories. */
interface OwnersDeliveries {
  pending: number;
  /** Deliveries that could not be applied and are not tried again. */
  failed: number;
  lastAppliedAt: Date | null;
}

/** The most deliveries of a backlog that are searched for an owner. */
const maxPending = 10_000;

/** Stores for the owners of changed repositories that a delivery about them was applied. */
export async function recordApplied(
  transaction: Connection,
  delivered: readonly DeliveredChange[],
  now: Date,
): Promise<void> {
  const rows = delivered.flatMap(({ provider, change }) => {
    const about = toSubject(change);
    return about === undefined ? [] : [{ provider, ...about }];
  });
  if (rows.length === 0) return;
  await sql`
    with delivered as (
      select provider, owner, repository
      from json_to_recordset(${JSON.stringify(rows)}::json) as t (provider text, owner text, repository text)
    ), owners as (
      select r.owner_id as id from delivered d join repositories r on r.provider = d.provider and r.external_id = d.repository
      union
      select a.id from delivered d join accounts a on a.provider = d.provider and a.external_id = d.owner
    )
    insert into owner_deliveries (account_id, applied_at)
    select id, ${now} from owners order by id
    on conflict (account_id) do update set applied_at = excluded.applied_at`.execute(transaction);
}

/** Counts the pending and failed deliveries about an account and its repositories. */
export async function findOwnersDeliveries(connection: Connection, accountId: string): Promise<OwnersDeliveries> {
  const { rows } = await sql<{ pending: number; failed: number; applied_at: Date | null }>`
    with unapplied as (
      select d.provider, d.changes, d.attempts from deliveries d join accounts a on a.provider = d.provider
      where a.id = ${accountId} and d.applied_at is null order by d.attempts desc, d.received_at limit ${maxPending}
    ), own as (
      select u.attempts >= ${maxAttempts} as is_failed from unapplied u
      where exists (
        select from jsonb_array_elements(u.changes) c join accounts a on a.id = ${accountId}
        where c ->> 'owner' = a.external_id or (c ->> 'type' = 'owned' and c ->> 'account' = a.external_id)
          or exists (
            select from repositories r
            where r.provider = u.provider and r.external_id = c ->> 'repository' and r.owner_id = a.id))
    )
    select count(*) filter (where not is_failed) as pending, count(*) filter (where is_failed) as failed,
      (select applied_at from owner_deliveries where account_id = ${accountId}) as applied_at
    from own`.execute(connection);
  const [row] = rows;
  return { pending: row?.pending ?? 0, failed: row?.failed ?? 0, lastAppliedAt: row?.applied_at ?? null };
}

/**
 * Returns the owner or the repository that a change is about; undefined for changes of an account, of a person's rights
 * or of an installation.
 */
function toSubject(change: Change): { owner: string | null; repository: string | null } | undefined {
  if (change.type === 'account' || change.type === 'administrator' || change.type === 'installation') return undefined;
  if (change.type === 'owned') return { owner: change.account, repository: null };
  return { owner: change.type === 'contributions' ? change.owner : null, repository: change.repository };
}
