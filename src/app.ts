import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { createAccess } from './access/access.ts';
import { findStoredRepositories } from './access/erasure/store.ts';
import { accessRoutes } from './access/routes.ts';
import { createAccessTasks } from './access/tasks.ts';
import { generateSigningKey } from './access/tokens/signing-key.ts';
import { Resolver } from './accounts/resolve.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createAwardTasks } from './achievements/awards/tasks.ts';
import { createCredentialTasks } from './achievements/credentials/tasks.ts';
import { createFileTasks } from './achievements/files/tasks.ts';
import { achievementRoutes } from './achievements/routes.ts';
import { drawProblem } from './cards/card-images.ts';
import { composerRoutes } from './cards/composer/routes.ts';
import { openCardImages } from './cards/open.ts';
import type { Config } from './config/config.ts';
import { awaitListing } from './contributions/await-listing.ts';
import { contributionRoutes } from './contributions/routes.ts';
import { badgeRoutes } from './contributors/badges/routes.ts';
import { contributorRoutes } from './contributors/routes.ts';
import { type AppOptions, type Core, findFault, openCore } from './core.ts';
import type { Database } from './database/connection.ts';
import { SharedCounts } from './database/counts.ts';
import { type Queue, startQueue } from './database/queue.ts';
import { sharedSecret } from './database/secrets.ts';
import { createDeliveryMetrics, openBodies } from './deliveries/metrics.ts';
import { addRejections } from './deliveries/rejection-store.ts';
import { Rejections } from './deliveries/rejections.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { requireGit } from './history/git.ts';
import type { App } from './http/app.ts';
import { Computations } from './http/computations.ts';
import { healthRoutes } from './http/health.ts';
import type { CardImages } from './http/images.ts';
import { asListenError } from './http/listen.ts';
import { createHttpMetrics } from './http/metrics.ts';
import { formatUrl } from './http/metrics-server.ts';
import { Cursors } from './http/pagination.ts';
import { requestIdSource } from './http/request-ids.ts';
import { usableResponses } from './http/response-cache.ts';
import { createServer } from './http/server.ts';
import { listenWhileStarting } from './http/starting.ts';
import type { Log } from './log.ts';
import { createMetrics, registerStates, startMetrics } from './metrics.ts';
import { openNotifications } from './notifications/open.ts';
import { notificationRoutes } from './notifications/routes.ts';
import type { Provider } from './providers/provider.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { beginWork } from './sync/begin-work.ts';
import { withInstallations } from './sync/installations/load-installations.ts';
import { createInstallationTasks } from './sync/installations/tasks.ts';
import { createTasks } from './sync/tasks.ts';

/** The time limit of a response, without the wait for a provider, in ms. */
const handlerMarginMs = 5000;
const storeRejectionsEveryMs = 10_000;
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

