import { Client } from 'pg';

/** Lets the server look for a deadlock after each short wait, so that cycles do not end by themselves before. */
export async function shortenDeadlocks(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`alter database ${client.database} set deadlock_timeout = '20ms'`);
  } finally {
    await client.end();
  }
}

/** Sessions report deadlocks by their end. */
export async function countDeadlocks(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ deadlocks: number }>(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.deadlocks ?? Number.NaN;
  } finally {
    await client.end();
  }
}
