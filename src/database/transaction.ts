import type { Connection } from './connection.ts';

const maxAttempts = 5;
/** Serialization failure and deadlock: the transaction did nothing and may be run again (PostgreSQL manual, appendix A). */
const repeatableErrors = new Set(['40001', '40P01']);

/** Runs `work` in one transaction, and again when PostgreSQL reports that it only lost a race. */
export async function inTransaction<Result>(
  connection: Connection,
  work: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.transaction().execute(work);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (attempt >= maxAttempts || !repeatableErrors.has(code)) throw error;
    }
  }
}
