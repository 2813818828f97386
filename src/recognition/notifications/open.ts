import type { Registry } from 'prom-client';
import type { Connection } from '../../database/connections/connection.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import { createOutboundClient } from '../../hosts/outbound/client.ts';
import type { Log } from '../../model/log.ts';
import { createNotificationMetrics } from './metrics.ts';
import { createNotificationTasks } from './tasks.ts';

/** Messages are sent by https alone, except to hosts that the operator allows. */
export const allowsHttp = false;

/** Opens the notifications about awards: the jobs of this node, and its connections to receivers. */
export function openNotifications(options: {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  /** `host` or `host:port` of receivers that may have private addresses or use http. */
  allowedHosts: ReadonlySet<string>;
  registry: Registry;
  log: Log;
  now: () => Date;
  random: () => number;
}): { tasks: Record<string, Task>; close: () => Promise<void> } {
  const { connection, providers, allowedHosts, registry, log, now, random } = options;
  const outbound = createOutboundClient({ allowedHosts, allowsHttp });
  const tasks = createNotificationTasks({
    connection,
    outbound,
    providers,
    now,
    random,
    onOutcome: createNotificationMetrics(registry),
    onDead: (dead) => log.warn(dead, 'a message about an award was given up'),
  });
  return { tasks, close: () => outbound.close() };
}
