import type { PostgresQueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { writeAtOnce } from '../connections/pool.ts';
import { storable } from '../tables/storable.ts';
import { type BatchedRead, type Column, ReadBatch } from './read-batch.ts';

/** A statement, and the name under which a connection prepares it. */
interface NamedRead {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** The driver's connection, whose result of a named statement has the types of the columns. */
interface NamedClient {
  query<Row>(statement: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<PostgresQueryResult<Row> & { fields: readonly { name: string; dataTypeID: number }[] }>;
  query(batch: ReadBatch, onEnd: () => void): void;
}

/** The driver declares an enumeration of the types that it knows, and takes those of extensions too. */
interface Types {
  getTypeParser(type: number, format: 'text'): (text: string) => unknown;
}

/**
 * The statements that a connection prepares. The first run of each shows its columns; from then on, reads that run at once
 * are sent as a batch.
 */
export class PreparedReads {
  static readonly #all = new WeakMap<PoolClient, PreparedReads>();
  readonly #client: PoolClient;
  readonly #columns = new Map<string, readonly Column[]>();
  #gathered: BatchedRead[] = [];

  private constructor(client: PoolClient) {
    this.#client = client;
  }

  static of(client: PoolClient): PreparedReads {
    const reads = PreparedReads.#all.get(client) ?? new PreparedReads(client);
    PreparedReads.#all.set(client, reads);
    return reads;
  }

  run<Row>(read: NamedRead): Promise<PostgresQueryResult<Row>> {
    const columns = this.#columns.get(read.name);
    return columns === undefined ? this.#prepare<Row>(read) : this.#gather<Row>(read, columns);
  }

  async #prepare<Row>({ name, text, values }: NamedRead): Promise<PostgresQueryResult<Row>> {
    const client: NamedClient = this.#client;
    writeAtOnce(this.#client);
    const result = await client.query<Row>({ name, text, values: [...values] });
    const types: Types = this.#client;
    const columns = result.fields.map(({ name: column, dataTypeID }) => ({
      name: column,
      read: types.getTypeParser(dataTypeID, 'text'),
    }));
    this.#columns.set(name, columns);
    return result;
  }

  /** Sends a read together with all others that are run before the event loop goes on. */
  #gather<Row>({ name, text, values }: NamedRead, columns: readonly Column[]): Promise<PostgresQueryResult<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresQueryResult<Row>>();
    if (this.#gathered.length === 0) {
      process.nextTick(() => {
        const reads = this.#gathered;
        this.#gathered = [];
        this.#send(reads);
      });
    }
    const give = (result: object): void => resolve(Object(result));
    this.#gathered.push({ name, text, values: values.map(storable), columns, resolve: give, reject });
    return promise;
  }

  #send(reads: readonly BatchedRead[]): void {
    const client: NamedClient = this.#client;
    client.query(new ReadBatch(reads, (skipped) => this.#send(skipped)), () => {});
  }
}
