import { DatabaseError, type Pool } from 'pg';

const diskFull = '53100';
/** About 350 KB: a smaller table may fit into the last space. The rows are never committed. */
const probe = 'begin; create table plaudit_probe as select generate_series(1, 10000) as number; rollback';

/** Returns whether a statement failed because a file system of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === diskFull;
}

/** Returns a sentence about a full file system of the database, for everyone. */
export function describeFullDisk(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/shared memory segment/.test(message)) return 'The shared memory of the database (/dev/shm) is full.';
  // The server reports a lack of inodes by the same code, but only for files that it creates.
  if (/could not create/.test(message)) return 'The disk of the database is full, or has no free inodes.';
  return 'The disk of the database is full.';
}

/** Tries to write to the database. @returns a sentence about its full disk; undefined: it has space. */
export async function findFullDisk(pool: Pool): Promise<string | undefined> {
  const client = await pool.connect();
  try {
    await client.query(probe);
    return undefined;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (isDiskFull(error)) return describeFullDisk(error);
    throw error;
  } finally {
    client.release();
  }
}

/** Remembers that the disk of the database is full from the first statement that failed for it until a write succeeds. */
export class FullDisk {
  #isSuspected = false;

  /** Takes note of the failure of a statement. */
  note(error: Error): void {
    if (isDiskFull(error)) this.#isSuspected = true;
  }

  /** Returns a sentence about the full disk; undefined: it has space, or nothing has failed. */
  async find(pool: Pool): Promise<string | undefined> {
    if (!this.#isSuspected) return undefined;
    const fault = await findFullDisk(pool);
    this.#isSuspected = fault !== undefined;
    return fault;
  }
}
