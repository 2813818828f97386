import { drawProblem } from './cards/card-images.ts';
import type { Config } from './config/config.ts';
import { type AppOptions, type Core, openCore } from './core.ts';
import { createApp, openImages } from './create-app.ts';
import type { Database } from './database/connection.ts';
import { requireGit } from './history/git.ts';
import type { App } from './http/app.ts';
import { asListenError } from './http/listen.ts';
import { formatUrl } from './http/metrics-server.ts';
import { listenWhileStarting } from './http/starting.ts';
import { type Jobs, startJobs } from './jobs.ts';
import { createMetrics, registerSharedStates, registerStates } from './metrics.ts';
import type { Provider } from './providers/provider.ts';
import { startMetrics } from './start-metrics.ts';

/** The time for responses and statements under way when the service stops, in ms; then their connections are closed. */
const responsesEndWithinMs = 3000;

/** A running service. */
export interface Service {
  url: string;
  metricsUrl: string | undefined;
  database: Database;
  providers: ReadonlyMap<string, Provider>;
  /** Waits until this node knows of all changes that were committed before; not while the database is away. */
  catchUp(): Promise<void>;
  /** Finishes the work under way, returns the rest to the queue, and leaves nothing running. */
  close(): Promise<void>;
}

/** Starts the whole service in this process: workers, web server, metrics. */
export async function startService(config: Config, options: AppOptions): Promise<Service> {
  const { log } = options;
  const { registry, onJobEnd, ...observers } = createMetrics();
  await using opened = new AsyncDisposableStack();
  const starting = await listenWhileStarting(config, drawProblem);
  opened.defer(() => starting.close());
  await requireGit();
  const core = await openCore(config, { ...options, ...observers, correctsTimesLater: true });
  opened.defer(() => core.close());
  registerSharedStates(registry, core);
  registerStates(registry, config, core);
  const metrics = await startMetrics(config, registry, log);
  opened.defer(() => metrics?.close());
  const images = await openImages(config, core, log);
  opened.defer(() => images.close());
  const app = await createApp(config, core, { log, now: core.now, registry, images });
  opened.defer(() => app.close());
  const jobs = await startJobs(config, core, { registry, log, onEnd: onJobEnd, pollMs: options.jobPollMs });
  opened.defer(() => jobs.close());
  opened.defer(() => endWork({ app, jobs }, core));
  await starting.close();
  await startListening(app, config);
  const running = opened.move();
  return {
    url: formatUrl(config.host, app.server.address()),
    metricsUrl: metrics?.url,
    database: core.database,
    providers: core.providers,
    catchUp: () => core.listener.catchUp(),
    close: () => running.disposeAsync(),
  };
}

/** Ends responses and jobs under way, and after a time the connections of those that do not end. */
export async function endWork({ app, jobs }: { app?: App; jobs?: Jobs }, { dropSilent }: Core): Promise<void> {
  const impatient = setTimeout(() => {
    app?.server.closeAllConnections();
    dropSilent(responsesEndWithinMs);
  }, responsesEndWithinMs);
  await Promise.all([app?.close(), jobs?.stop()]);
  clearTimeout(impatient);
}

async function startListening(app: App, { host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw asListenError('PORT', { host, port }, error);
  }
}
