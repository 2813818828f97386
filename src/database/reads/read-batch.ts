import type { PostgresQueryResult } from 'kysely';
import { Query } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';

/** A column of a statement, with the function that reads its text. */
export interface Column {
  name: string;
  read: (text: string) => unknown;
}

/** A statement that a connection has prepared, and the receivers of its result. */
export interface BatchedRead {
  name: string;
  text: string;
  values: readonly unknown[];
  columns: readonly Column[];
  resolve: (result: PostgresQueryResult<object>) => void;
  reject: (error: unknown) => void;
}

/** The parts of the driver's connection that a batch needs, for which the driver declares no type. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(message: object): void;
  sync(): void;
}

/** The code of PostgreSQL for a statement that was cancelled, or took too long. */
const queryCanceled = '57014';

/**
 * Prepared statements that a connection runs one after another. The server sends their results at once, and no
 * descriptions of their columns, which are known: a statement whose columns changed since fails.
 */
export class ReadBatch extends Query {
  readonly #reads: readonly BatchedRead[];
  readonly #again: (reads: readonly BatchedRead[]) => void;
  #next = 0;
  #rows: object[] = [];
  #unreadable: unknown;
  /** Set by the driver, which reports the end of the batch by it. */
  declare callback: (error: unknown) => void;

  /** @param again receives the statements that the server skipped, because one before them failed. */
  constructor(reads: readonly BatchedRead[], again: (reads: readonly BatchedRead[]) => void) {
    // Given an object, the driver would copy it property by property for each batch.
    super(reads.map(({ text }) => text).join(';\n'));
    this.#reads = reads;
    this.#again = again;
  }

  /** The number of statements. */
  get size(): number {
    return this.#reads.length;
  }

  override submit = (connection: object): void => {
    const wire: Wire = Object(connection);
    wire.stream.cork();
    for (const { name, values } of this.#reads) {
      wire.bind({ statement: name, values, valueMapper: prepareValue });
      wire.execute({});
    }
    wire.sync();
    wire.stream.uncork();
  };

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const columns = this.#reads[this.#next]?.columns ?? [];
    const row: Record<string, unknown> = {};
    try {
      for (let place = 0; place < columns.length; place += 1) {
        const [column, text] = [columns[place], fields[place]];
        if (column !== undefined) row[column.name] = text === null || text === undefined ? null : column.read(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#unreadable ??= error;
    }
  }

  handleCommandComplete(): void {
    const [read, rows, error] = [this.#reads[this.#next], this.#rows, this.#unreadable];
    this.#next += 1;
    this.#rows = [];
    this.#unreadable = undefined;
    if (error === undefined) read?.resolve({ command: 'SELECT', rowCount: rows.length, rows });
    else read?.reject(error);
  }

  handleError(error: unknown): void {
    const [failed, ...skipped] = this.#reads.slice(this.#next);
    this.#next = this.#reads.length;
    failed?.reject(error);
    if (!isOfOneStatement(error)) for (const { reject } of skipped) reject(error);
    else if (skipped.length > 0) this.#again(skipped);
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}

/** Returns whether an error says nothing about the statements that follow: the connection works, and the caller waits. */
function isOfOneStatement(error: unknown): boolean {
  return (
    error instanceof Error && 'severity' in error && error.severity === 'ERROR' && Object(error).code !== queryCanceled
  );
}
