import { sql } from 'kysely';
import type { Connection } from '../src/database/connections/connection.ts';
import { openPool } from '../src/database/connections/pool.ts';
import { announce } from '../src/database/queue/announcements.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const clients = 32;
const roundMs = sized(3000, 100);
const rounds = sized(5, 1);

type Step = (transaction: Connection, accountId: string) => Promise<unknown>;

const nothing: Step = (transaction) => sql`select 1`.execute(transaction);
const announced: Step = (transaction, key) => announce(transaction, { kind: 'account', key });
const notified: Step = (transaction, key) => sql`select pg_notify('bench', ${key})`.execute(transaction);

/**
 * Measures transactions of many clients that change a row each and announce it, against the same ones that announce
 * nothing, and against NOTIFY.
 */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const pool = openPool(place.database.clientConfig, { maxConnections: clients, statementTimeoutMs: 60_000 });
  try {
    const ids = await addAccounts(pool.connection);
    const ratios: Record<'announced' | 'notified', number[]> = { announced: [], notified: [] };
    let best = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [bare, announcing, notifying] = [
        await perSecond(pool.connection, ids, nothing),
        await perSecond(pool.connection, ids, announced),
        await perSecond(pool.connection, ids, notified),
      ];
      ratios.announced.push(announcing / bare);
      ratios.notified.push(notifying / bare);
      best = Math.max(best, announcing);
    }
    const baseline = `the same transactions without an announcement, ${clients} clients`;
    const detail = `${Math.round(best).toLocaleString('en')} transactions/s at best`;
    return [
      { name: 'announcements', ratio: median(ratios.announced), goal: '>=0.8', baseline, detail },
      { name: 'announcements-notify', ratio: median(ratios.notified), goal: 'none', baseline },
    ];
  } finally {
    await pool.close();
  }
}

async function addAccounts(connection: Connection): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', number, number, 'user', number, now(), now(), now()
    from generate_series(1, ${clients}) number returning id`.execute(connection);
  return rows.map(({ id }) => id);
}

/** Returns the transactions that all clients commit in a second; each changes an account of its own. */
async function perSecond(connection: Connection, ids: readonly string[], step: Step): Promise<number> {
  let committed = 0;
  const begun = performance.now();
  const work = async (id: string): Promise<void> => {
    while (performance.now() - begun < roundMs) {
      await connection.transaction().execute(async (transaction) => {
        await sql`update accounts set updated_at = now() where id = ${id}`.execute(transaction);
        await step(transaction, id);
      });
      committed += 1;
    }
  };
  await Promise.all(ids.map(work));
  return (committed * 1000) / (performance.now() - begun);
}
