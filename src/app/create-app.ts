import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { confirmOwner } from '../accounts/access/administrators/person.ts';
import { generateSigningKey } from '../accounts/access/tokens/signing-key-store.ts';
import { type Access, createAccess } from '../accounts/access/tokens/verify.ts';
import { repositoryRoutes } from '../accounts/repositories/routes.ts';
import { Resolver } from '../accounts/resolve.ts';
import { badgeRoutes } from '../contributions/contributors/badges/routes.ts';
import { repositoryCounterRoutes } from '../contributions/contributors/counters/routes.ts';
import { contributorEvidenceRoutes } from '../contributions/contributors/evidence/routes.ts';
import { contributorRoutes } from '../contributions/contributors/routes.ts';
import { evidenceRoutes } from '../contributions/evidence/routes.ts';
import { awaitListing } from '../contributions/items/await-listing.ts';
import { languageRoutes } from '../contributions/languages/routes.ts';
import { accountRoutes, contributionRoutes } from '../contributions/routes.ts';
import { SharedCounts } from '../database/connections/counts.ts';
import { sharedSecret } from '../database/connections/secrets.ts';
import { Computations } from '../http/pipeline/computations.ts';
import { Endpoints } from '../http/pipeline/endpoint-registry.ts';
import type { CardImages } from '../http/pipeline/images.ts';
import type { OwnerServices } from '../http/pipeline/owner-pipeline.ts';
import { Cursors } from '../http/pipeline/pagination.ts';
import { usableResponses } from '../http/pipeline/response-cache.ts';
import type { App } from '../http/server/app.ts';
import { basePathIn } from '../http/server/base-path.ts';
import { healthRoutes } from '../http/server/health.ts';
import { formatUrl } from '../http/server/listen.ts';
import { createHttpMetrics } from '../http/server/metrics.ts';
import { requestIdSource } from '../http/server/request-ids.ts';
import { createServer } from '../http/server/server.ts';
import type { Log } from '../model/log.ts';
import { achievementRoutes } from '../recognition/achievements/routes.ts';
import { boardRoutes } from '../recognition/boards/routes.ts';
import { notificationRoutes } from '../recognition/notifications/routes.ts';
import { openBodies } from '../sync/deliveries/bodies.ts';
import { addRejections, Rejections } from '../sync/deliveries/rejection-store.ts';
import { deliveryRoutes } from '../sync/deliveries/routes.ts';
import { createCardImages } from '../views/cards/card-images.ts';
import { prepareFonts, Rasterizer } from '../views/cards/drawing/rasterizer.ts';
import { createImageClient, ImageSource } from '../views/cards/images/image-source.ts';
import type { Site } from '../views/pages/layout/layout.ts';
import { readLogo } from '../views/pages/layout/logo.ts';
import { pageRoutes, pageSettings } from '../views/pages/routes.ts';
import { signInHosts } from '../views/pages/sign-in/routes.ts';
import type { Config } from './config/config.ts';
import { type Core, findFault } from './core.ts';
import { accessRoutes } from './owners/routes.ts';
import { toSite } from './site.ts';

/** The time limit of a response, without the wait for a provider, in ms. */
const handlerMarginMs = 5000;
const storeRejectionsEveryMs = 10_000;

/** Opens everything that drawing cards needs on this node. */
export async function openImages(
  { dataDir, providers, outboundAllowed }: Config,
  { requests, now }: Core,
  log: Log,
): Promise<CardImages & { close: () => Promise<void> }> {
  await prepareFonts(dataDir);
  // The hosts that the operator has configured may be private.
  const ownHosts = providers.flatMap(({ url, apiUrl }) => [url, apiUrl].map((address) => new URL(address).host));
  const images = new ImageSource({
    connection: requests.connection,
    client: createImageClient(new Set([...ownHosts, ...outboundAllowed])),
    now,
    onFailure: (error) => log.warn({ err: error }, 'an image could not be stored'),
  });
  const cardImages = createCardImages({ images, rasterizer: new Rasterizer(now) });
  return { ...cardImages, close: () => images.close() };
}

