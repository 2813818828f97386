import type { Registry } from 'prom-client';
import { createAccessTasks } from '../accounts/access/tasks.ts';
import { generateSigningKey } from '../accounts/access/tokens/signing-key-store.ts';
import { type OnJobEnd, type Queue, startQueue, type Task } from '../database/queue/queue.ts';
import { formatUrl } from '../http/server/listen.ts';
import type { AppError } from '../model/errors.ts';
import type { Log } from '../model/log.ts';
import { createAwardTasks, createCredentialTasks, createFileTasks } from '../recognition/achievements/tasks.ts';
import { createBoardTasks } from '../recognition/boards/tasks.ts';
import { openNotifications } from '../recognition/notifications/open.ts';
import { createDeliveryMetrics } from '../sync/deliveries/bodies.ts';
import { withInstallations } from '../sync/installations/load-installations.ts';
import { createInstallationTasks } from '../sync/installations/tasks.ts';
import { releaseLeftClaims } from '../sync/streams/claims.ts';
import { beginWork, createTasks } from '../sync/tasks.ts';
import type { Config } from './config/config.ts';
import type { Core } from './core.ts';
import { createCleaningTasks } from './owners/clean-up.ts';
import { findStoredRepositories } from './owners/erasure/store.ts';

/** The jobs of a node. */
export interface Jobs {
  /** Ends the jobs under way and returns the others to the queue. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** The tasks of all modules, and the connections to receivers of notifications that they use. */
interface JobTasks {
  tasks: Record<string, Task>;
  close: () => Promise<void>;
}

/** Does the work of a start that must precede the first response of the node, and runs jobs from then on. */
export async function startJobs(
  config: Config,
  core: Core,
  options: { registry: Registry; log: Log; onEnd: OnJobEnd; pollMs: number | undefined },
): Promise<Jobs> {
  const { registry, log } = options;
  await beginWork(core.sync);
  sweepErased(core, log);
  const { tasks, close } = openJobTasks(config, core, { registry, log });
  let queue: Queue;
  try {
    queue = await startQueue({
      database: core.database,
      node: core.listener.node,
      notifications: core.listener.notifications,
      pollMs: options.pollMs,
      onEnd: options.onEnd,
      tasks,
      alsoSweep: () => releaseLeftClaims(core.sync),
      log: (level, line) => log[level === 'error' ? 'error' : 'debug'](line),
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { stop: () => queue.stop(), close };
}

/** Opens the tasks of all modules. */
export function openJobTasks(
  config: Config,
  core: Core,
  { registry, log }: { registry: Registry; log: Log },
): JobTasks {
  const notifications = openNotifications({
    connection: core.database.connection,
    providers: core.providers,
    allowedHosts: config.outboundAllowed,
    registry,
    log,
    now: core.now,
    random: Math.random,
  });
  const onRefused = (error: AppError): void =>
    log.warn({ err: error }, 'authors do not receive reports of errors in their files');
  const onUnnoted = (boardId: string, people: number): void =>
    log.error({ boardId, people }, 'a check of a board has found points that a change had left as they were');
  const publicUrl = (): string =>
    config.publicUrl ?? formatUrl(config.host, { address: config.host, family: '', port: config.port });
  const signing = { newSigningKey: generateSigningKey, credentialAlgorithm: config.credentialAlgorithm, publicUrl };
  const tasks = withInstallations(core.sync, {
    ...createTasks(core.sync),
    ...createCleaningTasks(core.sync),
    ...createAwardTasks(core.sync),
    ...createCredentialTasks(core.sync),
    ...createBoardTasks({ ...core.sync, ...signing }, { onRefused, onUnnoted }),
    ...createFileTasks(core.sync, onRefused),
    ...createInstallationTasks(core.sync, createDeliveryMetrics(registry)),
    ...notifications.tasks,
    ...createAccessTasks({ ...core.sync, newSigningKey: generateSigningKey }),
  });
  return { tasks, close: () => notifications.close() };
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
