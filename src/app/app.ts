import type { Database } from '../database/connections/connection.ts';
import { requireGit } from '../hosts/history/git.ts';
import type { Provider } from '../hosts/interface/provider.ts';
import type { App } from '../http/server/app.ts';
import { asListenError, formatUrl, startMetrics } from '../http/server/listen.ts';
import { listenWhileStarting } from '../http/server/starting.ts';
import { drawProblem } from '../views/cards/card-images.ts';
import { startingPages } from '../views/pages/problem-page.ts';
import type { Config } from './config/config.ts';
import { type AppOptions, type Core, openCore } from './core.ts';
import { createApp, openImages } from './create-app.ts';
import { type Jobs, startJobs } from './jobs.ts';
import { createMetrics, registerSharedStates, registerStates } from './metrics.ts';
import { toStartingSite } from './site.ts';

/** The time for responses and statements under way when the service stops, in ms; then their connections are closed. */
const responsesEndWithinMs = 3000;
/** After that, the time, in ms, for which a connection to the database may be silent before it is closed. */
const silentAfterMs = 1000;

/** A running service. */
export interface Service {
  url: string;
  metricsUrl: string | undefined;
  database: Database;
  providers: ReadonlyMap<string, Provider>;
  /** Waits until this node has read all changes committed before the call. Returns at once while the database is away. */
  catchUp(): Promise<void>;
  /** Finishes the work under way, returns the rest to the queue, and leaves nothing running. */
  close(): Promise<void>;
}

/** Starts the whole service in this process: workers, web server, metrics. */
export async function startService(config: Config, options: AppOptions): Promise<Service> {
  const { log, progressEveryMs } = options;
  const { registry, onJobEnd, ...observers } = createMetrics();
  await using resources = new AsyncDisposableStack();
  const starting = await listenWhileStarting(config, { drawProblem, pages: startingPages(toStartingSite(config)) });
  resources.defer(() => starting.close());
  await requireGit();
  const core = await openCore(config, { ...options, ...observers, correctsTimesLater: true });
  resources.defer(() => core.close());
  registerSharedStates(registry, core);
  registerStates(registry, config, core);
  const metrics = await startMetrics(config, registry, log);
  resources.defer(() => metrics?.close());
  const images = await openImages(config, core, log);
  resources.defer(() => images.close());
  const app = await createApp(config, core, { log, now: core.now, registry, images, progressEveryMs });
  resources.defer(() => app.close());
  const jobs = await startJobs(config, core, { registry, log, onEnd: onJobEnd, pollMs: options.jobPollMs });
  resources.defer(() => jobs.close());
  resources.defer(() => endWork({ app, jobs }, core));
  await starting.close();
  await startListening(app, config);
  const started = resources.move();
  return {
    url: formatUrl(config.host, app.server.address()),
    metricsUrl: metrics?.url,
    database: core.database,
    providers: core.providers,
    catchUp: () => core.listener.catchUp(),
    close: () => started.disposeAsync(),
  };
}

/**
 * Waits until the responses and jobs under way have ended. After `responsesEndWithinMs` closes the connections of the
 * others, so that they fail, and from then on each second those connections to the database that are silent.
 */
export async function endWork(
  { app, jobs }: { app?: App; jobs?: Pick<Jobs, 'stop'> },
  { dropSilent }: Pick<Core, 'dropSilent'>,
): Promise<void> {
  const force = (): void => {
    app?.server.closeAllConnections();
    dropSilent(silentAfterMs);
    forcing = setTimeout(force, silentAfterMs);
  };
  let forcing = setTimeout(force, responsesEndWithinMs);
  try {
    await Promise.all([app?.close(), jobs?.stop()]);
  } finally {
    clearTimeout(forcing);
  }
}

async function startListening(app: App, { host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw asListenError('PORT', { host, port }, error);
  }
}
