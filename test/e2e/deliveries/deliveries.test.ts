import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { outbox, type Sent, signed, webhookSecret } from '../../../simulators/github/deliver.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import { closeItem, deleteItem, renameAccount, setVisibility } from '../../../simulators/world/mutations.ts';
import { editTitle } from '../../../simulators/world/threads.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { send } from '../raw-request.ts';
import { startTestService, type TestService } from '../service.ts';

const settings = { GITHUB_WEBHOOK_SECRET: webhookSecret };
const path = '/v1/github/webhooks';
// The types of the package wrongly describe an object that holds the list.
const events = examples as unknown as { name: string; examples: object[] }[];

async function deliver(service: TestService, { headers, body }: Sent): Promise<{ status: number; state?: string }> {
  const response = await send(service, path, 'POST', headers, body);
  const { data } = JSON.parse(response.body) as { data?: { state: string } };
  return { status: response.status, ...(data && { state: data.state }) };
}

const listed = (items: Record<string, unknown>[]): object[] =>
  items.map(({ name, contributions }) => ({ login: name, contributions }));

async function untilTrue(service: TestService, simulator: Simulator, what: string): Promise<void> {
  await until(async () => {
    const { body } = await service.getComplete(`${engines.name}/contributors?limit=100`);
    const isTrue = JSON.stringify(listed(body.data)) === JSON.stringify(contributorsOf(simulator.world, engines.name));
    const { body: numbers } = await service.getComplete(`${engines.name}/contributions`);
    const expected = countersOf(simulator.world, engines.name);
    return isTrue && JSON.stringify(numbers.data[0]?.['contributions']) === JSON.stringify(expected) ? true : undefined;
  }, what);
}

