import type { PostgresQueryResult } from 'kysely';
import { LentConnection, type Loan } from './loan.ts';
import { preparedName } from './point-reads.ts';

/**
 * Lends one connection to the point reads of a scope that run at the same time. They are sent together and run one after
 * another, which costs less than a connection, a write and a process of the server for each.
 */
export class SharedReads {
  readonly #lend: () => Promise<Loan>;
  #loan: Promise<Loan> | undefined;
  #running = 0;

  constructor(lend: () => Promise<Loan>) {
    this.#lend = lend;
  }

  async read<Row>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    this.#running += 1;
    this.#loan ??= this.#lend();
    const lent = this.#loan;
    try {
      return await (await lent).query<Row>(statement, parameters);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) {
        this.#loan = undefined;
        lent.then(
          (loan) => loan.release(),
          () => {},
        );
      }
    }
  }
}

/** Stands for a connection until its first statement, because point reads need none of their own. */
export class DeferredLoan extends LentConnection {
  readonly #reads: SharedReads;
  readonly #lend: () => Promise<Loan>;
  #own: Loan | undefined;

  constructor(reads: SharedReads, lend: () => Promise<Loan>) {
    super();
    this.#reads = reads;
    this.#lend = lend;
  }

  protected override async run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    // The statements of a transaction follow its `begin`, which took a connection.
    if (this.#own === undefined && preparedName(text) !== undefined) return this.#reads.read<Row>(text, parameters);
    this.#own ??= await this.#lend();
    return this.#own.query<Row>(text, parameters);
  }

  override release(destroy = false): void {
    this.#own?.release(destroy);
  }
}
