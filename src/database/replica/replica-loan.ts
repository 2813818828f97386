import type { PostgresQueryResult } from 'kysely';
import { beginsTransaction, LentConnection, type Loan } from '../reads/loan.ts';
import type { Reads, StatementScope } from '../reads/statement-scope.ts';
import type { Replica } from './replica.ts';

interface Terms {
  replica: Replica;
  scope: StatementScope;
  reads: Reads;
  /** Lends a connection to the primary, which frees the slot when it is released. */
  lendPrimary: () => Promise<Loan>;
  freeSlot: () => void;
}

/**
 * Stands for a connection while one piece of work reads. A statement that the replica cannot serve now, and all that
 * follow in the scope, run on the primary.
 */
export class ReplicaLoan extends LentConnection {
  readonly #terms: Terms;
  #primary: Loan | undefined;

  constructor(terms: Terms) {
    super();
    this.#terms = terms;
  }

  protected override async run<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const { replica, scope, reads, lendPrimary } = this.#terms;
    if (this.#primary === undefined && reads.fromReplica && !beginsTransaction(text)) {
      const result = await replica.read<Row>(scope, text, parameters);
      if (result !== undefined) return result;
    }
    reads.fromReplica = false;
    this.#primary ??= await lendPrimary();
    return this.#primary.query<Row>(text, parameters);
  }

  override release(destroy = false): void {
    if (this.#primary === undefined) this.#terms.freeSlot();
    else this.#primary.release(destroy);
  }
}
