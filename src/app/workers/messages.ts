import type { Registry } from 'prom-client';
import { type Static, Type } from 'typebox';

/** The work of a process of a node: some respond to requests, one runs the jobs. */
export type Role = 'requests' | 'jobs';

/** The metrics of a process. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A message to a process; a connection comes with its socket. */
export const ToWorker = Type.Union([
  Type.Object({ kind: Type.Literal('connection'), id: Type.Integer() }),
  Type.Object({ kind: Type.Literal('metrics'), id: Type.Integer() }),
  // The response to `stopping`: no connection follows.
  Type.Object({ kind: Type.Literal('retired') }),
]);
export type ToWorker = Static<typeof ToWorker>;

/** A message of a process. */
export const FromWorker = Type.Union([
  // The number of open connections, and the one that was taken over.
  Type.Object({ kind: Type.Literal('confirmed'), id: Type.Integer(), open: Type.Integer() }),
  Type.Object({ kind: Type.Literal('open'), open: Type.Integer() }),
  // The process can work. `hosts` are the states of hosts, of the process for jobs.
  Type.Object({ kind: Type.Literal('ready'), hosts: Type.Array(Type.String()) }),
  Type.Object({
    kind: Type.Literal('metrics'),
    id: Type.Integer(),
    metrics: Type.Unsafe<Snapshot>(Type.Array(Type.Object({}))),
  }),
  Type.Object({ kind: Type.Literal('stopping') }),
]);
export type FromWorker = Static<typeof FromWorker>;
