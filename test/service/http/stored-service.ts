import { Registry } from 'prom-client';
import type { Simulator, SimulatorOptions } from '../../../simulators/github/simulator.ts';
import { generateWorld } from '../../../simulators/world/generate.ts';
import { endWork, type Service } from '../../../src/app/app.ts';
import type { Config } from '../../../src/app/config/config.ts';
import { type AppOptions, type Core, type CoreOptions, openCore } from '../../../src/app/core.ts';
import { createApp, openImages } from '../../../src/app/create-app.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { formatUrl, serveMetrics } from '../../../src/http/server/listen.ts';
import { createTestDatabase, shareDatabase, type TestDatabase } from '../../database.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../e2e/service.ts';
import { type SharedService, shareService } from '../../e2e/shared-service.ts';
import { storeWorld } from '../../integration/http/stored-world.ts';

/** The number of repositories of the organization in the stored world. */
export const storedRepositories = 1;

/**
 * Starts the web application with its database, caches and listener for changes, and without workers: no job runs, so
 * that every response comes from stored data.
 */
async function startWithoutWorkers(config: Config, options: CoreOptions): Promise<Service> {
  return (await openWithoutWorkers(config, options)).service;
}

/** Starts the web application without workers. @returns it with the parts of which it consists. */
export async function openWithoutWorkers(
  config: Config,
  { log, progressEveryMs, ...options }: CoreOptions,
): Promise<{ service: Service; core: Core; registry: Registry }> {
  await using stack = new AsyncDisposableStack();
  const registry = new Registry();
  const core = await openCore(config, { log, ...options, isMigrated: true });
  stack.defer(() => core.close());
  const metrics = await serveMetrics(registry, config.metricsHost, config.metricsPort);
  stack.defer(() => metrics.close());
  const images = await openImages(config, core, log);
  stack.defer(() => images.close());
  const app = await createApp(config, core, { log, now: core.now, registry, images, progressEveryMs });
  // Connections that do not end are closed, as when the whole service stops.
  stack.defer(() => endWork({ app }, core));
  await app.listen({ host: config.host, port: config.port });
  const opened = stack.move();
  const service = {
    url: formatUrl(config.host, app.server.address()),
    metricsUrl: metrics.url,
    database: core.database,
    providers: core.providers,
    catchUp: () => core.listener.catchUp(),
    close: () => opened.disposeAsync(),
  };
  return { service, core, registry };
}

const unreachable = { url: 'http://127.0.0.1:9', apiUrl: 'http://127.0.0.1:9/api', tokens: {} as never };

/** The time, in ms, for which tests copy the same world of the present: an hour later, its data is due for a refresh. */
const presentMs = 600_000;
/** Databases that hold a world, by the time of the data, as far as this process has copied them. */
const worlds = new Map<string, Promise<Pick<TestDatabase, 'url'>>>();

async function fillWithWorld(databaseUrl: string, now: Date): Promise<void> {
  const database = await openUnchanged({ databaseUrl, dataDir: '/nonexistent', log: () => {} });
  const world = await generateWorld({ seed: 1, size: 'small', now: () => now, repositories: storedRepositories });
  await storeWorld(database.connection, world, now);
  await database.close();
}

/**
 * Creates a database that holds the world of a simulator with `storedRepositories`, as it is at a time. Storing it takes as
 * long as many tests, so that all processes copy the same one.
 */
async function copyWorldDatabase(now: Date | undefined): Promise<TestDatabase> {
  const title = now === undefined ? `world_in_${Math.floor(Date.now() / presentMs)}` : `world_${now.getTime()}`;
  const template = worlds.get(title) ?? shareDatabase(title, (url) => fillWithWorld(url, now ?? new Date()));
  worlds.set(title, template);
  return createTestDatabase({ copyOf: await template });
}

export interface StoredServiceOptions extends Omit<TestServiceOptions, 'simulator' | 'start'> {
  /** The host, which only proves ownership; default: none is reachable. */
  simulator?: Pick<Simulator, 'url' | 'apiUrl' | 'tokens'>;
  /** True: the world of a simulator with `storedRepositories` is stored. */
  holdsWorld?: boolean;
  /** Observes the pools of connections. */
  observePool?: CoreOptions['observePool'];
}

/** Starts the web application on a database, by default an empty one, without workers. */
export async function startStoredService(options: StoredServiceOptions = {}): Promise<TestService> {
  const { simulator = unreachable, holdsWorld = false, observePool, ...rest } = options;
  await using stack = new AsyncDisposableStack();
  const database = holdsWorld ? { databaseUrl: stack.use(await copyWorldDatabase(options.now?.())).url } : {};
  // No job ends a lookup, so that requests for unknown names wait as long as they may, here for the shortest time.
  const settings = { LOOKUP_BUDGET_MS: '100', ...rest.settings };
  const start = (config: Config, given: AppOptions): Promise<Service> =>
    startWithoutWorkers(config, { ...given, ...(observePool && { observePool }) });
  const started = { tokens: [], ...rest, ...database, settings, simulator, start };
  const service = stack.use(await startTestService(started));
  const opened = stack.move();
  return { ...service, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/**
 * Starts a simulated GitHub, which only proves ownership, and a web application that holds its world, before the first
 * test of the surrounding suite, and ends them after the last one.
 */
export function shareStoredService(
  options: { simulator?: Partial<SimulatorOptions>; service?: StoredServiceOptions } = {},
): SharedService {
  return shareService({
    simulator: { ...options.simulator, repositories: storedRepositories },
    start: (simulator) => startStoredService({ holdsWorld: true, ...options.service, simulator }),
  });
}
