import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../../simulators/host.ts';
import type { Candidate } from './candidate.ts';
import type { Items } from './items.ts';
import type { Outcome } from './run.ts';
import { toScope } from './scope.ts';
import { listTexts, type Row, type Snapshot } from './snapshot.ts';

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

/** Returns the limit of a run with a change: it may fetch an item again, or read a page in halves. */
const mostRequests = (baseline: number): number => 2 * baseline + 30;
const isItem = /^(?:account|repository|contribution|commit) /;
/** Names of changes to values that cannot be read. Null and absence are not among them, because they have a meaning. */
const unreadable = /^(?:2\^53|2\^31|no such day|BigInt)/;

/** Compares runs on changed responses with a run on the unchanged ones. */
export class Assessor {
  readonly #baseline: Outcome;
  readonly #items: Items;

  constructor(baseline: Outcome, items: Items) {
    this.#baseline = baseline;
    this.#items = items;
  }

  /** Returns the rules that a run on a changed response broke. */
  assess(mutation: TriedMutation): Failure[] {
    const { outcome } = mutation;
    const differences = listDifferences(this.#baseline.snapshot, outcome.snapshot);
    return [
      ...this.#findStops(outcome),
      ...this.#findUnexpectedChanges(mutation, differences),
      ...this.#findExposures(mutation),
      ...this.#findUnexplained(mutation, differences),
      ...findUnreadableText(outcome.snapshot),
    ];
  }

  #findStops({ faults, requests, jobs }: Outcome): Failure[] {
    const failures = faults.map((detail) => ({ rule: 'stops', detail: shorten(detail) }));
    if (requests > mostRequests(this.#baseline.requests)) {
      failures.push({ rule: 'loops', detail: `${requests} requests instead of ${this.#baseline.requests}` });
    }
    if (jobs > mostRequests(this.#baseline.jobs)) failures.push({ rule: 'loops', detail: `${jobs} jobs` });
    return failures;
  }

  #findUnexpectedChanges(
    { exchange, candidate, outcome }: TriedMutation,
    differences: readonly Difference[],
  ): Failure[] {
    const comparison = { baseline: this.#baseline.snapshot, changed: outcome.snapshot, items: this.#items };
    const scope = toScope(comparison, exchange, candidate);
    const wrong = differences.filter(
      ({ key, after }) => !scope.allows(key) || (after === undefined && scope.requires(key)),
    );
    const lost = wrong.filter(({ key, after }) => after === undefined && isItem.test(key));
    const otherDifferences = wrong.filter((difference) => !lost.includes(difference));
    return [
      ...(lost.length > 0 ? [{ rule: 'loses', detail: describe(lost) }] : []),
      ...(otherDifferences.length > 0 ? [{ rule: 'changes', detail: describe(otherDifferences) }] : []),
    ];
  }

  #findExposures({ exchange, candidate, outcome }: TriedMutation): Failure[] {
    const { rows } = outcome.snapshot;
    // An account that was read as another kind has other numbers.
    const replaced = candidate.change.startsWith('member ')
      ? this.#items.itemsAround(exchange, candidate.path)
      : new Set();
    const before = this.#baseline.snapshot.rows;
    const visible = [...rows].filter(([key, row]) => isVisible(rows, key, row));
    const added = visible.filter(([key, row]) => !isVisible(before, key, before.get(key)) && isItem.test(key) && row);
    const larger = visible
      .filter(([key]) => !replaced.has(key.replace(/^counters (\S+) .*/, 'account $1')))
      .flatMap(([key, row]) =>
        Object.entries(row)
          .filter(
            ([column, value]) => isCount(key, column) && Number(value ?? 0) > Number(before.get(key)?.[column] ?? 0),
          )
          .map(
            ([column, value]) => `${key}: ${column} ${String(value)} instead of ${String(before.get(key)?.[column])}`,
          ),
      );
    const failures: Failure[] = added.map(([key]) => ({ rule: 'shows', detail: key }));
    return larger.length > 0 ? [...failures, { rule: 'shows', detail: larger.slice(0, 3).join('; ') }] : failures;
  }

  #findUnexplained({ candidate, outcome }: TriedMutation, differences: readonly Difference[]): Failure[] {
    const { snapshot } = this.#baseline;
    const reasonsBefore = new Set(snapshot.reasons.map((reason) => JSON.stringify(reason)));
    const isReported = outcome.snapshot.reasons.some((reason) => !reasonsBefore.has(JSON.stringify(reason)));
    const isMissing = differences.some(
      ({ key, before, after }) =>
        /^(?:counters|reported) /.test(key) && listTexts(after, 'missing').length > listTexts(before, 'missing').length,
    );
    if (isReported || isMissing) return [];
    const lost = differences.filter(
      ({ key, after, before }) => before !== undefined && after === undefined && isItem.test(key),
    );
    const unread = unreadable.test(candidate.change) ? differences : [];
    const unexplained = lost.length > 0 ? lost : unread;
    return unexplained.length === 0 ? [] : [{ rule: 'hides the reason', detail: describe(unexplained) }];
  }
}

interface Difference {
  key: string;
  before: Row | undefined;
  after: Row | undefined;
}

function listDifferences(before: Snapshot, after: Snapshot): Difference[] {
  return [...new Set([...before.rows.keys(), ...after.rows.keys()])]
    .map((key) => ({ key, before: before.rows.get(key), after: after.rows.get(key) }))
    .filter((difference) => !isDeepStrictEqual(difference.before, difference.after));
}

/** Returns the keys of all accounts, repositories and items that every caller may see. */
export function findVisible({ rows }: Snapshot): Set<string> {
  return new Set([...rows].filter(([key, row]) => isItem.test(key) && isVisible(rows, key, row)).map(([key]) => key));
}

function isVisible(rows: ReadonlyMap<string, Row>, key: string, row: Row | undefined): boolean {
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

function isCount(key: string, column: string): boolean {
  return countedColumns[key.split(' ')[0] ?? '']?.test(column) ?? false;
}

function findUnreadableText({ rows }: Snapshot): Failure[] {
  const invalidRows = [...rows].filter(([, row]) => /\\u0000|\\ud[89a-f]/i.test(JSON.stringify(row)));
  return invalidRows.slice(0, 3).map(([key]) => ({ rule: 'stores nonsense', detail: key }));
}

function describe(differences: readonly Difference[]): string {
  const lines = differences.slice(0, 3).map(({ key, before, after }) => {
    if (after === undefined) return `${key} is not stored`;
    if (before === undefined) return `${key} is new`;
    const columns = Object.keys(after).filter((column) => !isDeepStrictEqual(after[column], before[column]));
    return `${key}: ${columns.map((column) => `${column} ${JSON.stringify(after[column])} instead of ${JSON.stringify(before[column])}`).join(', ')}`;
  });
  const more = differences.length - lines.length;
  return shorten([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
