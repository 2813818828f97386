import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';

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
