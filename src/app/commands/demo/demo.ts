import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThisMachine } from '../../../accounts/access/sessions/session.ts';
import { findByName } from '../../../accounts/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import { type Config, readConfig } from '../../config/config.ts';
import type { Io } from '../io.ts';
import { importSample, sampleTime } from '../sample.ts';
import { runService } from '../serve.ts';
import { dateChangesBack } from './date-back-store.ts';
import { listenAsStandIn } from './routes.ts';
import { StandIn, type StandInPerson } from './stand-in.ts';

/** The host of the sample's accounts. */
const host = 'github';
/** The people as whom a visitor can sign in, and the organizations that they administer. */
const cast: Readonly<Record<string, readonly string[]>> = {
  'sample-ada': ['sample-garden'],
  'sample-mira': ['sample-harbour'],
  'sample-robin': [],
};

/** `plaudit demo`: serves the sample from a temporary data directory, which is removed at the end. */
export async function demo(io: Io): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-demo-'));
  try {
    const embedded = {
      DATA_DIR: dataDir,
      WORKERS: '1',
      DATABASE_URL: undefined,
      DATABASE_URL_FILE: undefined,
      DATABASE_DIRECT_URL: undefined,
      DATABASE_DIRECT_URL_FILE: undefined,
      DATABASE_REPLICA_URL: undefined,
      DATABASE_REPLICA_URL_FILE: undefined,
    };
    const environment = { SITE_EXAMPLE: `${host}/sample-ada`, ...io.environment, ...embedded };
    const config = readConfig(environment);
    io.print('Preparing the demonstration; this takes some seconds.');
    const people = await importSample(config, { warn: () => {} }, prepareDemo);
    const offset = sampleTime - Date.now();
    const now = (): Date => new Date(Date.now() + offset);
    await using standIn = canSignIn(config) ? await openStandIn(people, now) : undefined;
    await runService(config, io, {
      environment,
      examples: ['/', '/github/sample-garden', ...(standIn ? ['/settings'] : [])],
      now,
      ...(standIn && { changeProvider: standIn.changeProvider }),
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts a stand-in for the host of the sample. The service has to be started with the returned `changeProvider`. */
export async function openStandIn(
  people: readonly StandInPerson[],
  now: () => Date,
): Promise<AsyncDisposable & { changeProvider: (provider: Provider) => Provider }> {
  const standIn = new StandIn(people);
  const listening = await listenAsStandIn(standIn);
  return {
    changeProvider: (provider) =>
      provider.name === host ? standIn.replaceParts(provider, listening.origin, now) : provider,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

/**
 * Returns whether visitors can sign in: only when the service listens on this machine alone, because they need no
 * password.
 */
export function canSignIn({ host: address, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  const hostname = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const bracketed = address.includes(':') ? `[${address}]` : address;
  return isThisMachine(bracketed) && (hostname === undefined || isThisMachine(hostname));
}

/** Prepares an imported sample for a clock that begins when the sample was made. */
export async function prepareDemo(connection: Connection): Promise<StandInPerson[]> {
  await dateChangesBack(connection, new Date(sampleTime));
  return findCast(connection);
}

/** Finds the people of the sample as whom a visitor can sign in. */
export async function findCast(connection: Connection): Promise<StandInPerson[]> {
  const find = async (name: string) => {
    const found = await findByName(connection, host, name);
    if (found?.state !== 'present') throw new Error(`the sample has no account ${name}`);
    return found.account;
  };
  return Promise.all(
    Object.entries(cast).map(async ([name, organizations]) => ({
      account: await find(name),
      administers: await Promise.all(organizations.map(find)),
    })),
  );
}
