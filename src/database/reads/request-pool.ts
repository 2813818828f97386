import type { PostgresQueryResult } from 'kysely';
import type { ClientConfig } from 'pg';
import type { ConnectionPool } from '../connections/connection.ts';
import { openPool, type PoolLimits, type PoolObserver } from '../connections/pool.ts';
import { isPooled } from '../connections/sessions.ts';
import { beginsTransaction, LentConnection, Loan } from './loan.ts';
import { preparedName } from './point-reads.ts';
import type { Replica } from './replica.ts';
import { Slots } from './slots.ts';
import { currentScope, leaveReplica, type Reads, type StatementScope } from './statement-scope.ts';

/**
 * Lends one connection to the point reads of a scope that run at the same time. They are sent together and run one after
 * another, which costs less than a connection, a write and a process of the server for each.
 */
class SharedReads {
  readonly #lend: () => Promise<Loan>;
  #loan: Promise<Loan> | undefined;
  #running = 0;

  constructor(lend: () => Promise<Loan>) {
    this.#lend = lend;
  }

  async read<Row>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    this.#running += 1;
    this.#loan ??= this.#lend();
    const lent = this.#loan;
    try {
      return await (await lent).query<Row>(statement, parameters);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) {
        this.#loan = undefined;
        lent.then(
          (loan) => loan.release(),
          () => {},
        );
      }
    }
  }
}

/** Stands for a connection until its first statement, because point reads need none of their own. */
class DeferredLoan extends LentConnection {
  readonly #reads: SharedReads;
  readonly #lend: () => Promise<Loan>;
  #own: Loan | undefined;

  constructor(reads: SharedReads, lend: () => Promise<Loan>) {
    super();
    this.#reads = reads;
    this.#lend = lend;
  }

  protected override async run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    // The statements of a transaction follow its `begin`, which took a connection.
    if (this.#own === undefined && preparedName(text) !== undefined) return this.#reads.read<Row>(text, parameters);
    this.#own ??= await this.#lend();
    return this.#own.query<Row>(text, parameters);
  }

  override release(destroy = false): void {
    this.#own?.release(destroy);
  }
}

interface Terms {
  replica: Replica;
  scope: StatementScope;
  reads: Reads;
  /** Lends a connection to the primary, which frees the slot when it is released. */
  lendPrimary: () => Promise<Loan>;
  freeSlot: () => void;
}

/**
 * Stands for a connection while one piece of work reads. A statement that the replica cannot serve now, and all that
 * follow in the scope, run on the primary.
 */
class ReplicaLoan extends LentConnection {
  readonly #terms: Terms;
  #primary: Loan | undefined;

  constructor(terms: Terms) {
    super();
    this.#terms = terms;
  }

  protected override async run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const { replica, scope, reads, lendPrimary } = this.#terms;
    if (this.#primary === undefined && reads.fromReplica && !beginsTransaction(text)) {
      const result = await replica.read<Row>(scope, text, parameters);
      if (result !== undefined) return result;
    }
    reads.fromReplica = false;
    this.#primary ??= await lendPrimary();
    return this.#primary.query<Row>(text, parameters);
  }

  override release(destroy = false): void {
    if (this.#primary === undefined) this.#terms.freeSlot();
    else this.#primary.release(destroy);
  }
}

/**
 * The queues for connections, by the number of connections. Ordinary reads take less than a millisecond, and when a response
 * leaves the cache, all requests for it read the database at the same time.
 */
const waitingPerConnection = { ordinary: 64, expensive: 2 };
const maxWaitMs = 2000;

/**
 * Opens the connections of requests: their statements end with their scope, and work that finds no connection in time
 * fails with `overloaded`. Scopes that may read from the replica do so.
 */
export function openRequestPool(clientConfig: ClientConfig, limits: PoolLimits, replica?: Replica): ConnectionPool {
  const { maxConnections, observer } = limits;
  const slots = new Slots({
    slots: maxConnections,
    maxWaiting: {
      ordinary: maxConnections * waitingPerConnection.ordinary,
      expensive: maxConnections * waitingPerConnection.expensive,
    },
    maxWaitMs,
  });
  // Behind a pooler, statements that follow each other without a transaction may have different sessions.
  const shares = !isPooled({ clientConfig });
  const readsByScope = new WeakMap<StatementScope, SharedReads>();
  return openPool({ ...clientConfig, pipeline: shares }, limits, (pool) => {
    observer?.onOpen({
      get totalCount() {
        return pool.totalCount;
      },
      get idleCount() {
        return pool.idleCount;
      },
      get waitingCount() {
        return slots.waiting;
      },
    });
    const lendWith = async (scope: StatementScope | undefined, freeSlot: () => void): Promise<Loan> =>
      new Loan(await pool.connect(), { scope, freeSlot, clientConfig });
    const lend = (scope: StatementScope | undefined): Promise<Loan> =>
      withSlot({ slots, scope, observer }, (freeSlot) => lendWith(scope, freeSlot));
    const connect = async (): Promise<LentConnection> => {
      const scope = currentScope();
      const reads = scope?.reads;
      if (replica === undefined) leaveReplica();
      else if (scope !== undefined && reads?.fromReplica === true) {
        return withSlot({ slots, scope, observer }, async (freeSlot) => {
          return new ReplicaLoan({ replica, scope, reads, lendPrimary: () => lendWith(scope, freeSlot), freeSlot });
        });
      }
      if (!shares || scope === undefined) return lend(scope);
      const shared = readsByScope.get(scope) ?? new SharedReads(() => lend(scope));
      readsByScope.set(scope, shared);
      return new DeferredLoan(shared, () => lend(scope));
    };
    return { options: pool.options, connect, end: () => pool.end() };
  });
}

interface Waiting {
  slots: Slots;
  scope: StatementScope | undefined;
  observer: PoolObserver | undefined;
}

/**
 * Waits for a slot, and reports the time until `take` has a connection. A failure frees the slot.
 * @throws AppError `overloaded` when none is free in time.
 */
async function withSlot<Lent>(
  { slots, scope, observer }: Waiting,
  take: (freeSlot: () => void) => Promise<Lent>,
): Promise<Lent> {
  const begunAt = performance.now();
  let freeSlot: (() => void) | undefined;
  try {
    freeSlot = await slots.acquire(scope);
    return await take(freeSlot);
  } catch (error) {
    freeSlot?.();
    throw error;
  } finally {
    observer?.onWait((performance.now() - begunAt) / 1000);
  }
}
