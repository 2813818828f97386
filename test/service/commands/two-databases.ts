import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

/** A host, a database into which its organization can be collected, and one without tables for a copy of it. */
export interface TwoDatabases extends AsyncDisposable {
  original: TestDatabase;
  copy: TestDatabase;
  /** Returns the path of a file in a temporary directory. */
  pathOf: (name: string) => string;
  /** Returns the settings of a command that uses a database. */
  environment: (databaseUrl: string) => Record<string, string>;
  /** The organization, as the argument of `plaudit sync`. */
  target: string;
}

export async function openTwoDatabases(): Promise<TwoDatabases> {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 3 }));
  const original = stack.use(await createTestDatabase());
  const copy = stack.use(await createTestDatabase({ withTables: false }));
  const directory = stack.use(await makeTemporaryDirectory());
  const opened = stack.move();
  return {
    original,
    copy,
    pathOf: (name) => directory.pathOf(name),
    environment: (databaseUrl) => ({
      DATA_DIR: directory.pathOf('data'),
      DATABASE_URL: databaseUrl,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
    }),
    target: `github/${simulator.accounts.organization}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
