import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { isOfErased, keptAwards } from '../../../database/schema/erasure.ts';
import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { issuerId, paths } from '../../signing/issuer.ts';

/** The number of bits of a list, 16 KiB: the minimum that the specification demands for the privacy of holders. */
const listLength = 131_072;
/** Verifiers whose clocks are slow accept a list that is valid from this time before its signature. */
const validBeforeMs = 600_000;

/** The bit of a credential in a status list. */
export interface StatusEntry {
  list: number;
  position: number;
}

/** The number of random positions that are tried in the newest list; when all are taken, a new list begins. */
const drawnAtOnce = 16;
/** The most attempts to store an entry; one fails only when another node takes the same position at the same time. */
const maxAttempts = 5;

/**
 * Returns the entry of an award's credential; the first call creates it at a random position, which shows neither the
 * age nor the number of credentials.
 * @returns undefined when the award was revoked or erased meanwhile.
 */
export async function provideStatusEntry(
  connection: Connection,
  awardId: string,
  randomBytes: (size: number) => Buffer,
): Promise<StatusEntry | undefined> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const entry = await findEntry(connection, awardId);
    if (entry !== undefined) return entry;
    const positions = drawPositions(randomBytes);
    const outcome = await inTransaction(connection, (transaction) => addEntry(transaction, awardId, positions));
    if (outcome === 'no_award') return undefined;
    if (outcome !== 'taken') return outcome;
  }
  throw new Error('no position in a status list could be taken');
}

function drawPositions(randomBytes: (size: number) => Buffer): number[] {
  const bytes = randomBytes(drawnAtOnce * 4);
  return Array.from({ length: drawnAtOnce }, (_, index) => bytes.readUInt32BE(index * 4) % listLength);
}

async function findEntry(connection: Connection, awardId: string): Promise<StatusEntry | undefined> {
  const { rows } = await sql<StatusEntry>`
    select s.list, s.position from credential_statuses s join ${keptAwards('w')} on w.id = s.award_id
    where s.award_id = ${awardId}`.execute(connection);
  return rows[0];
}

async function addEntry(
  transaction: Connection,
  awardId: string,
  positions: readonly number[],
): Promise<StatusEntry | 'taken' | 'no_award'> {
  // With this lock, a revocation or erasure that runs at the same time finds the new entry, or this transaction finds
  // its effect.
  const { rows: awards } = await sql`
    select from ${keptAwards('w')} where id = ${awardId} and revoked_at is null for share`.execute(transaction);
  if (awards.length === 0) return 'no_award';
  const { rows } = await sql<StatusEntry>`
    with newest as (select coalesce(max(list), 0) as list from credential_statuses),
    free as (
      select n.list, d.position, d.place from newest n
      cross join unnest(${positions}::integer[]) with ordinality as d (position, place)
      where not exists (select from credential_statuses s where s.list = n.list and s.position = d.position)
      union all select n.list + 1, ${positions[0]}::integer, ${positions.length + 1} from newest n
    )
    insert into credential_statuses (list, position, award_id)
    select list, position, ${awardId} from free order by place limit 1
    on conflict do nothing returning list, position`.execute(transaction);
  return rows[0] ?? 'taken';
}

/**
 * Revokes the credential of an award, for good: its status is not reversible
 * (https://www.w3.org/TR/vc-bitstring-status-list/). When the award is restored, a new credential gets another entry.
 */
async function revokeCredential(transaction: Connection, awardId: string): Promise<void> {
  await transaction
    .updateTable('credential_statuses')
    .set({ award_id: null })
    .where('award_id', '=', awardId)
    .execute();
}

/** Returns the revoked positions of a list; undefined when there is no such list. */
export async function findRevoked(connection: Connection, list: number): Promise<number[] | undefined> {
  const { rows } = await sql<{ exists: boolean; revoked: number[] }>`
    select count(*) > 0 as exists, coalesce(array_agg(position) filter (
      where award_id is null or award_id in (select id from awards where ${isOfErased})), '{}') as revoked
    from credential_statuses where list = ${list}`.execute(connection);
  return rows[0]?.exists === true ? rows[0].revoked : undefined;
}

/** Returns whether an award exists and is not revoked. */
export async function isAwardStanding(connection: Connection, awardId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${keptAwards('w')} where id = ${awardId} and revoked_at is null`.execute(connection);
  return rows.length > 0;
}

export function statusListUrl(publicUrl: string, list: number): string {
  return `${publicUrl}${paths.statusLists}/${list}`;
}

/**
 * Returns a status list, without proof.
 * @param revoked the positions of credentials that are revoked.
 * https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistcredential
 */
export function statusListCredential(
  { list, revoked }: { list: number; revoked: readonly number[] },
  { publicUrl, now, maxAgeS }: { publicUrl: string; now: Date; maxAgeS: number },
) {
  const url = statusListUrl(publicUrl, list);
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: issuerId(publicUrl),
    validFrom: formatTimestamp(new Date(now.getTime() - validBeforeMs)),
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      ttl: maxAgeS * 1000,
      encodedList: encodeList(revoked),
    },
  };
}

/** Encodes a list: the first bit is the left one, compressed with gzip, as multibase with its mark for base64url. */
function encodeList(revoked: readonly number[]): string {
  const bits = Buffer.alloc(listLength / 8);
  for (const position of revoked)
    bits.writeUInt8(bits.readUInt8(position >> 3) | (0x80 >> (position & 7)), position >> 3);
  return `u${gzipSync(bits).toString('base64url')}`;
}

/**
 * Revokes or restores an award, if it is from a repository that the account owns. A revoked credential stays revoked.
 * @param revocation null to restore the award.
 * @returns `absent` when there is no such award, `same` when it had this state before.
 */
export async function setRevoked(
  transaction: Connection,
  { ownerId, awardId }: { ownerId: string; awardId: string },
  revocation: { at: Date; reason: string } | null,
): Promise<'absent' | 'same' | 'changed'> {
  const { rows } = await sql<{ is_revoked: boolean }>`
    select w.revoked_at is not null as is_revoked
    from ${keptAwards('w')} join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id
    where w.id = ${awardId} and r.owner_id = ${ownerId} for update of w`.execute(transaction);
  const [award] = rows;
  if (award === undefined) return 'absent';
  if (award.is_revoked === (revocation !== null)) return 'same';
  await transaction
    .updateTable('awards')
    .set({ revoked_at: revocation?.at ?? null, revoked_reason: revocation?.reason ?? null })
    .where('id', '=', awardId)
    .execute();
  if (revocation !== null) await revokeCredential(transaction, awardId);
  return 'changed';
}
