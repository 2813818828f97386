import { type RawBuilder, sql } from 'kysely';

/** A statement in parts, each of which may use those before it; what is used more than once is computed once. */
export class Statement {
  readonly #parts: RawBuilder<unknown>[] = [];

  add(name: string, query: RawBuilder<unknown>): void {
    this.#parts.push(sql`${sql.id(name)} as (${query})`);
  }

  /** What is computed once however it is used. */
  addOnce(name: string, query: RawBuilder<unknown>): void {
    this.#parts.push(sql`${sql.id(name)} as materialized (${query})`);
  }

  toSql<Row>(query: RawBuilder<Row>): RawBuilder<Row> {
    return this.#parts.length === 0 ? query : sql<Row>`with ${sql.join(this.#parts, sql`, `)} ${query}`;
  }
}
