import type { PostgresPoolClient } from 'kysely';
import type { ClientConfig, Pool } from 'pg';
import { Loan } from './loan.ts';
import { type ConnectionPool, openPool, type PoolLimits } from './pool.ts';
import type { Replica } from './replica.ts';
import { ReplicaLoan } from './replica-loan.ts';
import { Slots } from './slots.ts';
import { currentScope, leaveReplica } from './statement-scope.ts';

/** The queues for connections, by the number of connections. */
const waitingPerConnection = { ordinary: 16, expensive: 2 };
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
  return openPool(clientConfig, limits, (pool) => {
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
    return {
      options: pool.options,
      connect: async () => {
        const begunAt = performance.now();
        try {
          return await lend(pool, slots, { clientConfig, replica });
        } finally {
          observer?.onWait((performance.now() - begunAt) / 1000);
        }
      },
      end: () => pool.end(),
    };
  });
}

async function lend(
  pool: Pool,
  slots: Slots,
  { clientConfig, replica }: { clientConfig: ClientConfig; replica: Replica | undefined },
): Promise<PostgresPoolClient> {
  const scope = currentScope();
  if (replica === undefined) leaveReplica();
  const freeSlot = await slots.acquire(scope);
  const lendPrimary = async (): Promise<Loan> => new Loan(await pool.connect(), { scope, freeSlot, clientConfig });
  if (replica !== undefined && scope?.reads?.fromReplica === true) {
    return new ReplicaLoan({ replica, scope, reads: scope.reads, lendPrimary, freeSlot });
  }
  try {
    return await lendPrimary();
  } catch (error) {
    freeSlot();
    throw error;
  }
}