/** Counts rejected deliveries; the counts are stored every 10 s and when the app closes. */
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
  evidenceRoutes,
  languageRoutes,
  contributorRoutes,
  contributorEvidenceRoutes,
  repositoryCounterRoutes,
  badgeRoutes,
  achievementRoutes,
  boardRoutes,
  accessRoutes,
  notificationRoutes,
  deliveryRoutes,
];

interface AppParts {
  log: Log;
  now: () => Date;
  registry: Registry;
  images: CardImages;
  progressEveryMs?: number | undefined;
  /** The address of the service, when another process listens on it. */
  url?: string;
}

/** Creates the verification of tokens, which verifies them again when their accounts change on any node. */
function openAccess({ onAnnouncement }: Core, context: Parameters<typeof createAccess>[0]): Access {
  const access = createAccess(context);
  onAnnouncement.add((announcement) => {
    if (announcement === undefined || announcement.kind === 'accounts') access.clear();
    else if (announcement.kind === 'account') access.invalidate(announcement.key);
  });
  return access;
}

/** Returns a function that returns the URL of a server. Each look at the address of a socket is a call of the system. */
function createUrlReader(host: string, server: () => App['server']): () => string {
  let listening: string | undefined;
  return () => {
    if (listening !== undefined) return listening;
    const url = formatUrl(host, server().address());
    if (server().listening) listening = url;
    return url;
  };
}

/** Creates the web application with all routes. */
export async function createApp(config: Config, core: Core, parts: AppParts): Promise<App> {
  const { log, now, registry, images, url, progressEveryMs } = parts;
  const { listener, cache } = core;
  const { connection } = core.requests;
  const resolver = createResolver(config, core, log, now);
  const cursors = new Cursors(await sharedSecret(connection, 'cursors', randomBytes));
  const counts = new SharedCounts(core.control.connection, now);
  const ownUrl = createUrlReader(config.host, () => app.server);
  const publicUrl = (): string => config.publicUrl ?? url ?? ownUrl();
  const isLive = (): boolean => listener.isConnected();
  const handlerTimeoutMs = config.lookupBudgetMs + handlerMarginMs;
  const access = openAccess(core, { connection, now, publicUrl, isLive });
  const metrics = createHttpMetrics(registry);
  const site = await readSite(config, core, publicUrl);
  const app: App = await createServer({
    cache,
    usableResponses: () => usableResponses(listener),
    authenticate: (token) => access.authenticate(token),
    recognize: (token) => access.recognize(token),
    catchUp: () => listener.catchUp(),
    images,
    pages: pageSettings(site),
    counts,
    readsPerMinute: config.rateLimitPerMinute,
    trustedProxies: config.trustedProxies,
    publicUrl,
    basePath: basePathIn(config.publicUrl ?? 'http://localhost'),
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
        endpoints: new Endpoints(cursors),
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
        allowedReceivers: config.outboundAllowed,
        counts,
        confirmOwner: (...owner: Parameters<OwnerServices['confirmOwner']>) => confirmOwner(services, ...owner),
        ...sharedWithJobs(core),
        awaitListing: awaitListing.bind(undefined, { connection, resolver, now }),
      };
      for (const addRoutes of moduleRoutes) addRoutes(routes, services);
      pageRoutes(routes, { ...services, site, locales: site.locales, progressEveryMs });
      healthRoutes(routes, () => findFault(core, config));
    },
  });
  return app;
}

/** Returns the parts of jobs that requests use too. */
function sharedWithJobs({ sync }: Core) {
  const { achievementFiles, boardFiles, onFailure } = sync;
  return { achievementFiles, boardFiles, onCheckFailure: onFailure };
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

async function readSite(config: Config, { providers }: Core, publicUrl: () => string): Promise<Site> {
  const logo = config.siteLogo === undefined ? undefined : await readLogo(config.siteLogo);
  return toSite(config, { publicUrl, signInHosts: () => signInHosts({ publicUrl, providers }), logo });
}
