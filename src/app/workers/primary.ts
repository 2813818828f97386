import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { Value } from 'typebox/value';
import { v4 as uuidv4 } from 'uuid';
import type { Database } from '../../database/connections/connection.ts';
import { openDatabase, readConnectionLimit } from '../../database/connections/open.ts';
import { isPooled } from '../../database/connections/sessions.ts';
import { prepareDataDirectory } from '../../database/embedded/data-directory.ts';
import { requireGit } from '../../hosts/history/git.ts';
import { Entrance, Receiver, serveHandedOver } from '../../http/server/entrance.ts';
import { startMetrics } from '../../http/server/listen.ts';
import { createStartingServer } from '../../http/server/starting.ts';
import type { Log } from '../../model/log.ts';
import { drawProblem } from '../../views/cards/card-images.ts';
import { startingPages } from '../../views/pages/problem-page.ts';
import type { Config } from '../config/config.ts';
import { toStartingSite } from '../site.ts';
import { FromWorker, type Role, type Snapshot, type ToWorker } from './messages.ts';
import { countConnections } from './share.ts';
import { SummedMetrics } from './summed-metrics.ts';
import { Supervisor } from './supervisor.ts';

const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** The longest wait, in ms, for the metrics of a process; its gauges wait for the database. */
const metricsWithinMs = 3000;

/** A process of a node, and the name that its lines of the log have. */
interface Place {
  role: Role;
  name: string;
}

interface ProcessOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** The address on which this process listens for all. */
  url: string;
  /** The common name of the processes of the node. */
  processGroup: string;
  /** Receives the lines of its log. */
  onLine: (line: string) => void;
  /** Called with the states of hosts, of the process for jobs. */
  onReady: (hosts: string[]) => void;
  /** Resolves when the first response may be sent. */
  mayServe: Promise<unknown> | undefined;
  /** Called when the process can take connections over. */
  onServing: (receiver: Receiver) => void;
  /** Called when the process wants no more connections. */
  onStopping: (receiver: Receiver) => void;
}

/** A running process of a node, as the one that started it sees it. */
class WorkerProcess {
  readonly child: ChildProcess;
  readonly receiver: Receiver;
  readonly #role: Role;
  readonly #metrics = new Map<number, (metrics: Snapshot) => void>();
  #lastMetrics = 0;
  #isStopping = false;

  constructor({ role, name }: Place, options: ProcessOptions) {
    this.#role = role;
    this.child = fork(program, [role, name, options.url, options.processGroup], {
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.child.on('error', () => {});
    this.receiver = new Receiver((socket, id) =>
      // The connections of a process that cannot be reached any more are passed on at its end.
      this.child.send({ kind: 'connection', id } satisfies ToWorker, socket, { keepOpen: true }, () => {}),
    );
    this.child.on('message', (message) => this.#receive(Value.Parse(FromWorker, message), options));
    if (this.child.stdout !== null) createInterface({ input: this.child.stdout }).on('line', options.onLine);
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Reads the metrics of the process; undefined when it does not respond in time. */
  async metrics(): Promise<Snapshot | undefined> {
    if (!this.isAlive) return undefined;
    this.#lastMetrics += 1;
    const id = this.#lastMetrics;
    const { promise, resolve } = Promise.withResolvers<Snapshot | undefined>();
    const timer = setTimeout(resolve, metricsWithinMs, undefined);
    this.#metrics.set(id, resolve);
    this.#send({ kind: 'metrics', id });
    const snapshot = await promise;
    clearTimeout(timer);
    this.#metrics.delete(id);
    return snapshot;
  }

  #send(message: ToWorker): void {
    this.child.send(message, () => {});
  }

  #receive(message: FromWorker, options: ProcessOptions): void {
    switch (message.kind) {
      case 'ready':
        options.onReady(message.hosts);
        if (this.#role === 'requests') void this.#serve(options);
        return;
      case 'confirmed':
        this.receiver.open = message.open;
        return this.receiver.confirm(message.id);
      case 'open':
        this.receiver.open = message.open;
        return;
      case 'metrics':
        return this.#metrics.get(message.id)?.(message.metrics);
      case 'stopping':
        this.#isStopping = true;
        options.onStopping(this.receiver);
        return this.#send({ kind: 'retired' });
    }
  }

  async #serve({ mayServe, onServing }: ProcessOptions): Promise<void> {
    await mayServe;
    if (this.isAlive && !this.#isStopping) onServing(this.receiver);
  }
}

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
