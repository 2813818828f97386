import pg from 'pg';

let recorded: string[] | undefined;

/**
 * Lets `recordStatements` see the statements of the connections that are opened from now on. To be called before the
 * service starts.
 */
export function watchStatements(): void {
  const { prototype } = pg.Client;
  const original = Object.getOwnPropertyDescriptor(prototype, 'query')?.value as CallableFunction;
  Object.defineProperty(prototype, 'query', {
    configurable: true,
    writable: true,
    value: function query(this: unknown, ...parameters: unknown[]): unknown {
      const [first] = parameters;
      recorded?.push(typeof first === 'string' ? first : String(Object(first).text ?? ''));
      return Reflect.apply(original, this, parameters);
    },
  });
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
