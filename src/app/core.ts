import { existsSync } from 'node:fs';
import { v7 as uuidv7 } from 'uuid';
import { type DatabaseClock, followClock } from '../database/connections/clock.ts';
import type { ConnectionPool, Database } from '../database/connections/connection.ts';
import type { PoolName } from '../database/connections/metrics.ts';
import { openDatabase, openUnchanged } from '../database/connections/open.ts';
import { breakOffSilent, openPool, type PoolObserver } from '../database/connections/pool.ts';
import { isPooled } from '../database/connections/sessions.ts';
import { prepareDataDirectory, saveAuthorities, toHistoriesPath } from '../database/embedded/data-directory.ts';
import { hasEmbeddedDatabase } from '../database/embedded/embedded.ts';
import type { Announcement } from '../database/queue/announcements.ts';
import { type Listener, listen } from '../database/queue/listener.ts';
import { Outcomes } from '../database/queue/lookups.ts';
import { openReplica, type ReplicaObserver } from '../database/reads/replica.ts';
import { openRequestPool } from '../database/reads/request-pool.ts';
import { correctFutureTimes } from '../database/schema/future-store.ts';
import { HistoryCache, type HistoryCacheOptions } from '../hosts/history/history-cache.ts';
import { createProviders, type ProviderDependencies } from '../hosts/index.ts';
import type { Provider } from '../hosts/interface/provider.ts';
import { ResponseCache } from '../http/pipeline/response-cache.ts';
import { exhaustedAt } from '../model/free-space.ts';
import type { Log } from '../model/log.ts';
import { AchievementFiles } from '../recognition/achievements/files/achievement-files.ts';
import { BoardFiles } from '../recognition/boards/file/board-files.ts';
import { newAppliers, newPollDemands, type SyncContext } from '../sync/context.ts';
import { loadInstallations } from '../sync/installations/load-installations.ts';
import { reportsTo } from '../sync/lookups/reports.ts';
import { noMetrics, type SyncMetrics } from '../sync/metrics.ts';
import { Claims } from '../sync/streams/claims.ts';
import { formatAuthorities } from './config/authorities.ts';
import type { Config } from './config/config.ts';

const maxCacheBytes = 64 * 1024 * 1024;
const historyLimits = {
  maxCopyBytes: 2 * 1024 ** 3,
  maxTotalBytes: 10 * 1024 ** 3,
  fetchTimeoutMs: 600_000,
};
/** The share of LOOKUP_BUDGET_MS that opening a connection to a host may take. */
const connectShare = 0.6;
const maxConnectTimeoutMs = 2000;

/**
 * Small, because three nodes of one process each, with their connections for requests, jobs and announcements, must stay
 * below PostgreSQL's default of 100 connections.
 */
const usualControlConnections = 2;
/** A statement of the control connections is cheap, so it is slow only when the database is. */
const maxControlStatementMs = 2000;
/**
 * The time limit of a request's statement is LOOKUP_BUDGET_MS and this time, in ms. Less than `handlerMarginMs` in
 * create-app.ts, so that the statement ends before the response has to.
 */
const statementMarginMs = 4000;

/** The parts of every process that works on the database, including commands without a server. */
export interface Core {
  /** The connections of jobs. */
  database: Database;
  /** The connections of requests, whose statements end before the time for the response does. */
  requests: ConnectionPool;
  /** The connections for cheap statements that never wait behind those of requests and jobs. */
  control: ConnectionPool;
  /** Replaces the connections to the database on which nothing has arrived for a number of ms. */
  dropSilent: (forMs: number) => void;
  listener: Listener;
  providers: Map<string, Provider>;
  sync: SyncContext;
  outcomes: Outcomes;
  cache: ResponseCache;
  /** The receivers of announcements; undefined means that some may have been missed. */
  onAnnouncement: Set<(announcement: Announcement | undefined) => void>;
  /** The clock for everything that is stored. */
  now: () => Date;
  close(): Promise<void>;
}

export interface AppOptions {
  log: Log;
  now?: () => Date;
  /** The interval, in ms, at which delayed jobs that became due are found. */
  jobPollMs?: number;
  /** The interval, in ms, at which pages that wait for a collection receive its progress. */
  progressEveryMs?: number;
  /** The time, in ms, that a host has for its first response to git. Default: a minute. */
  gitFirstResponseMs?: number;
  /** True when the tables are known to be up to date, because another process of this node has migrated them. */
  isMigrated?: boolean;
  /** Replaces parts of a provider, as the demonstration does. Default: each provider is as configured. */
  changeProvider?: (provider: Provider) => Provider;
}