describe('deliveries', () => {
  it('updates responses within seconds for deliveries of new, closed and deleted items, in any order and repeated', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator, settings });
    const { world } = simulator;
    await service.getComplete(`${engines.name}/contributors`);
    await service.get(simulator.accounts.user);
    await untilIdle(service);
    const repository = world.repository(engines.name, 'engine-1') ?? assert.fail();
    const author = world.accountByLogin(simulator.accounts.user) ?? assert.fail();
    const sent = outbox(simulator);
    const issue = addIssue(world, repository, { author });
    const [opened] = sent;
    assert.ok(opened);
    assert.deepEqual(await deliver(service, opened), { status: 202, state: 'accepted' });
    assert.deepEqual(await deliver(service, opened), { status: 202, state: 'known' });
    await untilTrue(service, simulator, 'the new issue is counted');
    await until(async () => {
      const { body } = await service.get(`${simulator.accounts.user}/contributions`);
      const expected = countersOf(world, simulator.accounts.user);
      return JSON.stringify(body.data[0]?.['contributions']) === JSON.stringify(expected) ? true : undefined;
    }, "the author's own numbers follow");

    closeItem(world, issue);
    editTitle(world, issue, 'Another');
    // The older delivery comes last.
    for (const one of sent.splice(1).toReversed()) await deliver(service, one);
    await untilTrue(service, simulator, 'the closed issue is counted');
    deleteItem(world, repository, issue);
    for (const one of sent.splice(1)) await deliver(service, one);
    await untilTrue(service, simulator, 'the deleted issue is not counted');
  });

  it('reads once for a burst of deliveries', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator, settings, hasFullDelays: true });
    const { world } = simulator;
    await service.getComplete(`${engines.name}/contributors`);
    await untilIdle(service);
    const repository = world.repository(engines.name, 'engine-2') ?? assert.fail();
    const before = simulator.requests.length;
    const author = world.accountByLogin(simulator.accounts.outsider) ?? assert.fail();
    const sent = outbox(simulator);
    for (let count = 0; count < 40; count += 1) {
      addIssue(world, repository, { author });
      for (const one of sent.splice(0)) await deliver(service, one);
    }
    await untilTrue(service, simulator, 'all are counted');
    assert.ok(simulator.requests.length - before < 20, `${simulator.requests.length - before} requests`);
  });

  it('hides a repository that becomes private before any request to GitHub, and follows renames and removals', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator, settings, tokens: ['organization_admin'] });
    const { world } = simulator;
    const token = await serviceToken(service, simulator, engines);
    await service.getComplete(`${engines.name}/contributors`, bearer(token));
    await untilIdle(service);
    const repository = world.repository(engines.name, 'engine-2') ?? assert.fail();
    const sent = outbox(simulator);
    setVisibility(world, repository, 'private');
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    for (const one of sent.splice(0)) await deliver(service, one);
    await until(async () => {
      const { body } = await service.get(`${engines.name}/contributors?limit=100`);
      return JSON.stringify(listed(body.data)) === JSON.stringify(contributorsOf(world, engines.name))
        ? true
        : undefined;
    }, 'it is hidden while GitHub is away');
    simulator.faults.clear();
    setVisibility(world, repository, 'public');
    for (const one of sent.splice(0)) await deliver(service, one);
    await untilTrue(service, simulator, 'it is everybody’s again');

    const owner = world.accountById(repository.ownerId) ?? assert.fail();
    const removed = {
      action: 'removed',
      installation: { id: 1, account: { id: owner.id, login: owner.login } },
      repositories_removed: [{ id: world.repository(engines.name, 'hidden-engine')?.id }, { id: repository.id }],
    };
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    await deliver(service, signed('installation_repositories', JSON.stringify(removed)));
    await until(async () => {
      const { body } = await service.get(`${engines.name}/repositories?limit=100`, bearer(token));
      const isShown = (repository: string): boolean => body.data.some(({ name }) => name === repository);
      return !isShown('hidden-engine') && isShown('engine-2') ? true : undefined;
    }, 'what is private and not installed any more is hidden, what is public stays');
    simulator.faults.clear();

    renameAccount(world, owner, 'engines-renamed');
    for (const one of sent.splice(0)) await deliver(service, one);
    await until(async () => {
      const { status } = await service.get(`${engines.name}/contributors`);
      return status === 301 ? true : undefined;
    }, 'the old name leads to the new one');
  });

  it('refuses deliveries that are too large, broken or not signed by GitHub, and ignores unknown events', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator, settings });
    const good = signed('ping', '{"zen":"x"}');
    const body = JSON.stringify({ action: 'opened' });
    const cases: [string, Sent, number][] = [
      ['a ping', good, 202],
      ['an event that nobody knows', signed('sponsorship_of_nothing', '{}'), 202],
      ['an event named like a method', signed('constructor', '{}'), 202],
      [
        'an unknown action',
        signed(
          'issues',
          JSON.stringify({
            action: 'x',
            issue: {},
            repository: { id: 1, name: 'r', owner: { id: 2, login: 'nobody-here' } },
          }),
        ),
        202,
      ],
      ['an installation of an enterprise', signed('installation', ofEnterprise), 202],
      ['no signature', { ...good, headers: { ...good.headers, 'x-hub-signature-256': '' } }, 401],
      ['another secret', signed('issues', body, { secret: 'another secret, as long' }), 401],
      ['a changed body', { ...good, body: '{"zen":"y"}' }, 401],
      ['a short signature', { ...good, headers: { ...good.headers, 'x-hub-signature-256': 'sha256=00' } }, 401],
      [
        'the old signature',
        { ...good, headers: { ...good.headers, 'x-hub-signature-256': '', 'x-hub-signature': 'sha1=00' } },
        401,
      ],
      ['missing fields', signed('issues', body), 400],
      [
        'fields of other kinds',
        signed('push', JSON.stringify({ repository: { id: '1', name: [], owner: null } })),
        400,
      ],
      ['no JSON', signed('issues', 'payload=%7B%7D'), 400],
      ['nothing', signed('issues', ''), 400],
      ['an id that is none', signed('ping', '{}', { id: "x' or 1=1" }), 400],
      [
        'compressed',
        { body: gzipSync(good.body).toString('latin1'), headers: { ...good.headers, 'content-encoding': 'gzip' } },
        400,
      ],
      ['more than GitHub sends', signed('push', `"${'x'.repeat(26 * 1024 * 1024)}"`), 413],
    ];
    for (const [what, sent, status] of cases) {
      const response = await deliver(service, sent).catch((error: unknown) => {
        // The service may close the connection while the rest of the body is still being sent.
        if (status === 413) return { status: 413 };
        throw error;
      });
      assert.equal(response.status, status, what);
    }
    const large = signed(
      'push',
      JSON.stringify({
        x: 'y'.repeat(20 * 1024 * 1024),
        repository: { id: 1, name: 'r', owner: { id: 2, login: 'nobody-here' } },
        sender: null,
      }),
    );
    assert.equal((await deliver(service, large)).status, 202);
    assert.equal((await send(service, path, 'GET')).status, 405);
    assert.equal((await send(service, '/v1/gitlab/webhooks', 'POST', good.headers, good.body)).status, 404);
    await using without = await startTestService({ simulator });
    assert.equal((await deliver(without, good)).status, 404);
    assert.ok(service.lines.every((line) => !line.includes(webhookSecret)));
  });

  it('accepts every example delivery of GitHub, or ignores it on purpose', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator, settings });
    const states = new Map<string, Set<string | undefined>>();
    for (const { name, examples: payloads } of events) {
      for (const payload of payloads) {
        const { status, state } = await deliver(service, signed(name, JSON.stringify(payload), { id: randomUUID() }));
        assert.equal(status, 202, `${name} ${JSON.stringify(payload).slice(0, 200)}`);
        states.set(name, (states.get(name) ?? new Set()).add(state));
      }
    }
    const taken = [...states].filter(([, seen]) => seen.has('accepted')).map(([name]) => name);
    assert.deepEqual(taken.toSorted(), [
      'discussion',
      'discussion_comment',
      'fork',
      'installation',
      'installation_repositories',
      'issue_comment',
      'issues',
      'organization',
      'public',
      'pull_request',
      'pull_request_review',
      'pull_request_review_comment',
      'push',
      'repository',
      'star',
    ]);
    for (const [name, seen] of states) assert.equal(seen.size, 1, name);
  });

  it('applies deliveries later that are accepted while no worker runs or before a kill', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using first = await startTestService({ simulator, settings });
    const { world } = simulator;
    await first.getComplete(`${engines.name}/contributors`);
    await untilIdle(first);
    const repository = world.repository(engines.name, 'engine-2') ?? assert.fail();
    const author = world.accountByLogin(simulator.accounts.outsider) ?? assert.fail();
    const sent = outbox(simulator);
    addIssue(world, repository, { author });
    // The workers cannot process the delivery, so that it waits.
    const { pool } = first.database;
    const blocker = await pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table deliveries in share row exclusive mode');
    const [opened] = sent;
    assert.ok(opened);
    const sending = deliver(first, opened);
    await blocker.query('commit');
    blocker.release();
    assert.deepEqual(await sending, { status: 202, state: 'accepted' });
    await first.service.close();
    await using second = await startTestService({ simulator, settings, databaseUrl: first.databaseUrl });
    await untilTrue(second, simulator, 'it is applied by the next process');
  });
});

const ofEnterprise = '{"action":"created","installation":{"id":5,"account":{"id":6,"slug":"big-enterprise"}}}';
