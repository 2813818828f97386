import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../../model/errors.ts';

/** The terms of the statements that a piece of work for a caller runs on the connections of requests. */
export interface StatementScope {
  /** Aborts when no caller waits for the result any more. A reason that is an AppError is what statements fail with. */
  signal: AbortSignal;
  /** True: the statements may take long, and get at most a share of the connections. */
  isExpensive: boolean;
  /** The server of all further reads; absent: the primary. Statements that do more than read leave the replica first. */
  reads?: Reads | undefined;
}

/** The server that a response is read from. */
export interface Reads {
  fromReplica: boolean;
}

const scopes = new AsyncLocalStorage<StatementScope | undefined>();

/** Runs work whose statements end with a scope. Stores need not pass the scope on. */
export function withinScope<Result>(scope: StatementScope, work: () => Promise<Result>): Promise<Result> {
  return scopes.run(scope, work);
}

/** Runs work that goes on when the caller has disconnected. */
export function outsideOfScope<Result>(work: () => Promise<Result>): Promise<Result> {
  return scopes.run(undefined, work);
}

export function currentScope(): StatementScope | undefined {
  return scopes.getStore();
}

/**
 * Lets everything that follows in the current scope be read from the primary: it depends on a change that was just made.
 * @returns whether it was read from a replica until now.
 */
export function leaveReplica(): boolean {
  const reads = currentScope()?.reads;
  if (reads?.fromReplica !== true) return false;
  reads.fromReplica = false;
  return true;
}

/** Returns the error of work whose scope has ended. */
export function errorOfEnd({ reason }: AbortSignal): AppError {
  return reason instanceof AppError ? reason : new AppError('too_slow', 'The client ended the request.');
}
