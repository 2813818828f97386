import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../../simulators/host.ts';
import type { Candidate } from './candidate.ts';
import type { Items } from './items.ts';
import type { Outcome } from './run.ts';
import { scopeOf } from './scope.ts';
import { type Row, type Snapshot, textsOf } from './snapshot.ts';

/** Compares a run on a changed response with one on the response as it is. */

export interface Failure {
  /** `stops`, `loops`, `loses`, `changes`, `shows`, `hides the reason`, `stores nonsense`. */
  rule: string;
  detail: string;
}

interface TriedMutation {
  exchange: Exchange;
  candidate: Candidate;
  outcome: Outcome;
}

/** A run with a change may take more requests: it fetches an item again, or reads a page in halves. */
const mostRequests = (baseline: number): number => 2 * baseline + 30;
const isItem = /^(?:account|repository|contribution|commit) /;
/** Changes to values that cannot be read. Null and absence are not among them, because they have a meaning. */
const unreadable = /^(?:2\^53|2\^31|no such day|BigInt)/;

export class Judge {
  readonly #baseline: Outcome;
  readonly #items: Items;

  constructor(baseline: Outcome, items: Items) {
    this.#baseline = baseline;
    this.#items = items;
  }

  assess(mutation: TriedMutation): Failure[] {
    const { outcome } = mutation;
    const differences = differencesOf(this.#baseline.snapshot, outcome.snapshot);
    return [
      ...this.#ends(outcome),
      ...this.#keepsTheRest(mutation, differences),
      ...this.#showsNoMore(mutation),
      ...this.#explainsDifferences(mutation, differences),
      ...storesText(outcome.snapshot),
    ];
  }

  #ends({ faults, requests, jobs }: Outcome): Failure[] {
    const failures = faults.map((detail) => ({ rule: 'stops', detail: shortened(detail) }));
    if (requests > mostRequests(this.#baseline.requests)) {
      failures.push({ rule: 'loops', detail: `${requests} requests instead of ${this.#baseline.requests}` });
    }
    if (jobs > mostRequests(this.#baseline.jobs)) failures.push({ rule: 'loops', detail: `${jobs} jobs` });
    return failures;
  }

  #keepsTheRest({ exchange, candidate, outcome }: TriedMutation, differences: readonly Difference[]): Failure[] {
    const comparison = { baseline: this.#baseline.snapshot, changed: outcome.snapshot, items: this.#items };
    const scope = scopeOf(comparison, exchange, candidate);
    const wrong = differences.filter(({ key, is }) => !scope.allows(key) || (is === undefined && scope.keeps(key)));
    const lost = wrong.filter(({ key, is }) => is === undefined && isItem.test(key));
    const others = wrong.filter((one) => !lost.includes(one));
    return [
      ...(lost.length > 0 ? [{ rule: 'loses', detail: describe(lost) }] : []),
      ...(others.length > 0 ? [{ rule: 'changes', detail: describe(others) }] : []),
    ];
  }

  #showsNoMore({ exchange, candidate, outcome }: TriedMutation): Failure[] {
    const { rows } = outcome.snapshot;
    // Another kind of account has other numbers.
    const replaced = candidate.change.startsWith('member ')
      ? this.#items.enclosing(exchange, candidate.path)
      : new Set();
    const before = this.#baseline.snapshot.rows;
    const shown = [...rows].filter(([key, row]) => isShown(rows, key, row));
    const added = shown.filter(([key, row]) => !isShown(before, key, before.get(key)) && isItem.test(key) && row);
    const larger = shown
      .filter(([key]) => !replaced.has(key.replace(/^counters (\S+) .*/, 'account $1')))
      .flatMap(([key, row]) =>
        Object.entries(row)
          .filter(
            ([column, value]) => counted(key, column) && Number(value ?? 0) > Number(before.get(key)?.[column] ?? 0),
          )
          .map(
            ([column, value]) => `${key}: ${column} ${String(value)} instead of ${String(before.get(key)?.[column])}`,
          ),
      );
    const failures: Failure[] = added.map(([key]) => ({ rule: 'shows', detail: key }));
    return larger.length > 0 ? [...failures, { rule: 'shows', detail: larger.slice(0, 3).join('; ') }] : failures;
  }

  #explainsDifferences({ candidate, outcome }: TriedMutation, differences: readonly Difference[]): Failure[] {
    const { snapshot } = this.#baseline;
    const known = new Set(snapshot.reasons.map((reason) => JSON.stringify(reason)));
    const isReported = outcome.snapshot.reasons.some((reason) => !known.has(JSON.stringify(reason)));
    const isMissing = differences.some(
      ({ key, was, is }) =>
        /^(?:counters|seen) /.test(key) && textsOf(is, 'missing').length > textsOf(was, 'missing').length,
    );
    if (isReported || isMissing) return [];
    const lost = differences.filter(({ key, is, was }) => was !== undefined && is === undefined && isItem.test(key));
    const unread = unreadable.test(candidate.change) ? differences : [];
    const why = lost.length > 0 ? lost : unread;
    return why.length === 0 ? [] : [{ rule: 'hides the reason', detail: describe(why) }];
  }
}

interface Difference {
  key: string;
  was: Row | undefined;
  is: Row | undefined;
}

function differencesOf(before: Snapshot, after: Snapshot): Difference[] {
  return [...new Set([...before.rows.keys(), ...after.rows.keys()])]
    .map((key) => ({ key, was: before.rows.get(key), is: after.rows.get(key) }))
    .filter(({ was, is }) => !isDeepStrictEqual(was, is));
}

/** Returns the keys of everything that is visible to any caller. */
export function visibleIn({ rows }: Snapshot): Set<string> {
  return new Set([...rows].filter(([key, row]) => isItem.test(key) && isShown(rows, key, row)).map(([key]) => key));
}

function isShown(rows: ReadonlyMap<string, Row>, key: string, row: Row | undefined): boolean {
  if (row === undefined) return false;
  const [kind, id, second] = key.split(' ');
  if (kind === 'account') return row['is_deleted'] !== true && row['hidden'] !== true;
  if (kind === 'counters') return second === 'public';
  const repository = rows.get(`repository ${id}`);
  if (repository === undefined) return false;
  return repository['is_private'] === false && repository['is_deleted'] === false;
}

const countedColumns: Record<string, RegExp> = {
  account: /^(?:followers|following|experience)$/,
  repository: /^(?:stars|forks|open_issues|size_kib)$/,
  counters: /^(?!missing$)/,
  totals: /./,
  contributor: /./,
  day: /./,
};

function counted(key: string, column: string): boolean {
  return countedColumns[key.split(' ')[0] ?? '']?.test(column) ?? false;
}

function storesText({ rows }: Snapshot): Failure[] {
  const invalidRows = [...rows].filter(([, row]) => /\\u0000|\\ud[89a-f]/i.test(JSON.stringify(row)));
  return invalidRows.slice(0, 3).map(([key]) => ({ rule: 'stores nonsense', detail: key }));
}

function describe(differences: readonly Difference[]): string {
  const lines = differences.slice(0, 3).map(({ key, was, is }) => {
    if (is === undefined) return `${key} is not stored`;
    if (was === undefined) return `${key} is new`;
    const columns = Object.keys(is).filter((column) => !isDeepStrictEqual(is[column], was[column]));
    return `${key}: ${columns.map((one) => `${one} ${JSON.stringify(is[one])} instead of ${JSON.stringify(was[one])}`).join(', ')}`;
  });
  const more = differences.length - lines.length;
  return shortened([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
