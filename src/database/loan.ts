import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { ClientConfig, PoolClient } from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { overloaded } from './slots.ts';
import { errorOfEnd, type StatementScope } from './statement-scope.ts';

/** A cancellation that arrives before its statement has no effect, and is repeated after this time, in ms. */
const cancelAgainMs = 500;
const queryCanceled = '57014';

export interface LoanTerms {
  scope: StatementScope | undefined;
  freeSlot: () => void;
  clientConfig: ClientConfig;
}

/** A connection while one piece of work uses it. */
export class Loan implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #terms: LoanTerms;
  #statement: Promise<unknown> | undefined;
  /** Resolves when no cancellation is under way any more, with whether the connection may be used again. */
  #cancelling: Promise<boolean> | undefined;

  constructor(client: PoolClient, terms: LoanTerms) {
    this.#client = client;
    this.#terms = terms;
    terms.scope?.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    if (this.#statement !== undefined) this.#cancelling = this.#cancel(this.#statement);
  };

  query<Row>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    statement: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof statement !== 'string') throw new Error('statements of requests have no cursors');
    return this.#run(statement, parameters);
  }

  async #run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const signal = this.#terms.scope?.signal;
    if (signal?.aborted && text !== 'rollback') throw errorOfEnd(signal);
    const client: PostgresPoolClient = this.#client;
    const statement = client.query<Row>(text, parameters);
    this.#statement = statement;
    try {
      return await statement;
    } catch (error) {
      if (signal?.aborted) throw errorOfEnd(signal);
      throw isCanceled(error) ? overloaded(error) : error;
    } finally {
      this.#statement = undefined;
    }
  }

  /** Returns the connection to its pool, once no cancellation can reach the statement of the next user. */
  release(destroy = false): void {
    const { scope, freeSlot } = this.#terms;
    scope?.signal.removeEventListener('abort', this.#onAbort);
    const end = (isUsable: boolean): void => {
      this.#client.release(destroy || !isUsable);
      freeSlot();
    };
    if (this.#cancelling === undefined) end(true);
    else void this.#cancelling.then(end);
  }

  async #cancel(statement: Promise<unknown>): Promise<boolean> {
    const ended = statement.then(
      () => true,
      () => true,
    );
    for (;;) {
      if (!(await cancelStatement(this.#client, this.#terms.clientConfig))) return false;
      if (await Promise.race([ended, wait(cancelAgainMs, false, { ref: false })])) return true;
    }
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}
