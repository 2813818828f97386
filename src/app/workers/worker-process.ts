import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Value } from 'typebox/value';
import { Receiver } from '../../http/server/entrance.ts';
import { FromWorker, type Role, type Snapshot, type ToWorker } from './messages.ts';

const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** The longest wait, in ms, for the metrics of a process; its gauges wait for the database. */
const metricsWithinMs = 3000;

/** A process of a node, and the name that its lines of the log have. */
export interface Place {
  role: Role;
  name: string;
}

interface Options {
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
export class WorkerProcess {
  readonly child: ChildProcess;
  readonly receiver: Receiver;
  readonly #role: Role;
  readonly #metrics = new Map<number, (metrics: Snapshot) => void>();
  #lastMetrics = 0;
  #isStopping = false;

  constructor({ role, name }: Place, options: Options) {
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

  #receive(message: FromWorker, options: Options): void {
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

  async #serve({ mayServe, onServing }: Options): Promise<void> {
    await mayServe;
    if (this.isAlive && !this.#isStopping) onServing(this.receiver);
  }
}
