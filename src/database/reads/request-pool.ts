import type { ClientConfig, Pool } from 'pg';
import type { ConnectionPool } from '../connections/connection.ts';
import { openPool, type PoolLimits, type PoolObserver } from '../connections/pool.ts';
import { isPooled } from '../connections/sessions.ts';
import type { Replica } from '../replica/replica.ts';
import { ReplicaLoan } from '../replica/replica-loan.ts';
import { Loan } from './loan.ts';
import { DeferredLoan, SharedReads } from './shared-reads.ts';
import { Slots } from './slots.ts';
import { currentScope, leaveReplica, type Reads, type StatementScope } from './statement-scope.ts';

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
  const readsOf = new WeakMap<StatementScope, SharedReads>();
  const readsIn = (lender: Lender, scope: StatementScope): SharedReads => {
    const reads = readsOf.get(scope) ?? new SharedReads(() => lend(lender, scope));
    readsOf.set(scope, reads);
    return reads;
  };
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
    const lender = { pool, slots, clientConfig, observer };
    return {
      options: pool.options,
      connect: async () => {
        const scope = currentScope();
        if (replica === undefined) leaveReplica();
        else if (scope?.reads?.fromReplica === true) return lendReplica(lender, { replica, scope, reads: scope.reads });
        if (!shares || scope === undefined) return lend(lender, scope);
        return new DeferredLoan(readsIn(lender, scope), () => lend(lender, scope));
      },
      end: () => pool.end(),
    };
  });
}

interface Lender {
  pool: Pool;
  slots: Slots;
  clientConfig: ClientConfig;
  observer: PoolObserver | undefined;
}

/** Lends a connection to the primary. @throws AppError `overloaded` when none is free in time. */
async function lend(lender: Lender, scope: StatementScope | undefined): Promise<Loan> {
  const begunAt = performance.now();
  try {
    const freeSlot = await lender.slots.acquire(scope);
    try {
      return await lendWith(lender, scope, freeSlot);
    } catch (error) {
      freeSlot();
      throw error;
    }
  } finally {
    lender.observer?.onWait((performance.now() - begunAt) / 1000);
  }
}

/** Lends what stands for a connection to the replica, or to the primary where that fails. */
async function lendReplica(
  lender: Lender,
  terms: { replica: Replica; scope: StatementScope; reads: Reads },
): Promise<ReplicaLoan> {
  const begunAt = performance.now();
  try {
    const freeSlot = await lender.slots.acquire(terms.scope);
    return new ReplicaLoan({ ...terms, lendPrimary: () => lendWith(lender, terms.scope, freeSlot), freeSlot });
  } finally {
    lender.observer?.onWait((performance.now() - begunAt) / 1000);
  }
}

async function lendWith(
  { pool, clientConfig }: Lender,
  scope: StatementScope | undefined,
  freeSlot: () => void,
): Promise<Loan> {
  return new Loan(await pool.connect(), { scope, freeSlot, clientConfig });
}
