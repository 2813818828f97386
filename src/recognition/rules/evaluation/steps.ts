import { type RawBuilder, sql } from 'kysely';

/**
 * The parts that a query reads first. Each reads either tables that are divided by repository or other tables, because a
 * Citus cluster relates only their results: docs/decisions/0087-statements-on-citus.md. PostgreSQL plans a part with one
 * use as if it were written in its place.
 */
export class Steps {
  readonly #parts = new Map<string, { name: string; query: RawBuilder<unknown> }>();

  /** Adds a part, once for the same key. @returns its name. */
  add(key: string, query: RawBuilder<unknown>): RawBuilder<unknown> {
    const { name } = this.#parts.get(key) ?? { name: `step${this.#parts.size}` };
    this.#parts.set(key, { name, query });
    return sql.id(name);
  }

  /** Returns the text before `select`, which must be built first. */
  toSql(): RawBuilder<unknown> {
    const parts = [...this.#parts.values()].map(({ name, query }) => sql`${sql.id(name)} as (${query})`);
    return parts.length === 0 ? sql`` : sql`with ${sql.join(parts)}`;
  }
}
