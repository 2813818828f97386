import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from './connection.ts';

/** How often something was done within its present period. */
export interface Count {
  count: number;
  resetsAt: Date;
}

interface Waiting {
  key: string;
  periodMs: number;
  resolve: (count: Count) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts that all nodes share. What comes while one statement is under way goes into the next together, so that many
 * requests cost few statements and never wait for each other's row.
 */
export class SharedCounts {
  readonly #connection: Connection;
  readonly #now: () => Date;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    this.#now = now;
  }

  /**
   * Counts once more; a period begins with the first count after the last one ended.
   * @param what is counted; only a hash of it is stored, for it may name somebody.
   */
  add(what: string, periodMs: number): Promise<Count> {
    const key = createHash('sha256').update(what).digest('base64url');
    const { promise, resolve, reject } = Promise.withResolvers<Count>();
    this.#waiting.push({ key, periodMs, resolve, reject });
    if (!this.#isWriting) void this.#write();
    return promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = Map.groupBy(this.#waiting, ({ key }) => key);
      this.#waiting = [];
      try {
        const counts = await this.#save(batch);
        for (const [key, waiting] of batch) settle(waiting, counts.get(key));
      } catch (error) {
        for (const { reject } of [...batch.values()].flat()) reject(error);
      }
    }
    this.#isWriting = false;
  }

  async #save(batch: ReadonlyMap<string, Waiting[]>): Promise<Map<string, Count>> {
    const now = this.#now();
    const rows = [...batch]
      .map(([key, waiting]) => ({
        key,
        count: waiting.length,
        resets_at: new Date(now.getTime() + (waiting[0]?.periodMs ?? 0)),
      }))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const saved = await sql<{ key: string; count: number; resets_at: Date }>`
      insert into rate_limits as r (key, count, resets_at)
      select key, count, resets_at
      from json_to_recordset(${JSON.stringify(rows)}::json) as n (key text, count integer, resets_at timestamptz)
      order by key
      on conflict (key) do update set
        count = case when r.resets_at <= ${now} then excluded.count else r.count + excluded.count end,
        resets_at = case when r.resets_at <= ${now} then excluded.resets_at else r.resets_at end
      returning key, count, resets_at`.execute(this.#connection);
    return new Map(saved.rows.map((row) => [row.key, { count: row.count, resetsAt: row.resets_at }]));
  }
}

/** Of a batch, each counted one after the other. */
function settle(waiting: readonly Waiting[], total: Count | undefined): void {
  for (const [index, { resolve, reject }] of waiting.entries()) {
    if (total === undefined) reject(new Error('a count was not stored'));
    else resolve({ count: total.count - waiting.length + index + 1, resetsAt: total.resetsAt });
  }
}

/** Forgets periods that are over. */
export async function forgetCounts(connection: Connection, now: Date): Promise<void> {
  await connection.deleteFrom('rate_limits').where('resets_at', '<=', now).execute();
}
