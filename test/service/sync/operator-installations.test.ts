import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { installByName, listInstalled, uninstallByName } from '../../../src/app/commands/installations.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { repositoryStates, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { runCommand } from '../../run-command.ts';
import { startSteppedService } from './stepped-service.ts';

function toEnvironment(simulator: Simulator, service: TestService, token: TokenName): Record<string, string> {
  return {
    DATA_DIR: service.dataDir,
    DATABASE_URL: service.databaseUrl,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens[token],
    LOG_LEVEL: 'silent',
  };
}

describe('installations by the operator', () => {
  it('installs a repository, then everything, for the operator, and removes both, while the service runs', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator, tokens: ['organization_admin'] });
    const environment = toEnvironment(simulator, service, 'organization_admin');
    const install = (target: string): Promise<string[]> => runCommand(installByName, target, environment);
    const uninstall = (target: string): Promise<string[]> => runCommand(uninstallByName, target, environment);
    const list = (): Promise<string[]> => runCommand(listInstalled, undefined, environment);
    assert.deepEqual(await list(), ['nothing is installed']);
    const singleRepository = 'github/analytical-engines/Hidden-Engine';
    assert.match(
      (await install(singleRepository)).join('\n'),
      /^github\/analytical-engines\/Hidden-Engine is installed; [^\n]*$/,
    );
    await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
    assert.deepEqual(await list(), ['github/analytical-engines: 1 selected; by the operator']);
    await install(singleRepository);
    assert.deepEqual(await list(), ['github/analytical-engines: 1 selected; by the operator']);

    await install('github/analytical-engines');
    await untilRepositoryIs(service, 'engine-1', /^public installed collected$/);
    assert.deepEqual(await list(), ['github/analytical-engines: everything; by the operator']);
    await install('github/analytical-engines/engine-1');
    assert.deepEqual(await list(), ['github/analytical-engines: everything; by the operator']);
    await assert.rejects(uninstall('github/analytical-engines/engine-1'), /installed as a whole/);

    await uninstall('github/analytical-engines');
    assert.deepEqual(await list(), ['nothing is installed']);
    await untilIdle(service);
    assert.deepEqual(
      Object.values(await repositoryStates(service)).filter((state) => state.includes('installed')),
      [],
    );
    await install('github/analytical-engines/engine-1');
    await uninstall('github/analytical-engines/engine-1');
    assert.deepEqual(await list(), ['nothing is installed']);
    await assert.rejects(uninstall('github/analytical-engines/engine-1'), /not installed by the operator/);
    await assert.rejects(uninstall('github/analytical-engines'), /not installed by the operator/);

    // A token that sees public repositories alone installs only these.
    const lines = await runCommand(
      installByName,
      'github/analytical-engines',
      toEnvironment(simulator, service, 'public_only'),
    );
    assert.match(lines[1] ?? '', /^warning: plaudit: private data of analytical-engines cannot be read/);
    await untilRepositoryIs(service, 'engine-1', /^public installed collected$/);
  });
});
