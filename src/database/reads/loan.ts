import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { ClientConfig, PoolClient } from 'pg';
import { cancelStatement, writeAtOnce } from '../connections/pool.ts';
import { isPooled } from '../connections/sessions.ts';
import { isOutdated, preparedName } from './point-reads.ts';
import { overloaded } from './slots.ts';
import { errorOfEnd, type StatementScope } from './statement-scope.ts';

/** A cancellation that arrives before its statement has no effect, and is repeated after this time, in ms. */
const cancelAgainMs = 500;
const queryCanceled = '57014';

/** The driver's connection, of which the driver declares that rows may have any type. */
interface NamingClient {
  query<Row>(statement: { name?: string; text: string; values: unknown[] }): Promise<PostgresQueryResult<Row>>;
}

interface LoanTerms {
  scope: StatementScope | undefined;
  /** Called after the connection is back in its pool, so that the next request may use one. */
  freeSlot: () => void;
  clientConfig: ClientConfig;
}

/** A connection, or what stands for one, that is lent to a request until `release`. */
export abstract class LentConnection implements PostgresPoolClient {
  query<Row>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    statement: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof statement !== 'string') throw new Error('statements of requests have no cursors');
    return this.run(statement, parameters);
  }

  protected abstract run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;

  /** Returns the connection. @param destroy ends it, because its state is not known. */
  abstract release(destroy?: boolean): void;
}

/**
 * A connection that is lent to one request until `release`. Statements that are sent while others run are run after
 * them, where the connection was opened with `pipeline`.
 */
export class Loan extends LentConnection {
  readonly #client: PoolClient;
  readonly #terms: LoanTerms;
  readonly #statements = new Set<Promise<unknown>>();
  /** False in a transaction, which a failure would end, and behind a pooler, where each statement may have another session. */
  #mayPrepare: boolean;
  #hasOutdated = false;
  /** Resolves when no cancellation is under way any more, with whether the connection may be used again. */
  #cancelling: Promise<boolean> | undefined;

  constructor(client: PoolClient, terms: LoanTerms) {
    super();
    this.#client = client;
    this.#terms = terms;
    this.#mayPrepare = !isPooled(terms);
    terms.scope?.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    if (this.#statements.size > 0) this.#cancelling = this.#cancel([...this.#statements]);
  };

  protected override async run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const signal = this.#terms.scope?.signal;
    if (signal?.aborted && text !== 'rollback') throw errorOfEnd(signal);
    if (beginsTransaction(text)) this.#mayPrepare = false;
    const name = this.#mayPrepare ? preparedName(text) : undefined;
    const client: NamingClient = this.#client;
    if (name !== undefined) writeAtOnce(this.#client);
    const statement = client.query<Row>({ text, values: [...parameters], ...(name !== undefined && { name }) });
    this.#statements.add(statement);
    try {
      return await statement;
    } catch (error) {
      if (signal?.aborted) throw errorOfEnd(signal);
      if (name !== undefined && isOutdated(error)) {
        this.#hasOutdated = true;
        this.#mayPrepare = false;
        return await this.run(text, parameters);
      }
      throw isCanceled(error) ? overloaded(error) : error;
    } finally {
      this.#statements.delete(statement);
    }
  }

  /** Returns the connection to its pool, once no cancellation can reach the statement of the next user. */
  override release(destroy = false): void {
    const { scope, freeSlot } = this.#terms;
    scope?.signal.removeEventListener('abort', this.#onAbort);
    const end = (isUsable: boolean): void => {
      this.#client.release(destroy || this.#hasOutdated || !isUsable);
      freeSlot();
    };
    if (this.#cancelling === undefined) end(true);
    else void this.#cancelling.then(end);
  }

  /** Cancels until all statements have ended, because a cancellation ends the one that runs. */
  async #cancel(statements: readonly Promise<unknown>[]): Promise<boolean> {
    const isRunning = (statement: Promise<unknown>): boolean => this.#statements.has(statement);
    for (let left = statements; left.length > 0; left = left.filter(isRunning)) {
      if (!(await cancelStatement(this.#client, this.#terms.clientConfig))) return false;
      await Promise.race([...left, wait(cancelAgainMs, undefined, { ref: false })]).catch(() => {});
    }
    return true;
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}

/** Returns whether a statement begins a transaction, whose statements need one connection and may write. */
export function beginsTransaction(text: string): boolean {
  return /^(?:begin|start transaction)\b/i.test(text);
}
