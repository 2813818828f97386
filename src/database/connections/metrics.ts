import { Counter, Histogram, type Registry } from 'prom-client';
import { registerGauge, sharing } from '../../model/gauge.ts';
import { countJobs, jobStates } from '../queue/job-counts.ts';
import { countDelayedLookups, delayReasons } from '../queue/lookups.ts';
import type { OnJobEnd } from '../queue/queue.ts';
import { type ReplicaObserver, replicaOutcomes } from '../reads/replica.ts';
import { findBlockingTransactions } from '../schema/blocking-transactions.ts';
import type { Connection } from './connection.ts';
import type { PoolObserver } from './pool.ts';

/** The connections of requests, those of jobs, those for cheap statements that must not wait, and those to the replica. */
export type PoolName = 'requests' | 'jobs' | 'control' | 'replica';

/** Returns a function that makes the observer of a pool, which reports its connections, waits and statements. */
export function createPoolMetrics(registry: Registry): (name: PoolName) => PoolObserver {
  const waits = new Histogram({
    name: 'plaudit_database_wait_seconds',
    help: 'Time until a connection of a pool was free.',
    labelNames: ['pool'],
    buckets: [0.001, 0.01, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  const statements = new Histogram({
    name: 'plaudit_database_statement_seconds',
    help: 'Time from sending a statement, alone or with others, to the last result, also when it failed.',
    labelNames: ['pool'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60],
    registers: [registry],
  });
  const pools = new Map<PoolName, Parameters<PoolObserver['onOpen']>[0]>();
  registerGauge(registry, {
    name: 'plaudit_database_connections',
    help: 'Connections of a pool: busy, idle, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    read: () =>
      [...pools].flatMap(([pool, { totalCount, idleCount, waitingCount }]) => [
        { labels: { pool, state: 'busy' }, value: totalCount - idleCount },
        { labels: { pool, state: 'idle' }, value: idleCount },
        { labels: { pool, state: 'waiting' }, value: waitingCount },
      ]),
  });
  return (name) => ({
    onOpen: (pool) => pools.set(name, pool),
    onWait: (seconds) => waits.observe({ pool: name }, seconds),
    onStatement: (seconds) => statements.observe({ pool: name }, seconds),
  });
}

/** Returns a function that makes the observer of the replica. Without a replica its metrics have no values. */
export function createReplicaMetrics(registry: Registry): (pool: PoolObserver) => ReplicaObserver {
  let opened: Parameters<ReplicaObserver['onOpen']>[0] | undefined;
  const reads = new Counter({
    name: 'plaudit_replica_reads_total',
    help: 'Statements for the replica: read (there), behind (it lacked known changes), away, failed; all but read run on the primary.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  registerGauge(registry, {
    name: 'plaudit_replica_up',
    help: 'Whether the replica responds and is a standby of the database.',
    labelNames: [],
    aggregator: 'min',
    read: () => (opened === undefined ? [] : [{ labels: {}, value: opened.isUsable ? 1 : 0 }]),
  });
  registerGauge(registry, {
    name: 'plaudit_replica_behind_bytes',
    help: 'The log that the replica has to have for reads and had not replayed at the last check.',
    labelNames: [],
    aggregator: 'max',
    read: () => (opened === undefined ? [] : [{ labels: {}, value: opened.behindBytes }]),
  });
  return (pool) => ({
    pool,
    onRead: (outcome) => reads.inc({ outcome }),
    onOpen: (replica) => {
      opened = replica;
      for (const outcome of replicaOutcomes) reads.inc({ outcome }, 0);
    },
  });
}

/** Returns a function that records the end of a run of a job on this node. */
export function createJobMetrics(registry: Registry): OnJobEnd {
  const runs = new Histogram({
    name: 'plaudit_job_seconds',
    help: 'Time of runs of jobs on this node: done, failed (tried again), returned (the service stopped, or the database was away).',
    labelNames: ['task', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers: [registry],
  });
  return (task, outcome, seconds) => runs.observe({ task, outcome }, seconds);
}

/** Registers the length and the age of the queue of jobs, which are read from the database when metrics are fetched. */
export function registerQueueMetrics(registry: Registry, connection: Connection): void {
  const count = sharing(() => countJobs(connection));
  registerGauge(registry, {
    name: 'plaudit_jobs',
    help: 'Jobs of all nodes: due (waiting for a worker), running, delayed (waiting for their time), given_up (failed for good).',
    labelNames: ['task', 'state'],
    read: async () =>
      (await count()).flatMap((counts) =>
        jobStates.map((state) => ({ labels: { task: counts.task, state }, value: counts[state] })),
      ),
  });
  registerGauge(registry, {
    name: 'plaudit_jobs_longest_wait_seconds',
    help: 'Time for which the oldest due job of all nodes has waited for a worker.',
    labelNames: ['task'],
    read: async () => (await count()).map(({ task, longestWaitS }) => ({ labels: { task }, value: longestWaitS })),
  });
}

const maxBlocking = 10;

/** Registers the transactions for whose locks others wait, which are read from the database when metrics are fetched. */
export function registerLockMetrics(registry: Registry, connection: Connection): void {
  registerGauge(registry, {
    name: 'plaudit_database_lock_wait_seconds',
    help: 'Time for which others have waited for a lock of a transaction: its session, its state, and the table or kind of the lock.',
    labelNames: ['pid', 'state', 'lock'],
    read: async () =>
      (await findBlockingTransactions(connection, maxBlocking)).map(({ pid, state, lock, waitS: value }) => ({
        labels: { pid: String(pid), state, lock },
        value,
      })),
  });
}

/** Registers the length of the queue of delayed lookups, which is read from the database when metrics are fetched. */
export function registerLookupMetrics(registry: Registry, connection: Connection, now: () => Date): void {
  registerGauge(registry, {
    name: 'plaudit_delayed_lookups',
    help: 'Lookups of new names that wait for an allowance or for the quota of a host, on all nodes together.',
    labelNames: ['reason'],
    read: async () => {
      const delayed = await countDelayedLookups(connection, now());
      return delayReasons.map((reason) => ({
        labels: { reason },
        value: delayed.find((delay) => delay.reason === reason)?.count ?? 0,
      }));
    },
  });
}
