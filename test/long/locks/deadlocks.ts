import { Client } from 'pg';

/**
 * Lets the server look for a deadlock after each short wait, so that cycles do not end by themselves before, and write
 * the statements of each into its log.
 */
export async function shortenDeadlocks(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const settings = {
      deadlock_timeout: '20ms',
      log_min_messages: 'error',
      log_min_error_statement: 'error',
      log_error_verbosity: 'default',
    };
    for (const [name, value] of Object.entries(settings))
      await client.query(`alter database ${client.database} set ${name} = '${value}'`);
  });
}

export interface Deadlocks {
  /** The number that the server has found. */
  deadlocks: number;
  /** The statements of each, from the log; none on a server that is not an embedded one. */
  reports: string[];
}

const reportLength = 4000;

/** Finds the deadlocks in a database, which sessions report by their end. */
export function findDeadlocks(url: string): Promise<Deadlocks> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ deadlocks: number; log: string | null }>(
      `select deadlocks::integer, case when deadlocks > 0 then
         pg_read_file('server.log', 0, 100000000, true) end as log
       from pg_stat_database where datname = current_database()`,
    );
    const [{ deadlocks, log } = { deadlocks: Number.NaN, log: null }] = rows;
    const [, ...reports] = (log ?? '').split('deadlock detected');
    return { deadlocks, reports: reports.map((text) => text.slice(0, reportLength)) };
  });
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
