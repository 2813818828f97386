import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHistory } from '../../../simulators/git/histories.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue, addRepository } from '../../../simulators/world/activity.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import { deleteItem, forcePush, renameRepository, setVisibility } from '../../../simulators/world/mutations.ts';
import { Random } from '../../../simulators/world/random.ts';
import { addHistory } from '../../../simulators/world/real-history.ts';
import { clock, until } from '../../time.ts';
import { type ResponseBody, startTestService, type TestService } from '../service.ts';
import { shareService } from '../shared-service.ts';

/** Returns the items of all pages of a listing. */
async function allPages(service: TestService, path: string): Promise<ResponseBody['data']> {
  const items: ResponseBody['data'] = [];
  let address = path;
  for (;;) {
    const { status, body, headers } = await service.get(address);
    assert.equal(status, 200);
    items.push(...body.data);
    assert.equal(headers.get('link')?.includes('rel="next"') ?? false, body.next_cursor !== undefined);
    if (body.next_cursor === undefined) return items;
    const separator = path.includes('?') ? '&' : '?';
    address = `${path}${separator}after=${encodeURIComponent(body.next_cursor)}`;
  }
}

const toContributors = (items: ResponseBody['data']): { login: unknown; contributions: unknown }[] =>
  items.map(({ name, contributions }) => ({ login: name, contributions }));

/** Collects until the service reports completeness, and compares with the world. */
async function assertTrue(simulator: Simulator, service: TestService, login: string): Promise<void> {
  await service.getComplete(`${login}/contributors`);
  const contributors = await allPages(service, `${login}/contributors?limit=7`);
  assert.deepEqual(toContributors(contributors), contributorsOf(simulator.world, login));
}

