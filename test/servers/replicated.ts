import { chmod, mkdir } from 'node:fs/promises';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { openEmbedded } from '../../src/database/embedded/embedded.ts';
import { createTemplate, onServer, toDatabaseUrl, toUrl } from '../database-server.ts';
import { enterable, postgresPackage, readVersion } from './packages.ts';
import { type Standby, startStandby } from './standby.ts';

/** A PostgreSQL server and a streaming standby of it. */
export interface ReplicatedServer extends AsyncDisposable {
  /** Creates a database with all tables on the primary. @returns its address. */
  create: (name: string) => Promise<string>;
  standby: Standby;
}

/** Starts a server with the version of the test run, and a standby from a copy of its files. */
export async function startReplicatedServer(): Promise<ReplicatedServer> {
  await using stack = new AsyncDisposableStack();
  const temporary = stack.use(await makeTemporaryDirectory());
  const dataDir = temporary.pathOf('server');
  await mkdir(dataDir);
  for (const directory of [temporary.path, dataDir]) await chmod(directory, enterable);
  const root = postgresPackage(readVersion(process.env['TEST_POSTGRES']));
  const primary = await openEmbedded({ dataDir, log: () => {}, postgresPackage: root });
  stack.defer(() => primary.release());
  const primaryUrl = toUrl(primary.connection);
  const template = await createTemplate(primaryUrl);
  const standby = stack.use(await startStandby(primaryUrl, dataDir));
  const opened = stack.move();
  return {
    create: async (name) => {
      await onServer(primaryUrl, `create database ${name} template ${template}`);
      const url = toDatabaseUrl(primaryUrl, name);
      await standby.untilReplayed(url);
      return url;
    },
    standby,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
