import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Connection } from '../connections/connection.ts';

/** The channel of announcements that a client waits for. */
export const channel = 'plaudit';

const kinds = ['account', 'accounts', 'lookup', 'erased', 'installations', 'withdrawn'] as const;

/**
 * A message to all nodes: stored data of an account or of very many changed, a lookup has an outcome, an account is erased,
 * installations changed, or credentials were withdrawn.
 */
export interface Announcement {
  kind: (typeof kinds)[number];
  /** An account's id, `all` for very many accounts, a lookup's key, or a provider's name. */
  key: string;
}

/**
 * Announces a change to every node, once the surrounding transaction commits. Only outcomes of lookups are sent by
 * NOTIFY: clients wait for them, and there are no more of them than hosts permit requests. See
 * docs/decisions/0010-responses-kept-as-bytes.md.
 */
export async function announce(connection: Connection, { kind, key }: Announcement): Promise<void> {
  if (kind === 'lookup') await sql`select pg_notify(${channel}, ${`${kind} ${key}`})`.execute(connection);
  else await sql`insert into announcements (kind, key) values (${kind}, ${key})`.execute(connection);
}

/** Reads an announcement; undefined when its kind is not known, because nodes of newer releases may announce others. */
export function toAnnouncement(kind: string | undefined, key: string | undefined): Announcement | undefined {
  const known = kinds.find((name) => name === kind);
  return known === undefined || key === undefined ? undefined : { kind: known, key };
}

/** A node that has not read for this time, in s, may have missed announcements that were deleted. */
const missedAfterS = 30;
/** The time, in s, after which every node has read an announcement, or knows that it has missed some. */
export const keptForS = 60;
/**
 * The most announcements of one read. When there are more, a node drops everything that they could concern.
 * `announce_accounts` names no more accounts in one transaction (`max_announced()`).
 */
export const maxAtOnce = 10_000;
/** The most rows that one statement deletes. */
const maxDeleted = 50_000;

/** A position in the stored announcements: all that are visible in `snapshot` were read. */
export interface Position {
  /** A `pg_snapshot`, as text. */
  snapshot: string;
  /** The time of the server at which it was taken, in s. */
  at: number;
  /** The end of the server's log, in bytes; everything that is visible in `snapshot` was written before it. */
  lsn: number;
}

interface PositionRow extends Position {
  announcements: [kind: string, key: string][];
}

const positionColumns = `pg_current_snapshot()::text as snapshot, extract(epoch from clock_timestamp())::float8 as at,
  (pg_current_wal_insert_lsn() - '0/0')::float8 as lsn`;

/** Returns the position behind all committed announcements. */
export async function findPosition(client: Pick<Client, 'query'>): Promise<Position> {
  const { rows } = await client.query<Position>(`select ${positionColumns}`);
  return rows[0] ?? missing();
}

/**
 * Reads the announcements of the transactions that have committed since a position. Snapshots identify them exactly; ids do not,
 * because a transaction can commit after others that have greater ids.
 * @returns the new position, the number of announcements, and the announcements of kinds that this release knows, each once;
 * undefined instead of a list that is too long or may be incomplete.
 */
export async function readAnnouncements(
  client: Pick<Client, 'query'>,
  { snapshot, at }: Position,
): Promise<{ position: Position; count: number; announcements: Announcement[] | undefined }> {
  const { rows } = await client.query<PositionRow>(
    `select ${positionColumns}, (
       select coalesce(json_agg(json_build_array(kind, key)), '[]') from (
         select distinct kind, key from (
           select kind, key from announcements where transaction >= pg_snapshot_xmax($1::pg_snapshot)
           union all
           select kind, key from announcements where transaction = any (array(select pg_snapshot_xip($1::pg_snapshot)))
         ) new limit ${maxAtOnce + 1}
       ) announced) as announcements`,
    [snapshot],
  );
  const { announcements, ...position } = rows[0] ?? missing();
  const isWhole = announcements.length <= maxAtOnce && position.at - at < missedAfterS;
  const known = announcements.flatMap(([kind, key]) => toAnnouncement(kind, key) ?? []);
  return { position, count: announcements.length, announcements: isWhole ? known : undefined };
}

/** Deletes at most `maxDeleted` announcements before a position. All nodes must have read beyond it. */
export async function deleteAnnouncements(client: Pick<Client, 'query'>, { snapshot }: Position): Promise<void> {
  await client.query(
    `delete from announcements where ctid = any (array(
       select ctid from announcements where transaction < pg_snapshot_xmin($1::pg_snapshot) limit ${maxDeleted}))`,
    [snapshot],
  );
}

function missing(): never {
  throw new Error('a query without tables gave no row');
}