export interface CoreOptions extends AppOptions {
  metrics?: SyncMetrics;
  /** Returns the observer of the connections of requests, or of those of jobs. */
  observePool?: (name: PoolName) => PoolObserver;
  /** Returns the observer of the replica. */
  observeReplica?: (pool: PoolObserver) => ReplicaObserver;
  /** Returns the receiver of a provider's exchanges with its host. */
  observeHost?: ProviderDependencies['observe'];
  /** The common name of the processes of a node; by default there is one. */
  processGroup?: string | undefined;
  /** The number of control connections. */
  controlConnections?: number;
  /** True when a job corrects stored times in the future, which reads whole tables. False: `openCore` corrects them. */
  correctsTimesLater?: boolean;
}

function openHistories(
  { dataDir }: Config,
  options: Pick<CoreOptions, 'gitFirstResponseMs'> & Pick<HistoryCacheOptions, 'authorities' | 'now'>,
): HistoryCache {
  const { gitFirstResponseMs: firstResponseMs, authorities, now } = options;
  return new HistoryCache({ directory: toHistoriesPath(dataDir), ...historyLimits, firstResponseMs, authorities, now });
}

/** Opens the database and the clients of the providers. */
export async function openCore(config: Config, options: CoreOptions): Promise<Core> {
  const { log, metrics = noMetrics } = options;
  prepareDataDirectory(config.dataDir);
  const authorities = saveAuthoritiesForGit(config);
  await using opened = new AsyncDisposableStack();
  let clock: DatabaseClock | undefined;
  const now = (): Date => clock?.now() ?? new Date();
  const providers = openProviders(config, options, now);
  const open = options.isMigrated === true ? openUnchanged : openDatabase;
  const observer = options.observePool?.('jobs');
  const database = opened.use(await open({ ...config, log: (line) => log.info(line), observer }));
  clock = await openClock(database, options);
  const outcomes = new Outcomes(now);
  const cache = new ResponseCache(maxCacheBytes);
  const onAnnouncement = createReceivers(cache, outcomes);
  const pools = await openPools(database, config, options, () => listener.neededLsn());
  const { requests, control, dropSilent } = pools;
  opened.defer(() => pools.close());
  opened.adopt(clock, ({ close }) => close());
  const emitAnnouncement = (announcement: Announcement | undefined): void => {
    for (const receive of onAnnouncement) receive(announcement);
  };
  const listener = await listen({
    clientConfig: database.sessionConfig,
    onAnnouncement: emitAnnouncement,
    onReset: () => emitAnnouncement(undefined),
    onSilent: dropSilent,
    processGroup: options.processGroup,
    log: (line) => log.warn(line),
  });
  opened.defer(() => listener.close());
  const sync: SyncContext = {
    connection: database.connection,
    providers,
    node: listener.node,
    claims: new Claims(),
    pollDemands: newPollDemands(),
    appliers: newAppliers(),
    histories: openHistories(config, { ...options, authorities, now }),
    achievementFiles: new AchievementFiles(),
    boardFiles: new BoardFiles(providers),
    freshForMs: config.freshForMs,
    now,
    newId: uuidv7,
    onFailure: (error, work) => log.warn({ err: error }, `${work} failed`),
    ...reportsTo(log, metrics),
  };
  opened.defer(async () => {
    await Promise.all([...providers.values()].map((provider) => provider.close()));
  });
  await followInstallations(sync, onAnnouncement);
  const running = opened.move();
  return {
    database,
    requests,
    control,
    dropSilent,
    listener,
    providers,
    sync,
    outcomes,
    cache,
    onAnnouncement,
    now,
    close: () => running.disposeAsync(),
  };
}

/** Stores the authorities that git does not know by itself. @returns the path of the file; undefined: there are none. */
function saveAuthoritiesForGit({ caFile, dataDir }: Config): string | undefined {
  const environment = { ...process.env, CA_FILE: caFile };
  const text = formatAuthorities(environment);
  return text === undefined ? undefined : saveAuthorities(dataDir, text);
}

/** Reads the installations now, and again each time they change. */
function followInstallations(sync: SyncContext, onAnnouncement: Core['onAnnouncement']): Promise<void> {
  onAnnouncement.add((announcement) => {
    if (announcement !== undefined && announcement.kind !== 'installations') return;
    loadInstallations(sync).catch((error: unknown) => sync.onFailure(error, 'reading the installations'));
  });
  return loadInstallations(sync);
}

