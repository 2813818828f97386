import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

/** A host, a database into which its organization can be collected, and one without tables for a copy of it. */
export interface TwoDatabases extends AsyncDisposable {
  one: TestDatabase;
  other: TestDatabase;
  /** Returns the path of a file in a temporary directory. */
  at: (name: string) => string;
  /** Returns the settings of a command that uses a database. */
  environment: (databaseUrl: string) => Record<string, string>;
  /** The organization, as the argument of `plaudit sync`. */
  target: string;
}

export async function openTwoDatabases(): Promise<TwoDatabases> {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 3 }));
  const one = stack.use(await createTestDatabase());
  const other = stack.use(await createTestDatabase({ withTables: false }));
  const directory = stack.use(await makeTemporaryDirectory());
  const opened = stack.move();
  return {
    one,
    other,
    at: (name) => directory.at(name),
    environment: (databaseUrl) => ({
      DATA_DIR: directory.at('data'),
      DATABASE_URL: databaseUrl,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
    }),
    target: `github/${simulator.accounts.organization}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
