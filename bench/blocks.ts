import type { Pool, PoolClient } from 'pg';
import { readPlan } from '../test/integration/plans.ts';

/** Counts the blocks that the statements of this process look at. */
export interface BlockCounter {
  /** Runs work and returns the blocks of its statements, which are the same on every machine, and its time in ms. */
  measure(work: () => Promise<unknown>): Promise<{ blocks: number; ms: number }>;
}

/**
 * Makes PostgreSQL report the blocks of each statement to connections that are opened from now on. Statements inside of
 * functions count twice, by themselves and in the one that calls them.
 */
export async function reportBlocks(pool: Pool): Promise<void> {
  const settings = [
    "session_preload_libraries = 'auto_explain'",
    'auto_explain.log_min_duration = 0',
    'auto_explain.log_analyze = on',
    'auto_explain.log_buffers = on',
    'auto_explain.log_timing = off',
    "auto_explain.log_format = 'json'",
    'auto_explain.log_nested_statements = on',
    'client_min_messages = log',
  ];
  for (const setting of settings) await pool.query(`alter role current_user set ${setting}`);
}

/** Counts the blocks of all statements over the connections of some pools. */
export function countBlocks(pools: readonly Pool[]): BlockCounter {
  let blocks = 0;
  const counted = new WeakSet<PoolClient>();
  for (const pool of pools) {
    pool.on('acquire', (client) => {
      if (counted.has(client)) return;
      counted.add(client);
      client.on('notice', (notice) => void (blocks += readPlan(notice)?.blocks ?? 0));
    });
  }
  return {
    measure: async (work) => {
      const before = blocks;
      const begun = performance.now();
      await work();
      return { blocks: blocks - before, ms: performance.now() - begun };
    },
  };
}
