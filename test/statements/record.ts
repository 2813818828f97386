import { onStatement } from './on-statement.ts';

let recorded: string[] | undefined;

/**
 * Lets `recordStatements` see the statements of the connections that are opened from now on. To be called before the
 * service starts.
 */
export function watchStatements(): void {
  onStatement((text) => recorded?.push(text));
}

/** Returns the statements that are sent while some work is done, in their order. */
export async function recordStatements(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  recorded = statements;
  try {
    await work();
  } finally {
    recorded = undefined;
  }
  return statements;
}
