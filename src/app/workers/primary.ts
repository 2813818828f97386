import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { v4 as uuidv4 } from 'uuid';
import type { Database } from '../../database/connections/connection.ts';
import { openDatabase, readConnectionLimit } from '../../database/connections/open.ts';
import { isPooled } from '../../database/connections/sessions.ts';
import { prepareDataDirectory } from '../../database/embedded/data-directory.ts';
import { requireGit } from '../../hosts/history/git.ts';
import { Entrance } from '../../http/server/entrance.ts';
import { serveHandedOver } from '../../http/server/handed-over.ts';
import { createStartingServer } from '../../http/server/starting.ts';
import type { Log } from '../../model/log.ts';
import { drawProblem } from '../../views/cards/card-images.ts';
import { startingPages } from '../../views/pages/starting.ts';
import type { Config } from '../config/config.ts';
import { toStartingSite } from '../site.ts';
import { startMetrics } from '../start-metrics.ts';
import { countConnections } from './share.ts';
import { SummedMetrics } from './summed-metrics.ts';
import { Supervisor } from './supervisor.ts';
import { type Place, WorkerProcess } from './worker-process.ts';

interface Options {
  log: Log;
  /** The environment of the processes; it has the settings. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Receives the lines of the logs of the processes. */
  onLine: (line: string) => void;
}

/** A node of several processes. */
export interface Workers extends AsyncDisposable {
  url: string;
  /** The database, for people. */
  description: string;
  /** Resolves with the states of hosts when all processes have been ready once. */
  ready: Promise<string[]>;
  /** Rejects when processes end again and again. */
  givenUp: Promise<never>;
}

/** Starts processes that respond to requests, and one for jobs. This process listens for all and replaces those that end. */
export async function startWorkers(config: Config, { log, environment, onLine }: Options): Promise<Workers> {
  await using opened = new AsyncDisposableStack();
  const starting = serveHandedOver(createStartingServer({ drawProblem, pages: startingPages(toStartingSite(config)) }));
  const entrance = await Entrance.open(config, (socket) => starting.add(socket));
  opened.defer(() => entrance.close());
  await requireGit();
  prepareDataDirectory(config.dataDir);
  // Kept open, so that the embedded server runs until the end of the node.
  const database = await openDatabase({ ...config, jobConnections: 1, log: (line) => log.info(line) });
  opened.defer(() => database.close());
  await warnOfLimit(database, config, log);
  const { registry, countReplacement } = createPrimaryMetrics();
  const summed = new SummedMetrics(registry);
  const metrics = await startMetrics(config, summed, log);
  opened.defer(() => metrics?.close());
  const places: Place[] = [
    { role: 'jobs', name: 'jobs' },
    ...Array.from({ length: config.workers }, (_, index): Place => ({ role: 'requests', name: String(index + 1) })),
  ];
  const begun = new Map(places.map(({ name }) => [name, Promise.withResolvers<string[]>()]));
  const processGroup = uuidv4();
  const start = (place: Place): WorkerProcess['child'] => {
    const worker = new WorkerProcess(place, {
      environment,
      url: entrance.url,
      processGroup,
      onLine,
      onReady: (hosts) => begun.get(place.name)?.resolve(hosts),
      onServing: (receiver) => entrance.add(receiver),
      onStopping: (receiver) => entrance.retire(receiver),
      mayServe: begun.get('jobs')?.promise,
    });
    log.info({ worker: place.name, pid: worker.child.pid }, 'a process of the service starts');
    summed.add(worker);
    worker.child.once('exit', () => {
      entrance.remove(worker.receiver);
      summed.remove(worker);
    });
    return worker.child;
  };
  const onEnd = ({ name }: Place, end: string): void => {
    countReplacement();
    log.error({ worker: name }, `a process of the service ended ${end} and is replaced`);
  };
  const supervisor = new Supervisor({ places, start, onEnd });
  supervisor.begin();
  opened.defer(() => supervisor.stop());
  opened.defer(() => entrance.close());
  const running = opened.move();
  return {
    url: entrance.url,
    description: database.description,
    ready: Promise.all([...begun.values()].map(({ promise }) => promise)).then((hosts) => hosts.flat()),
    givenUp: supervisor.givenUp,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Warns when the database permits fewer connections than this node may need. */
async function warnOfLimit(database: Database, config: Config, log: Log): Promise<void> {
  if (isPooled(database)) return;
  const needed = countConnections(config);
  const { permitted, used } = await readConnectionLimit(database.connection);
  if (used + needed <= permitted) return;
  log.warn(
    { needed, used, permitted },
    'this node may need more connections than the database has free: raise max_connections there, or lower WORKERS',
  );
}

/** Creates the metrics of the process that listens for the others. */
export function createPrimaryMetrics(): { registry: Registry; countReplacement: () => void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const replacements = new Counter({
    name: 'plaudit_worker_replacements_total',
    help: 'Processes of this node that ended unexpectedly and were replaced.',
    registers: [registry],
  });
  return { registry, countReplacement: () => replacements.inc() };
}