function openProviders(config: Config, options: CoreOptions, now: () => Date): Map<string, Provider> {
  const { observeHost, changeProvider = (provider) => provider } = options;
  const providers = createProviders(config.providers, {
    connectTimeoutMs: Math.min(maxConnectTimeoutMs, config.lookupBudgetMs * connectShare),
    now,
    observe: observeHost,
  });
  return new Map([...providers].map(([name, provider]) => [name, changeProvider(provider)]));
}

/** Opens the connections for requests and control statements. */
async function openPools(
  database: Database,
  { lookupBudgetMs, requestConnections: maxConnections }: Config,
  { observePool, observeReplica, controlConnections = usualControlConnections, log }: CoreOptions,
  neededLsn: () => number | undefined,
): Promise<Pick<Core, 'requests' | 'control' | 'dropSilent'> & { close: () => Promise<void> }> {
  const statementTimeoutMs = lookupBudgetMs + statementMarginMs;
  const replicaPool = observePool?.('replica');
  const replica = await openReplica(database, {
    maxConnections,
    // The primary has the other half of the time.
    statementTimeoutMs: Math.floor(statementTimeoutMs / 2),
    neededLsn,
    observer: replicaPool && observeReplica?.(replicaPool),
    log: (line) => log.warn(line),
  });
  const observer = observePool?.('requests');
  const requests = openRequestPool(database.clientConfig, { maxConnections, statementTimeoutMs, observer }, replica);
  const control = openPool(database.clientConfig, {
    maxConnections: controlConnections,
    statementTimeoutMs: maxControlStatementMs,
    observer: observePool?.('control'),
  });
  const dropSilent = (forMs: number): void => {
    for (const pool of [requests, control, database, replica]) pool?.dropSilent(forMs);
  };
  // The number that a pooler gives a connection says nothing about its session.
  const stopLooking = isPooled(database) ? undefined : breakOffSilent(database, control.pool);
  const close = async (): Promise<void> => {
    stopLooking?.();
    await requests.close();
    await replica?.close();
    await control.close();
  };
  return { requests, control, dropSilent, close };
}

/** Returns the receivers of announcements in every process: they drop cached responses, and wake waiters for lookups. */
function createReceivers(cache: ResponseCache, outcomes: Outcomes): Core['onAnnouncement'] {
  return new Set<(announcement: Announcement | undefined) => void>([
    (announcement) => {
      // Withdrawn credentials hide private data of any number of accounts.
      if (announcement === undefined || ['withdrawn', 'accounts'].includes(announcement.kind)) cache.clear();
      else if (announcement.kind === 'account') cache.invalidate(announcement.key);
    },
    (announcement) => {
      if (announcement === undefined) outcomes.wakeAll();
      else if (announcement.kind === 'lookup') outcomes.wake(announcement.key);
    },
  ]);
}

/**
 * Returns the clock for everything that is stored: that of the database, or `now` in tests. Corrects stored times in the
 * future unless a job does.
 */
async function openClock(
  { connection }: Database,
  { log, now, correctsTimesLater = false }: CoreOptions,
): Promise<DatabaseClock> {
  const correct = (time: Date): Promise<void> => correctFutureTimes(connection, time);
  if (now !== undefined) {
    if (!correctsTimesLater) await correct(now());
    return { now, close: () => {} };
  }
  const clock = await followClock(connection, {
    onStepBack: () => {
      log.warn('the clock of the database was set back; times that lie in the future are corrected');
      correct(clock.now()).catch((error: unknown) =>
        log.warn({ err: error }, 'stored times in the future could not be corrected'),
      );
    },
  });
  if (!correctsTimesLater) await correct(clock.now());
  return clock;
}

/** Returns the reason why this node cannot serve requests; undefined: it can. */
export async function findFault(
  { control, database, listener, requests }: Core,
  { dataDir, databaseUrl }: Config,
): Promise<string | undefined> {
  const isComplete =
    existsSync(toHistoriesPath(dataDir)) && (databaseUrl !== undefined || hasEmbeddedDatabase(dataDir));
  if (!isComplete) return 'DATA_DIR was deleted, or a part of it.';
  const exhausted = databaseUrl === undefined ? exhaustedAt(dataDir) : undefined;
  if (exhausted === 'inodes') return 'The disk of DATA_DIR, with the database, has no free inodes.';
  if (exhausted === 'bytes') return 'The disk of DATA_DIR, with the database, is full.';
  try {
    await control.pool.query('select 1');
    for (const { fullDisk } of [requests, database, control]) {
      const fault = await fullDisk.find(control.pool);
      if (fault !== undefined) return fault;
    }
  } catch {
    return 'The database does not respond.';
  }
  return listener.isConnected() ? undefined : 'The database does not respond.';
}
