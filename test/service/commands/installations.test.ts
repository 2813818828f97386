import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { installByName, listInstalled, uninstallByName } from '../../../src/app/commands/installations.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { AppError } from '../../../src/model/errors.ts';
import { createTestDatabase } from '../../database.ts';
import { runCommand } from '../../run-command.ts';

/** Starts a simulated GitHub, and returns the settings of an operator whose token sees public data alone. */
async function open() {
  const stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 2 }));
  const { url: databaseUrl } = stack.use(await createTestDatabase());
  const environment: Record<string, string> = {
    DATA_DIR: stack.use(await makeTemporaryDirectory()).path,
    DATABASE_URL: databaseUrl,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.public_only,
    LOG_LEVEL: 'silent',
  };
  return { environment, databaseUrl, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('commands about installations', () => {
  it('refuse a target in one line when the operator’s token cannot read it', async () => {
    await using opened = await open();
    const { environment } = opened;
    const cases: [string | undefined, RegExp][] = [
      ['github/analytical-engines/hidden-engine', /hidden-engine cannot be read: there is no such repository, or/],
      ['github/analytical-engines/no-such-engine', /cannot be read/],
      ['github/nobody-of-this-name', /github knows no account called nobody-of-this-name/],
      ['gitlab/somebody', /gitlab is not a provider here; those that are: github/],
      ['github/in valid', /cannot be a name/],
      ['github/', /install needs PROVIDER\/OWNER/],
      ['github/a/b/c', /install needs PROVIDER\/OWNER/],
      [undefined, /install needs PROVIDER\/OWNER/],
    ];
    for (const [target, expected] of cases) {
      await assert.rejects(runCommand(installByName, target, environment), (error) => {
        assert.ok(error instanceof AppError, target);
        assert.match(error.message, expected);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
    }
    assert.deepEqual(await runCommand(listInstalled, undefined, environment), ['nothing is installed']);
  });

  it('list installations of the App with their faults, and refuse to remove them for the operator', async () => {
    await using opened = await open();
    const { environment, databaseUrl } = opened;
    const database = await openDatabase({ databaseUrl, dataDir: '/nonexistent', log: () => {} });
    await database.pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', '1', '1', 'organization', 'analytical-engines', now(), now(), now())`,
    );
    await database.connection
      .insertInto('installations')
      .values({
        provider: 'github',
        id: '7',
        source: 'app',
        account_external_id: '1',
        account_name: 'analytical-engines',
        credential_name: 'installation:7',
        covers: 'selected',
        missing_permissions: ['contents', 'issues'],
        suspended_at: new Date(),
        removed_at: null,
        seen_at: new Date(),
        covered_at: null,
        created_at: new Date(),
      })
      .execute();
    await database.close();
    assert.deepEqual(await runCommand(listInstalled, undefined, environment), [
      'github/analytical-engines: 0 selected; App installation 7; suspended; without contents, issues',
    ]);
    await assert.rejects(
      runCommand(uninstallByName, 'github/analytical-engines', environment),
      /not installed by the operator/,
    );
  });
});
