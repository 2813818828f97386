import { type RawBuilder, sql } from 'kysely';

/**
 * A statement in named parts, each of which may use those before it; PostgreSQL computes a part with several uses once.
 */
export class Statement {
  readonly #parts: RawBuilder<unknown>[] = [];

  add(name: string, query: RawBuilder<unknown>): void {
    this.#parts.push(sql`${sql.id(name)} as (${query})`);
  }

  /** Adds a part that PostgreSQL computes once and separately, even if it has a single use. */
  addOnce(name: string, query: RawBuilder<unknown>): void {
    this.#parts.push(sql`${sql.id(name)} as materialized (${query})`);
  }

  toSql<Row>(query: RawBuilder<Row>): RawBuilder<Row> {
    return this.#parts.length === 0 ? query : sql<Row>`with ${sql.join(this.#parts, sql`, `)} ${query}`;
  }
}