/** Starts the whole service: workers, web server, metrics. */
export async function startService(config: Config, options: AppOptions): Promise<Service> {
  const { log } = options;
  const { registry, onJobEnd, ...observers } = createMetrics();
  await using opened = new AsyncDisposableStack();
  const starting = await listenWhileStarting(config, drawProblem);
  opened.defer(() => starting.close());
  await requireGit();
  const core = await openCore(config, { ...options, ...observers, correctsTimesLater: true });
  opened.defer(() => core.close());
  const { now } = core;
  registerStates(registry, config, core);
  const metrics = await startMetrics(config, registry, log);
  opened.defer(() => metrics?.close());
  await beginWork(core.sync);
  sweepErased(core, log);
  const images = await openCardImages({
    connection: core.requests.connection,
    dataDir: config.dataDir,
    ownAddresses: config.providers.flatMap(({ url, apiUrl }) => [url, apiUrl]),
    allowedHosts: config.outboundAllowed,
    now,
    onFailure: (error) => log.warn({ err: error }, 'an image could not be stored'),
  });
  opened.defer(() => images.close());
  const app = await createApp(config, core, { log, now, registry, images });
  opened.defer(() => app.close());
  const notifications = openNotifications({
    connection: core.database.connection,
    providers: core.providers,
    allowedHosts: config.outboundAllowed,
    registry,
    log,
    now,
    random: Math.random,
  });
  opened.defer(() => notifications.close());
  const queue = await startQueue({
    database: core.database,
    node: core.listener.node,
    notifications: core.listener.notifications,
    pollMs: options.jobPollMs,
    onEnd: onJobEnd,
    tasks: {
      ...withInstallations(core.sync, {
        ...createTasks(core.sync),
        ...createAwardTasks(core.sync),
        ...createCredentialTasks(core.sync),
        ...createFileTasks(core.sync, (error) =>
          log.warn({ err: error }, 'authors do not receive reports of errors in their files'),
        ),
        ...createInstallationTasks(core.sync, createDeliveryMetrics(registry)),
        ...notifications.tasks,
        ...createAccessTasks({ ...core.sync, newSigningKey: generateSigningKey }),
      }),
    },
    log: (level, line) => log[level === 'error' ? 'error' : 'debug'](line),
  });
  opened.defer(() => stopReceiving(app, queue, core));
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
async function stopReceiving(app: App, queue: Queue, { dropSilent }: Core): Promise<void> {
  const impatient = setTimeout(() => {
    app.server.closeAllConnections();
    dropSilent(responsesEndWithinMs);
  }, responsesEndWithinMs);
  await Promise.all([app.close(), queue.stop()]);
  clearTimeout(impatient);
}

function countRejections(app: App, { database }: Core, { log, now }: { log: Log; now: () => Date }): Rejections {
  const rejections = new Rejections({
    now,
    storeEveryMs: storeRejectionsEveryMs,
    store: (counts) => addRejections(database.connection, counts),
    onFailure: (error) => log.warn({ err: error }, 'counts of rejected deliveries could not be stored'),
  });
  app.addHook('onClose', () => rejections.close());
  return rejections;
}

const moduleRoutes = [
  accountRoutes,
  repositoryRoutes,
  contributionRoutes,
  contributorRoutes,
  badgeRoutes,
  achievementRoutes,
  accessRoutes,
  notificationRoutes,
  deliveryRoutes,
];

/** Creates the web application with all routes. */
export async function createApp(
  config: Config,
  core: Core,
  { log, now, registry, images }: { log: Log; now: () => Date; registry: Registry; images: CardImages },
): Promise<App> {
  const { listener, cache } = core;
  const { connection } = core.requests;
  const resolver = createResolver(config, core, log, now);
  const cursors = new Cursors(await sharedSecret(connection, 'cursors', randomBytes));
  const counts = new SharedCounts(core.control.connection, now);
  const publicUrl = (): string => config.publicUrl ?? formatUrl(config.host, app.server.address());
  const isLive = (): boolean => listener.isConnected();
  const handlerTimeoutMs = config.lookupBudgetMs + handlerMarginMs;
  const access = createAccess({ connection, now, publicUrl, isLive });
  core.onAnnouncement.add((announcement) => {
    if (announcement === undefined) access.clear();
    else if (announcement.kind === 'account') access.forget(announcement.key);
  });
  const metrics = createHttpMetrics(registry);
  const app: App = await createServer({
    cache,
    usableResponses: () => usableResponses({ isConnected: isLive(), sinceContactMs: listener.sinceContactMs() }),
    authenticate: (token) => access.authenticate(token),
    recognize: (token) => access.recognize(token),
    catchUp: () => listener.catchUp(),
    images,
    counts,
    readsPerMinute: config.rateLimitPerMinute,
    trustedProxies: config.trustedProxies,
    publicUrl,
    log,
    metrics,
    now,
    newRequestId: requestIdSource(),
    handlerTimeoutMs,
    register: (routes) => {
      const services = {
        providers: core.providers,
        resolver,
        cache,
        isCacheLive: isLive,
        cursors,
        connection,
        now,
        lookUpBudgetMs: config.lookupBudgetMs,
        handlerTimeoutMs,
        computations: new Computations(cache, isLive),
        anonymousRepositoryContributors: config.anonymousRepositoryContributors,
        onDataAge: (route: string, seconds: number): void => metrics.observeAge(route, seconds),
        publicUrl,
        images,
        rejections: countRejections(routes, core, { log, now }),
        bodies: openBodies(registry, now),
        newId: uuidv7,
        randomBytes,
        newSigningKey: generateSigningKey,
        credentialAlgorithm: config.credentialAlgorithm,
        tokenTtlMs: config.tokenTtlMs,
        onCheckFailure: core.sync.onFailure,
        counts,
        awaitListing: awaitListing.bind(undefined, { connection, resolver, now }),
      };
      for (const addRoutes of moduleRoutes) addRoutes(routes, services);
      composerRoutes(routes, { ...services, profileUrl: profileUrls(config) });
      healthRoutes(routes, () => findFault(core, config));
    },
  });
  return app;
}

function createResolver(config: Config, { requests, providers, outcomes }: Core, log: Log, now: () => Date): Resolver {
  return new Resolver({
    connection: requests.connection,
    providers,
    outcomes,
    now,
    freshForMs: config.freshForMs,
    allowances: { perAddress: config.lookupsPerHour, perNetwork: config.networkLookupsPerHour },
    onBackgroundFailure: (error) => log.warn({ err: error }, 'could not start a refresh'),
  });
}

/** Returns a function that builds the URL of an account's page, from the operator's settings of its provider. */
function profileUrls({ providers }: Config): (provider: string, name: string) => string {
  const urls = new Map(providers.map(({ name, url }) => [name, url]));
  return (provider, name) => `${urls.get(provider) ?? ''}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

/** Deletes this node's files about erased accounts: at the start, and each time an account is erased. */
function sweepErased({ database, sync, onAnnouncement }: Core, log: Log): void {
  const begin = (): void => {
    sync.histories
      .sweep((ids) => findStoredRepositories(database.connection, ids))
      .catch((error: unknown) => log.warn({ err: error }, 'copies of erased histories could not be removed'));
  };
  begin();
  onAnnouncement.add((announcement) => {
    if (announcement === undefined || announcement.kind === 'erased') begin();
  });
}

async function startListening(app: App, { host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw asListenError('PORT', { host, port }, error);
  }
}
