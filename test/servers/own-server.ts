import { chmod, mkdir } from 'node:fs/promises';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { openEmbedded } from '../../src/database/embedded/embedded.ts';
import { onServer, toDatabaseUrl, toUrl, withoutDurability } from '../database-server.ts';
import { enterable, postgresPackage, type Version } from './packages.ts';

/** A PostgreSQL server of one test. */
export interface OwnServer extends AsyncDisposable {
  /** Creates a database. @returns its address, in the form of DATABASE_URL. */
  create: (name: string) => Promise<string>;
}

/** Starts a PostgreSQL server of a version in a directory of its own. */
export async function startOwnServer(version: Version): Promise<OwnServer> {
  await using stack = new AsyncDisposableStack();
  const temporary = stack.use(await makeTemporaryDirectory());
  const dataDir = temporary.pathOf('server');
  await mkdir(dataDir);
  for (const directory of [temporary.path, dataDir]) await chmod(directory, enterable);
  const server = await openEmbedded({
    dataDir,
    log: () => {},
    postgresPackage: postgresPackage(version),
    settings: withoutDurability,
  });
  stack.defer(() => server.release());
  const serverUrl = toUrl(server.connection);
  const opened = stack.move();
  return {
    create: async (name) => {
      await onServer(serverUrl, `create database ${name}`);
      return toDatabaseUrl(serverUrl, name);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