describe('lists of contributors', () => {
  const shared = shareService({ service: { tokens: ['organization_member'] } });

  it('are the true contributors of an organization, a user and a single repository, with any credential', async () => {
    const { organization, bot } = shared.simulator.accounts;
    const first = await shared.service.get(`${organization}/contributions`);
    assert.equal(first.status, 200);
    assert.ok(first.body.meta_data.missing?.includes('commits'));
    await assertTrue(shared.simulator, shared.service, organization);
    const { body } = await shared.service.getComplete(`${organization}/contributions`);
    assert.deepEqual(body.data[0]?.['contributions'], countersOf(shared.simulator.world, organization));

    const withBots = await allPages(shared.service, `${organization}/contributors?limit=100`);
    const withoutBots = await allPages(shared.service, `${organization}/contributors?limit=100&bots=false`);
    assert.ok(withBots.some(({ name, type }) => name === bot && type === 'bot'));
    assert.deepEqual(toContributors(withoutBots), toContributors(withBots.filter(({ type }) => type !== 'bot')));
    assert.ok(withBots.every(({ name }) => name !== 'imported-person'));

    await assertTrue(shared.simulator, shared.service, shared.simulator.accounts.user);
    await assertTrue(shared.simulator, shared.service, shared.simulator.accounts.empty);

    for (const name of ['engine-3', 'much-reviewed', 'Case-Matters', 'empty', 'forked']) {
      const path = `${organization}/contributors?limit=100&repository=${name}`;
      const { body } = await shared.service.getComplete(path);
      assert.deepEqual(
        toContributors(body.data),
        contributorsOf(shared.simulator.world, organization, { repository: name }),
        name,
      );
      assert.equal(
        (
          await shared.service.get(
            path
              .toUpperCase()
              .replace('LIMIT', 'limit')
              .replace('REPOSITORY', 'repository')
              .replace('CONTRIBUTORS', 'contributors'),
          )
        ).status,
        200,
      );
    }
    const refusals = await Promise.all(
      ['hidden-engine', 'no-such-engine', '..', 'a%2Fb'].map((name) =>
        shared.service.get(`${organization}/contributors?repository=${name}`),
      ),
    );
    assert.deepEqual(new Set(refusals.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(refusals[0]?.status, 404);

    {
      // Without a token, as far as REST reports them.
      await using simulator = await startSimulator();
      await using service = await startTestService({ simulator, tokens: [] });
      const path = `${simulator.accounts.user}/contributors?repository=notes&limit=100`;
      const { body } = await until(async () => {
        const response = await service.get(path);
        return response.status === 200 && response.body.meta_data.missing?.join() === 'reviews,discussions'
          ? response
          : undefined;
      }, 'all but reviews and discussions is there');
      assert.ok(body.data.length > 5);
    }
  });

  it('follows changes at the provider: new, deleted, hidden, renamed and rewritten data', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now });
    await using service = await startTestService({ simulator, now });
    const { world, accounts } = simulator;
    const { user: login } = accounts;
    const repository = world.repository(login, 'notes') ?? assert.fail();
    const loom = world.repository(login, 'loom') ?? assert.fail();
    const owner = world.accountByLogin(login) ?? assert.fail();
    const helper = world.accountByLogin('person-3') ?? assert.fail();
    await assertTrue(simulator, service, login);
    const steps: [string, () => void][] = [
      [
        'new commits',
        () =>
          void addCommit(world, repository, {
            author: { name: 'P', email: helper.emails[0] ?? '' },
            coAuthors: [{ name: 'A', email: 'ada@mail.example' }],
          }),
      ],
      ['a rewritten branch', () => forcePush(world, repository, 5, [helper.emails[0] ?? ''])],
      [
        'a new repository',
        () =>
          void addIssue(world, addRepository(world, { ownerId: owner.id, name: 'fresh', createdAt: world.now() }), {
            author: helper,
          }),
      ],
      ['a deleted issue', () => deleteItem(world, repository, repository.issues[0] ?? assert.fail())],
      ['a hidden repository', () => setVisibility(world, loom, 'private')],
      ['a renamed repository', () => renameRepository(world, repository, 'notebook')],
      ['a shown repository', () => setVisibility(world, loom, 'public')],
    ];
    for (const [what, change] of steps) {
      // Running requests would otherwise end at the later time.
      await until(async () => {
        const { rows } = await service.database.pool.query("select 1 from lookups where state = 'running'");
        return rows.length === 0 ? true : undefined;
      }, 'nothing is being asked');
      advance(90_000);
      change();
      await service.get(`${login}/contributors`);
      await until(async () => {
        const items = await allPages(service, `${login}/contributors?limit=100`);
        return JSON.stringify(toContributors(items)) === JSON.stringify(contributorsOf(world, login))
          ? true
          : undefined;
      }, `${what} counts`);
    }
  });

  it('counts the commits of each author as git does in a real history', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const { world, accounts } = simulator;
    const owner = world.accountByLogin(accounts.organization) ?? assert.fail();
    await addHistory(world, new Random(1), owner, 'serverpod', []);
    const repository = world.repository(accounts.organization, 'serverpod') ?? assert.fail();
    Object.assign(repository, { issues: [], pullRequests: [], discussions: [] });
    world.changed();
    await using service = await startTestService({ simulator });
    const path = `${accounts.organization}/contributors?repository=serverpod&limit=100`;
    await service.getComplete(path);
    const contributors = await allPages(service, path);

    await using place = await makeTemporaryDirectory();
    const url = `${simulator.url}/${accounts.organization}/serverpod.git`;
    await runGit(place.path, ['clone', '--quiet', '--bare', '--filter=tree:0', url, 'copy']);
    const format = '%ae%n%(trailers:key=Co-authored-by,valueonly)%x00';
    const log = (await runGit(place.at('copy'), ['log', '--no-mailmap', `--format=${format}`])).toString();
    const byLogin = new Map<string, number>();
    for (const record of log.split('\0')) {
      const emails = record
        .trim()
        .split('\n')
        .map((line) => (/<([^>]*)>/.exec(line)?.[1] ?? line).trim());
      const logins = emails.flatMap((email) => world.accountByEmail(email)?.login ?? []);
      for (const login of new Set(logins)) byLogin.set(login, (byLogin.get(login) ?? 0) + 1);
    }
    assert.ok(byLogin.size > 20);
    assert.deepEqual(new Map(contributors.map(({ name, contributions }) => [name, contributions])), byLogin);
    const shortlog = (await runGit(place.at('copy'), ['-c', 'mailmap.blob=', 'shortlog', '-sne', 'HEAD'])).toString();
    const [, most = '', email = ''] = /^\s*(\d+)\t.*<(.*)>/.exec(shortlog) ?? [];
    const history = await readHistory('serverpod');
    assert.equal(history.filter(({ author }) => author.email === email).length, Number(most));
  });
});
