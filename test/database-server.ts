import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import { v4 as uuidv4 } from 'uuid';
import { openDatabase } from '../src/database/connections/open.ts';
import { type EmbeddedServer, openEmbedded } from '../src/database/embedded/embedded.ts';
import { useMemoryForTemporaryFiles } from './memory-directory.ts';
import { type Cluster, closeDistributed, createDistributed, startCluster } from './servers/citus.ts';
import { enterable, postgresPackage, readVersion } from './servers/packages.ts';
import { startPooler } from './servers/pooler.ts';
import { startStandby } from './servers/standby.ts';

/** Runs one statement on a server. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Returns the address of another database on the same server. */
export function toDatabaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Returns an address for a server that is reached by a socket in a directory. */
export function toUrl({ host, port, user, database }: ClientConfig): string {
  const query = new URLSearchParams({ host: host ?? '', port: String(port ?? ''), user: user ?? '' });
  return `postgresql:///${database ?? ''}?${query.toString()}`;
}

/**
 * Makes delays of jobs of up to 15 seconds twenty times as short. They let bursts of changes be handled once, or let
 * another job end first; their order stays, and tests wait less.
 */
const shortenDelays = `
  create function shorten_delay() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' or new.run_at is distinct from old.run_at then
      new.run_at := now() + (new.run_at - now()) / 20;
    end if;
    return new;
  end $$;
  create trigger shorten_delay before insert or update on graphile_worker._private_jobs for each row
    when (new.run_at > now() and new.run_at < now() + interval '15 seconds') execute function shorten_delay()`;

/** Shortens the delays in a database that a service made, as in those that are copied from the template. */
export async function shortenDelaysFor(databaseUrl: string): Promise<void> {
  await onServer(databaseUrl, shortenDelays);
}

/** Lets the jobs of a test database wait as long as in production. */
export async function restoreDelays(databaseUrl: string): Promise<void> {
  await onServer(databaseUrl, 'drop trigger shorten_delay on graphile_worker._private_jobs');
}

/** Creates a database with all tables, from which test databases are copied. @returns its name. */
export async function createTemplate(serverUrl: string): Promise<string> {
  const name = newName('template');
  await onServer(serverUrl, `create database ${name}`);
  const databaseUrl = toDatabaseUrl(serverUrl, name);
  const database = await openDatabase({ databaseUrl, dataDir: '/nonexistent', log: () => {} });
  await database.close();
  await shortenDelaysFor(toDatabaseUrl(serverUrl, name));
  return name;
}

/** Creates a template whose tables are divided over the workers of a cluster. @returns its name. */
async function createDistributedTemplate(cluster: Cluster): Promise<string> {
  const name = newName('template');
  await shortenDelaysFor(await createDistributed(cluster, name));
  await closeDistributed(cluster, name);
  return name;
}

/** Returns the addresses of the servers that hold the databases of tests: in a Citus cluster, those of its workers too. */
export function serverUrls(serverUrl: string): string[] {
  return process.env['TEST_CITUS_URLS']?.split(' ') ?? [serverUrl];
}

/**
 * Runs work with a PostgreSQL server, the embedded one or the one that DATABASE_URL names, and a template of all
 * tables. TEST_POSTGRES selects the version of the embedded one. TEST_POOLER=1 puts PgBouncer in front of the nodes of
 * tests, and TEST_REPLICA=1 lets them read from a standby of the embedded server. TEST_CITUS=1 divides their tables over
 * the workers of a Citus cluster.
 * @param work gets the environment that processes with tests need.
 */
export async function withTestServer<Result>(
  work: (environment: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  useMemoryForTemporaryFiles();
  const directory = await mkdtemp(join(tmpdir(), 'plaudit-test-'));
  await chmod(directory, enterable);
  await using around = new AsyncDisposableStack();
  const cluster = process.env['TEST_CITUS'] ? around.use(await startCluster()) : undefined;
  const databaseUrl = cluster?.urls[0] ?? (process.env['DATABASE_URL'] || undefined);
  const server = databaseUrl === undefined ? await startServer(directory) : undefined;
  const serverUrl = databaseUrl ?? toUrl(server?.connection ?? {});
  const template = await (cluster === undefined ? createTemplate(serverUrl) : createDistributedTemplate(cluster));
  const environment: Record<string, string> = { TEST_SERVER_URL: serverUrl, TEST_TEMPLATE: template };
  if (cluster !== undefined) environment['TEST_CITUS_URLS'] = cluster.urls.join(' ');
  if (process.env['TEST_POOLER']) {
    environment['TEST_POOLER_URL'] = around.use(await startPooler(serverUrl)).toUrl(serverUrl);
  }
  if (process.env['TEST_REPLICA']) {
    environment['TEST_REPLICA_URL'] = around.use(await startStandby(serverUrl, directory)).urlOf(serverUrl);
  }
  try {
    return await work(environment);
  } finally {
    if (cluster === undefined) await dropTemplates(serverUrl, template);
    await around.disposeAsync();
    await server?.release();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Settings of a server whose databases need not outlive its crash, so that it writes less. */
export const withoutDurability = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

function startServer(dataDir: string): Promise<EmbeddedServer> {
  return openEmbedded({
    dataDir,
    log: () => {},
    postgresPackage: postgresPackage(readVersion(process.env['TEST_POSTGRES'])),
    settings: withoutDurability,
  });
}

/** Drops the template of a run, and the databases that its processes share, whose names begin with that of the template. */
async function dropTemplates(serverUrl: string, template: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [template],
    );
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  } finally {
    await client.end();
  }
}

/** Drops a database, with those of the same name on the workers of a cluster. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  for (const url of serverUrls(serverUrl)) await onServer(url, `drop database if exists ${name} with (force)`);
}

export function newName(prefix: string): string {
  return `${prefix}_${uuidv4().replaceAll('-', '')}`;
}
