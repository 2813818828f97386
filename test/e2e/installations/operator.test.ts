import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { gitHubAppUrl } from '../../../src/commands/github-app.ts';
import { installByName, listInstalled, uninstallByName } from '../../../src/commands/installations.ts';
import type { Io } from '../../../src/commands/io.ts';
import { AppError } from '../../../src/errors.ts';
import { untilIdle } from '../access/state.ts';
import { startTestService, type TestService } from '../service.ts';
import { appSettings, engine, organization, shown, startAppService, untilShown } from './installed.ts';

type Command<Argument> = (io: Io, argument: Argument) => Promise<void>;

/** Runs a command as the operator does, while the service runs. @returns every line that it writes. */
async function run<Argument>(
  command: Command<Argument>,
  argument: Argument,
  environment: Record<string, string>,
): Promise<string[]> {
  const lines: string[] = [];
  const io = {
    environment,
    print: (line: string) => void lines.push(line),
    warn: (line: string) => void lines.push(`warning: ${line}`),
    isTerminal: false,
    signal: new AbortController().signal,
  };
  await command(io, argument);
  return lines;
}

function environmentOf(simulator: Simulator, service: TestService, token: TokenName): Record<string, string> {
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
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator, tokens: ['organization_admin'] });
    const environment = environmentOf(simulator, service, 'organization_admin');
    const install = (target: string): Promise<string[]> => run(installByName, target, environment);
    const uninstall = (target: string): Promise<string[]> => run(uninstallByName, target, environment);
    const list = (): Promise<string[]> => run(listInstalled, undefined, environment);
    assert.deepEqual(await list(), ['nothing is installed']);
    const one = 'github/analytical-engines/Hidden-Engine';
    assert.match((await install(one)).join('\n'), /^github\/analytical-engines\/Hidden-Engine is installed; [^\n]*$/);
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    assert.deepEqual(await list(), ['github/analytical-engines: 1 selected; by the operator']);
    await install(one);
    assert.deepEqual(await list(), ['github/analytical-engines: 1 selected; by the operator']);

    await install('github/analytical-engines');
    await untilShown(service, 'engine-1', /^public installed collected$/);
    assert.deepEqual(await list(), ['github/analytical-engines: everything; by the operator']);
    await install('github/analytical-engines/engine-1');
    assert.deepEqual(await list(), ['github/analytical-engines: everything; by the operator']);
    await assert.rejects(uninstall('github/analytical-engines/engine-1'), /installed as a whole/);

    await uninstall('github/analytical-engines');
    assert.deepEqual(await list(), ['nothing is installed']);
    await untilIdle(service);
    assert.deepEqual(
      Object.values(await shown(service)).filter((state) => state.includes('installed')),
      [],
    );
    await install('github/analytical-engines/engine-1');
    await uninstall('github/analytical-engines/engine-1');
    assert.deepEqual(await list(), ['nothing is installed']);
    await assert.rejects(uninstall('github/analytical-engines/engine-1'), /not installed by the operator/);
    await assert.rejects(uninstall('github/analytical-engines'), /not installed by the operator/);
  });

  it('refuses a target in one line when the operator’s token cannot read it', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator });
    const environment = environmentOf(simulator, service, 'public_only');
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
      await assert.rejects(run(installByName, target, environment), (error) => {
        assert.ok(error instanceof AppError, target);
        assert.match(error.message, expected);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
    }
    assert.deepEqual(await run(listInstalled, undefined, environment), ['nothing is installed']);
    const lines = await run(installByName, 'github/analytical-engines', environment);
    assert.match(lines[1] ?? '', /^warning: plaudit: private data of analytical-engines cannot be read/);
    await untilShown(service, 'engine-1', /^public installed collected$/);
    assert.equal((await shown(service))['hidden-engine'], undefined);
  });

  it('lists installations of the App with their faults, and refuses to remove them for the operator', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startAppService(simulator);
    const { app } = simulator;
    const installation = app.install(organization(simulator), [engine(simulator, 'engine-1')], { metadata: 'read' });
    await untilShown(service, 'engine-1', /installed/);
    app.suspend(installation);
    await app.deliverer.idle();
    await untilShown(service, 'engine-1', /^public( collected)?$/);
    const environment = { ...environmentOf(simulator, service, 'public_only'), ...appSettings(simulator) };
    assert.deepEqual(await run(listInstalled, undefined, environment), [
      `github/analytical-engines: 1 selected; App installation ${installation.id}; suspended; without contents, issues, pull_requests, discussions, members`,
    ]);
    await assert.rejects(
      run(uninstallByName, 'github/analytical-engines', environment),
      /not installed by the operator/,
    );
  });

  it('requests read access to the collected data and deliveries to this service in the link that registers an App', async () => {
    const [link = ''] = await run(gitHubAppUrl, ['analytical-engines'], { PUBLIC_URL: 'https://plaudit.example/' });
    const url = new URL(link);
    const [writingLink = ''] = await run(gitHubAppUrl, ['--writing', 'engines'], {
      PUBLIC_URL: 'https://plaudit.example',
    });
    assert.match(writingLink, /&discussions=write&.*checks=write&/);
    assert.equal(
      `${url.origin}${url.pathname}`,
      'https://github.com/organizations/analytical-engines/settings/apps/new',
    );
    const parameters = Object.fromEntries(url.searchParams);
    assert.equal(parameters['webhook_url'], 'https://plaudit.example/v1/github/webhooks');
    const permissions = Object.entries(parameters).filter(([, value]) => value === 'read' || value === 'write');
    assert.deepEqual(
      permissions.map(([name, level]) => `${name} ${level}`).toSorted(),
      ['contents', 'discussions', 'issues', 'members', 'metadata', 'pull_requests'].map((name) => `${name} read`),
    );
    const events = url.searchParams.getAll('events[]');
    assert.ok(events.includes('push') && events.includes('issues') && !events.includes('installation'));
    const [own = ''] = await run(gitHubAppUrl, [], {
      PUBLIC_URL: 'https://plaudit.example',
      GITHUB_URL: 'https://git.example',
    });
    assert.ok(own.startsWith('https://git.example/settings/apps/new?'));
    await assert.rejects(run(gitHubAppUrl, [], {}), /PUBLIC_URL must be set/);
    await assert.rejects(run(gitHubAppUrl, ['a', 'b'], {}), /usage/);
    await assert.rejects(
      run(gitHubAppUrl, ['../x'], { PUBLIC_URL: 'https://plaudit.example' }),
      /name of an organization/,
    );
  });
});
