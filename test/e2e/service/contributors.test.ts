import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue, addRepository } from '../../../simulators/world/activity.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import { deleteItem, forcePush, renameRepository, setVisibility } from '../../../simulators/world/mutations.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { clock, until } from '../../time.ts';
import { type ResponseBody, startTestService, type TestService } from '../service.ts';

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

/** Collects until the service reports completeness, and compares with the world. */
async function assertMatchesWorld(simulator: Simulator, service: TestService, login: string): Promise<void> {
  await service.getComplete(`${login}/contributors`);
  const contributors = await allPages(service, `${login}/contributors?limit=7`);
  assert.deepEqual(toContributors(contributors), listContributors(simulator.world, login));
}

describe('lists of contributors', () => {
  it('are the true contributors of an organization and a user, and follow new, deleted, hidden, renamed and rewritten data', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using service = await startTestService({ simulator, now, tokens: ['organization_member'] });
    const { organization } = simulator.accounts;
    await assertMatchesWorld(simulator, service, organization);
    const { body: counted } = await service.getComplete(`${organization}/contributions`);
    assert.deepEqual(counted.data[0]?.['contributions'], toCounters(simulator.world, organization));
    const allContributors = await allPages(service, `${organization}/contributors?limit=100`);
    assert.ok(allContributors.every(({ name }) => name !== 'imported-person'));
    const { world, accounts } = simulator;
    const { user: login } = accounts;
    const repository = world.repository(login, 'notes') ?? assert.fail();
    const loom = world.repository(login, 'loom') ?? assert.fail();
    const owner = world.accountByLogin(login) ?? assert.fail();
    const helper = world.accountByLogin('person-3') ?? assert.fail();
    await assertMatchesWorld(simulator, service, login);
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
    for (const [title, change] of steps) {
      // Running requests would otherwise end at the later time.
      await until(async () => {
        const { rows } = await service.database.pool.query("select 1 from lookups where state = 'running'");
        return rows.length === 0 ? true : undefined;
      }, 'no lookup runs');
      advance(90_000);
      change();
      await service.get(`${login}/contributors`);
      await until(async () => {
        const items = await allPages(service, `${login}/contributors?limit=100`);
        return JSON.stringify(toContributors(items)) === JSON.stringify(listContributors(world, login))
          ? true
          : undefined;
      }, `${title} counts`);
    }
  });
});
