import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';

/** The number of deliveries to a provider's address that were rejected for one reason, and the first and last time. */
export interface RejectionCount {
  provider: string;
  reason: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** Adds counts to those that are stored. */
export async function addRejections(connection: Connection, counts: readonly RejectionCount[]): Promise<void> {
  const rows = counts.map(({ provider, reason, count, firstAt, lastAt }) => ({
    provider,
    reason,
    count,
    first_at: firstAt,
    last_at: lastAt,
  }));
  await sql`
    insert into rejected_deliveries as r (provider, reason, count, first_at, last_at)
    select provider, reason, count, first_at, last_at
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as c (provider text, reason text, count bigint, first_at timestamptz, last_at timestamptz)
    order by provider, reason
    on conflict (provider, reason) do update set
      count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at)`.execute(connection);
}

export async function findRejections(connection: Connection): Promise<RejectionCount[]> {
  const rows = await connection.selectFrom('rejected_deliveries').selectAll().orderBy('last_at', 'desc').execute();
  return rows.map(({ provider, reason, count, first_at, last_at }) => ({
    provider,
    reason,
    count,
    firstAt: first_at,
    lastAt: last_at,
  }));
}

/** Deletes counts of rejections that have not occurred since a time: one for each host and reason, so never many. */
export async function deleteRejections(connection: Connection, before: Date): Promise<void> {
  await connection.deleteFrom('rejected_deliveries').where('last_at', '<', before).execute();
}

/**
 * The reason of a rejection: `signature`, the delivery is not signed with the configured secret; `headers` and
 * `payload`, they are not as documented; `compressed`; `too_large`; `too_slow`; `overloaded`, the bodies that were
 * being received used up the memory for them; `no_secret`, none is configured, so that no delivery can be trusted.
 */
type RejectionReason =
  | 'signature'
  | 'headers'
  | 'payload'
  | 'compressed'
  | 'too_large'
  | 'too_slow'
  | 'overloaded'
  | 'no_secret';

const reasonByCode: Partial<Record<ErrorCode, RejectionReason>> = {
  unauthenticated: 'signature',
  missing_field: 'headers',
  invalid_input: 'payload',
  not_found: 'no_secret',
  payload_too_large: 'too_large',
  too_slow: 'too_slow',
  overloaded: 'overloaded',
};

interface RejectionsOptions {
  now: () => Date;
  storeEveryMs: number;
  store: (counts: readonly RejectionCount[]) => Promise<void>;
  /** Called when the counts could not be stored. The counts are kept until the next rejection. */
  onFailure: (error: unknown) => void;
}

/**
 * Counts rejected deliveries in memory and stores the counts at most every `storeEveryMs`, so that a flood of them
 * costs few small statements. A process that is killed loses the counts since the last time.
 */
export class Rejections {
  readonly #options: RejectionsOptions;
  #counts = new Map<string, RejectionCount>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;

  constructor(options: RejectionsOptions) {
    this.#options = options;
  }

  /**
   * @param provider the name of a configured provider, as arbitrary names would let clients create any number of
   * counts.
   */
  add(provider: string, reason: RejectionReason): void {
    const at = this.#options.now();
    this.#merge({ provider, reason, count: 1, firstAt: at, lastAt: at });
    this.#schedule();
  }

  /** Stores the remaining counts. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#storing;
    clearTimeout(this.#timer);
    if (this.#counts.size > 0) await this.#store();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#storing = this.#store().finally(() => {
        this.#storing = undefined;
      });
    }, this.#options.storeEveryMs).unref();
  }

  async #store(): Promise<void> {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await this.#options.store(counts);
    } catch (error) {
      for (const count of counts) this.#merge(count);
      this.#options.onFailure(error);
    }
  }

  #merge(count: RejectionCount): void {
    const key = `${count.provider} ${count.reason}`;
    const known = this.#counts.get(key);
    this.#counts.set(key, {
      ...count,
      count: count.count + (known?.count ?? 0),
      firstAt: known === undefined || count.firstAt < known.firstAt ? count.firstAt : known.firstAt,
      lastAt: known === undefined || count.lastAt > known.lastAt ? count.lastAt : known.lastAt,
    });
  }
}

/** Returns the reason for which a provider rejected a delivery; undefined when the delivery was not at fault. */
export function rejectionReason(error: unknown): RejectionReason | undefined {
  return error instanceof AppError ? reasonByCode[error.code] : undefined;
}
