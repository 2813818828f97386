import { setTimeout as wait } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { Value } from 'typebox/value';
import { endingSignal } from '../../database/connections/ending-signal.ts';
import { type HandedOver, serveHandedOver } from '../../http/server/entrance.ts';
import { describeFailure } from '../../model/errors.ts';
import { exitAtOnce } from '../../model/exit.ts';
import { createLog } from '../../model/log.ts';
import { startTracing } from '../../model/tracing/start.ts';
import { endWork } from '../app.ts';
import { trustAuthorities } from '../config/authorities.ts';
import { readConfig } from '../config/config.ts';
import { type CoreOptions, openCore } from '../core.ts';
import { createApp, openImages } from '../create-app.ts';
import { describeHosts } from '../doctor/describe-hosts.ts';
import { startJobs } from '../jobs.ts';
import { createMetrics, registerSharedStates, registerStates } from '../metrics.ts';
import { type FromWorker, ToWorker } from './messages.ts';
import { controlConnections, toShare } from './share.ts';

/** The longest wait, in ms, for the confirmation that no connection follows. */
const retiredWithinMs = 500;

/** The connection of a process of a node with the one that started it. */
interface Channel {
  send(message: FromWorker): void;
  /** Takes connections over from now on. */
  takeOver(connections: HandedOver): void;
  /** Waits until no connection follows. */
  retire(): Promise<void>;
}

/**
 * Runs a process of a node, which the node starts with `worker.ts ROLE NAME URL GROUP`: it responds to requests over connections
 * that it is handed, or runs the jobs.
 */

const [role, name = '', url = '', processGroup] = process.argv.slice(2);
const ending = endingSignal(0);
trustAuthorities(process.env);
const completeConfig = readConfig(process.env);
const log = createLog(completeConfig.logLevel, undefined, { worker: name });
const { registry, onJobEnd, ...observers } = createMetrics();
const channel = openChannel(registry);
const coreOptions: CoreOptions = {
  log,
  ...observers,
  correctsTimesLater: true,
  isMigrated: true,
  controlConnections,
  processGroup,
};
const untilEnd = new Promise<void>((resolve) => {
  if (ending.aborted) resolve();
  else ending.addEventListener('abort', () => resolve(), { once: true });
});

const endTracing = await startTracing();

try {
  await (role === 'jobs' ? runJobs() : respondToRequests());
} catch (error) {
  process.stderr.write(`plaudit: worker ${name}: ${describeFailure(error)}\n`);
  process.exitCode = 1;
}
await endTracing();
// The channel would keep the process alive.
exitAtOnce(Number(process.exitCode ?? 0));

async function runJobs(): Promise<void> {
  const config = toShare(completeConfig, 'jobs');
  await using opened = new AsyncDisposableStack();
  const core = await openCore(config, coreOptions);
  opened.defer(() => core.close());
  registerSharedStates(registry, core);
  registerStates(registry, config, core);
  const jobs = await startJobs(config, core, { registry, log, onEnd: onJobEnd, pollMs: undefined });
  opened.defer(() => jobs.close());
  opened.defer(() => endWork({ jobs }, core));
  channel.send({ kind: 'ready', hosts: await describeHosts(config, core.providers, ending) });
  await untilEnd;
}

async function respondToRequests(): Promise<void> {
  const config = toShare(completeConfig, 'requests');
  await using opened = new AsyncDisposableStack();
  const core = await openCore(config, coreOptions);
  opened.defer(() => core.close());
  registerStates(registry, config, core);
  const images = await openImages(config, core, log);
  opened.defer(() => images.close());
  const app = await createApp(config, core, { log, now: core.now, registry, images, url });
  const connections = serveHandedOver(app.server, () => channel.send({ kind: 'open', open: connections.open }));
  app.addHook('preClose', () => connections.close());
  opened.defer(() => endWork({ app }, core));
  await app.ready();
  channel.takeOver(connections);
  channel.send({ kind: 'ready', hosts: [] });
  await untilEnd;
  await channel.retire();
}

/** Opens the channel of this process, which ends at once when the one that started it has ended. */
function openChannel(registry: Registry): Channel {
  let connections: HandedOver | undefined;
  const retired = Promise.withResolvers<void>();
  const receive = (message: ToWorker, socket: unknown): void => {
    switch (message.kind) {
      case 'connection':
        connections?.add(socket);
        return send({ kind: 'confirmed', id: message.id, open: connections?.open ?? 0 });
      case 'metrics':
        return void registry
          .getMetricsAsJSON()
          .then((metrics) => send({ kind: 'metrics', id: message.id, metrics }))
          .catch(() => {});
      case 'retired':
        return retired.resolve();
    }
  };
  process.on('message', (message, socket) => receive(Value.Parse(ToWorker, message), socket));
  process.once('disconnect', () => exitAtOnce(0));
  return {
    send,
    takeOver: (taken) => {
      connections = taken;
    },
    retire: async () => {
      send({ kind: 'stopping' });
      await Promise.race([retired.promise, wait(retiredWithinMs, undefined, { ref: false })]);
    },
  };
}

function send(message: FromWorker): void {
  // A failure shows that the other process has ended.
  process.send?.(message, undefined, undefined, () => {});
}
