import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { generateWorld } from '../../../simulators/world/generate.ts';
import type { Random } from '../../../simulators/world/random.ts';
import type { World } from '../../../simulators/world/world.ts';
import { findByName } from '../../../src/accounts/store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { readWindow, type Window } from '../../../src/model/windows/window.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { storeWorld } from '../http/stored-world.ts';

/** Stores what only installed repositories have: the stars, and when replies to discussions were accepted. */
async function storeMoments(connection: Connection, world: World): Promise<void> {
  const stored = await connection
    .selectFrom('repositories')
    .select(['id', 'external_id as externalId', 'stars'])
    .execute();
  for (const { id: repositoryId, externalId, stars: total } of stored) {
    const repository = world.repositories.find(({ id }) => String(id) === externalId) ?? assert.fail();
    const discussions = repository.discussions.map(({ id, answerChosenAt }) => ({ id, at: answerChosenAt }));
    await sql`
      update contributions c set answered_at = d.at
      from json_to_recordset(${JSON.stringify(discussions)}) as d (id text, at timestamptz)
      where c.repository_id = ${repositoryId} and c.kind = 'discussion' and c.external_id = d.id`.execute(connection);
    const stars = world.starsOf(repository).map(({ accountId, starredAt }) => ({ id: accountId, at: starredAt }));
    await sql`
      insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
      select ${repositoryId}::uuid, 'star', s.id, null, s.at, s.at, s.at
      from json_to_recordset(${JSON.stringify(stars)}) as s (id text, at timestamptz)`.execute(connection);
    await sql`
      update repository_totals set stars = ${total} where repository_id = ${repositoryId}`.execute(connection);
  }
}

/** Stores a simulated world with everything that windows count, in a database of its own. */
export async function openWorld(options: { now: Date; seed?: number; repositories?: number }) {
  const { now, seed = 1, repositories = 2 } = options;
  const opened = await openTestDatabase();
  // Each repository takes 20 ms, and one commit in it adds nothing that other repositories lack.
  const busyRepositories = isThorough ? 120 : 12;
  const world = await generateWorld({ seed, size: 'small', now: () => now, repositories, busyRepositories });
  const { connection } = opened.database;
  await storeWorld(connection, world, now);
  await storeMoments(connection, world);
  return { opened, world, connection };
}

const timeZones = [
  'UTC',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
];
/** Days on which clocks change in one of them. */
const changesOfClocks = [
  '2025-03-30',
  '2025-04-06',
  '2025-10-26',
  '2025-11-02',
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
];

/** Returns a window of days of a time zone, or of instants, maybe open on a side. */
export function randomWindow(random: Random, now: Date): Pick<Window, 'since' | 'until'> {
  const moments = Array.from({ length: 2 }, () => {
    const at = new Date(now.getTime() - random.integer(0, 900) * 86_400_000 - random.integer(0, 86_400) * 1000);
    return random.integer(0, 3) === 0
      ? random.pick(changesOfClocks)
      : at.toISOString().slice(0, random.pick([10, 10, 10, 19]));
  });
  const [first = '', last = ''] = moments.toSorted().map((text) => (text.length > 10 ? `${text}Z` : text));
  const window = readWindow(
    {
      time_zone: random.pick(timeZones),
      since: random.integer(0, 4) === 0 ? undefined : first,
      until: random.integer(0, 4) === 0 ? undefined : last,
    },
    now,
  );
  return { since: window?.since ?? null, until: window?.until ?? null };
}

export async function findId(connection: Connection, login: string): Promise<string> {
  const holder = await findByName(connection, 'github', login);
  return holder?.account.id ?? assert.fail(login);
}
