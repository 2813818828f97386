import { type RawBuilder, sql } from 'kysely';
import type { RankTerm } from '../conditions/terms.ts';
import { type Measure, momentInSql } from './measures.ts';
import type { Points, SumColumns } from './person-terms.ts';
import type { Statement } from './statement.ts';

interface Sum extends SumColumns {
  name: string;
  actions: readonly string[];
  thresholds: Map<number, string>;
}

interface Ranking {
  name: string;
  term: RankTerm;
  /** The measure that a ranked person must have, and the query part with that measure; undefined to rank all people. */
  filter: { measure: Measure; part: string } | undefined;
}

/** The sums and ranks that conditions use, over the points that were earned: see `pointsSql` in compile.ts. */
export class PointSums implements Points {
  readonly #sums = new Map<string, Sum>();
  readonly #rankings: Ranking[] = [];
  /** Names of the query parts that the conditions of one trigger need. */
  #used = new Set<string>();
  #filterPart = '';

  /**
   * Starts the conditions of the next trigger.
   * @param filterPart the query part with the measures that they filter by.
   * @returns the query parts that they need, complete once they are planned.
   */
  begin(filterPart: string): ReadonlySet<string> {
    this.#filterPart = filterPart;
    this.#used = new Set();
    return this.#used;
  }

  get actions(): Set<string> {
    const terms = this.#rankings.map(({ term }) => term);
    return new Set([...this.#sums.values(), ...terms].flatMap(({ actions }) => actions));
  }

  sum(actions: readonly string[]): SumColumns {
    const key = JSON.stringify(actions.toSorted());
    const sum = this.#sums.get(key) ?? newSum(`sum${this.#sums.size}`, actions);
    this.#sums.set(key, sum);
    this.#used.add(sum.name);
    return sum;
  }

  rank(term: RankTerm, measure: Measure | undefined): string {
    const name = `rank${this.#rankings.length}`;
    this.#rankings.push({ name, term, filter: measure && { measure, part: this.#filterPart } });
    this.#used.add(name);
    return `${name}_at`;
  }

  /** @param points the name of the query part with all points that were earned. */
  addTo(statement: Statement, points: string): void {
    for (const { name, actions, total, first, thresholds } of this.#sums.values()) {
      const reached = [...thresholds].map(
        ([number, column]) => sql`, min(at) filter (where total >= ${number}::bigint) as ${sql.id(column)}`,
      );
      statement.add(
        name,
        sql`select person, max(total) as ${sql.id(total)}, min(at) as ${sql.id(first)} ${sql.join(reached, sql``)}
          from (
            select person, at, sum(value) over (partition by person order by at) as total
            from ${sql.id(points)} where action = any(${actions}::text[])) as growing
          group by person`,
      );
    }
    for (const ranking of this.#rankings) statement.add(ranking.name, rankingSql(ranking, points));
  }
}

function newSum(name: string, actions: readonly string[]): Sum {
  const thresholds = new Map<number, string>();
  return {
    name,
    actions,
    thresholds,
    total: `${name}_total`,
    first: `${name}_first`,
    reached: (number) => {
      const column = thresholds.get(number) ?? `${name}_reached_${thresholds.size}`;
      thresholds.set(number, column);
      return column;
    },
  };
}

/**
 * Returns SQL for the person at a rank. Equal sums are ordered by the time at which they were reached, then by the age
 * of the stored account.
 */
function rankingSql({ name, term, filter }: Ranking, points: string): RawBuilder<unknown> {
  const isRanked =
    filter === undefined
      ? sql``
      : sql`and person in (select person from ${sql.id(filter.part)} where ${momentInSql(filter.measure, 1)} is not null)`;
  return sql`select person, at as ${sql.id(`${name}_at`)} from (
      select person, max(at) as at, row_number() over (order by sum(value) desc, max(at), person) as rank
      from ${sql.id(points)} where action = any(${term.actions}::text[]) ${isRanked} group by person) as ranked
    where rank = ${term.rank}::bigint`;
}
