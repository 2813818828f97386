import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { bearer, engines } from '../access/owner.ts';
import { settled } from '../access/state.ts';
import { listed, untilCounted } from '../contract/served.ts';
import { type ContractWorld, createContractWorld } from '../contract/world.ts';
import { addCommit, addIssue, addReview } from '../github/world/activity.ts';
import { addComment, deleteComment } from '../github/world/comments.ts';
import { closeItem, deleteItem } from '../github/world/mutations.ts';
import { contributorsOf, countersOf } from '../github/world/truth.ts';
import { anybody } from '../github/world/world.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { send } from '../raw-request.ts';
import { startTestService, type TestService, until } from '../service.ts';
import { comment, item, repository } from './answers.ts';
import { deliverySecret } from './asking.ts';
import { recordedDelivery } from './recordings.ts';
import { type GiteaSimulator, startGiteaSimulator } from './simulator.ts';

/** A whole service on a simulated Gitea. */

interface Scene extends ContractWorld {
  simulator: GiteaSimulator;
  service: TestService;
}

const settingsOf = ({ url, tokens }: GiteaSimulator): Record<string, string> => ({
  GITEA_URL: url,
  GITEA_TOKEN: tokens.organization_member,
  GITEA_WEBHOOK_SECRET: deliverySecret,
});

const entity = (name: string): string => `/v1/gitea/entities/${name}`;

async function inService(check: (scene: Scene) => Promise<void>, options: { isClosed?: boolean } = {}): Promise<void> {
  const world = createContractWorld();
  await using simulator = await startGiteaSimulator({ world: world.world, maxPerPage: 3, ...options });
  await using service = await startTestService({
    simulator,
    tokens: [],
    settings: settingsOf(simulator),
    now: world.now,
  });
  await check({ ...world, simulator, service });
}

const untilTrue = (scene: Scene, what: string): Promise<void> =>
  untilCounted(scene, { name: engines.name, path: entity(engines.name) }, what);

test('an organization is looked up, counted, listed and drawn', async () => {
  await inService(async (scene) => {
    const { service } = scene;
    const { status, body } = await service.get(entity('ANALYTICAL-engines'));
    assert.equal(status, 200);
    assert.equal(body.data[0]?.['name'], engines.name);
    assert.equal(body.data[0]?.['provider'], 'gitea');
    await untilTrue(scene, 'everything is counted');
    const { body: ofOne } = await service.getComplete(`${entity(engines.name)}/contributors?repository=handbook`);
    assert.deepEqual(listed(ofOne.data), contributorsOf(scene.world, engines.name, { repository: 'handbook' }));
    const { headers, text } = await service.get(`${entity(engines.name)}/contributors?format=svg`);
    assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/);
    assert.match(text, /Ada Lovelace/);
    assert.equal((await service.get(entity('nobody-at-all'))).status, 404);
    assert.equal((await service.get('/v1/forgejo/entities/ada-lovelace')).status, 404);
  });
});

test('what a user did is summed from what is stored, and named as incomplete', async () => {
  await inService(async (scene) => {
    const { service, world, advance } = scene;
    await untilTrue(scene, 'the organization is collected');
    for (const name of ['max-member', 'ada-lovelace']) {
      await service.get(entity(name));
      await settled(service);
      const { body } = await service.getComplete(`${entity(name)}/contributors`);
      assert.equal(body.meta_data.complete, true);
      await settled(service);
      const { body: numbers } = await service.get(`${entity(name)}/contributions`);
      assert.deepEqual(numbers.data[0]?.['contributions'], countersOf(world, name));
      assert.equal(numbers.meta_data.complete, false);
      assert.deepEqual(numbers.meta_data.missing?.toSorted(), [
        'commits',
        'contributed_to',
        'experience',
        'issues',
        'issues_closed',
        'level',
        'pull_requests',
        'pull_requests_merged',
        'reviews',
      ]);
    }
    addIssue(world, scene.repositories.handbook, { author: scene.people.max });
    advance(7200);
    await until(async () => {
      await service.get(`${entity(engines.name)}/contributors`);
      const { body } = await service.get(`${entity('max-member')}/contributions`);
      advance(3601);
      const counted = JSON.stringify(body.data[0]?.['contributions']);
      return counted === JSON.stringify(countersOf(world, 'max-member')) ? true : undefined;
    }, 'the numbers of the user follow');
  });
});

test('what is private is its owner’s to read, and git gets it with the token that shows it', async () => {
  await inService(async (scene) => {
    const { service, simulator, world } = scene;
    await untilTrue(scene, 'everything public is counted');
    await settled(service);
    const { text } = await service.get(`${entity(engines.name)}/token`, bearer(simulator.tokens.organization_admin));
    const { data } = JSON.parse(text) as { data: { token: string } };
    const { body: own } = await service.get(`${entity(engines.name)}/repositories`, bearer(data.token));
    assert.deepEqual(own.data.map(({ name }) => String(name)).toSorted(), ['empty', 'handbook', 'secret-plans']);
    assert.equal((await service.get(`${entity(engines.name)}/repositories`)).status, 401);
    const { body: people } = await service.getComplete(`${entity(engines.name)}/contributors`, bearer(data.token));
    const viewer = { accountId: scene.people.olive.id, seesPrivate: true };
    assert.deepEqual(listed(people.data), contributorsOf(world, engines.name, { viewer }));
    assert.notDeepEqual(listed(people.data), contributorsOf(world, engines.name));
    assert.ok(simulator.gitRequests.some((request) => request.includes('secret-plans')));
    for (const line of service.lines) assert.doesNotMatch(line, /simulated_organization/);
    const member = await service.get(`${entity(engines.name)}/token`, bearer(simulator.tokens.organization_member));
    assert.equal(member.status, 403);
  });
});

/** What Gitea delivers: as it was recorded, about what is in the world. */
function delivered(
  scene: Scene,
  name: string,
  about: Record<string, unknown>,
): { headers: Record<string, string>; body: string } {
  const { headers, body: told } = recordedDelivery(name);
  const place = placeOf(scene);
  const content = {
    ...(JSON.parse(told) as object),
    repository: repository(place, scene.repositories.handbook),
    ...about,
  };
  const body = JSON.stringify(content);
  const signature = createHmac('sha256', deliverySecret).update(body).digest('hex');
  return {
    body,
    headers: {
      ...headers,
      'x-gitea-delivery': randomUUID(),
      'x-gitea-signature': signature,
      'x-hub-signature-256': `sha256=${signature}`,
    },
  };
}

function placeOf({ world, simulator }: Scene) {
  const { hidden, imported, url } = simulator;
  return { world, url, query: new URLSearchParams(), maxPerPage: 50, viewer: anybody, hidden, imported };
}

async function deliver(scene: Scene, name: string, about: Record<string, unknown>): Promise<string> {
  const { headers, body } = delivered(scene, name, about);
  const answer = await send(scene.service, '/v1/gitea/webhooks', 'POST', headers, body);
  assert.equal(answer.status, 202, answer.body);
  return (JSON.parse(answer.body) as { data: { state: string } }).data.state;
}

test('what is delivered is in the answers within seconds', async () => {
  await inService(async (scene) => {
    const { service, world, people, repositories, pulls } = scene;
    await untilTrue(scene, 'everything is counted');
    await settled(service);
    const place = placeOf(scene);
    const issue = addIssue(world, repositories.handbook, { author: people.max });
    assert.equal(await deliver(scene, '007-issues-opened', { issue: item(place, issue) }), 'accepted');
    scene.advance(2);
    await untilTrue(scene, 'a new issue is counted');
    closeItem(world, issue, { by: people.olive });
    await deliver(scene, '021-issues-closed', { action: 'closed', issue: item(place, issue) });
    scene.advance(2);
    await untilTrue(scene, 'that it was closed is counted');
    const [, , , pull] = pulls;
    assert.ok(pull);
    addReview(world, pull, { author: people.max });
    await deliver(scene, '030-pull_request_review_approved-reviewed', { pull_request: item(place, pull) });
    scene.advance(2);
    await untilTrue(scene, 'a review is counted');
    addCommit(world, repositories.handbook, { author: { name: 'Max', email: 'max-member@mail.example' } });
    await deliver(scene, '004-push', {});
    scene.advance(2);
    await untilTrue(scene, 'a commit is counted');
    assert.equal(await deliver(scene, '057-release-published', {}), 'ignored');
    const unsigned = await send(service, '/v1/gitea/webhooks', 'POST', { 'content-type': 'application/json' }, '{}');
    assert.equal(unsigned.status, 401);
  });
});

test('an installed repository is known by its comments too, and what is deleted is gone', async () => {
  await inService(async (scene) => {
    const { service, world, repositories, people, issues, advance } = scene;
    await untilTrue(scene, 'everything is counted');
    await settled(service);
    const { pool } = service.database;
    await installAsOperator(service, settingsOf(scene.simulator), 'gitea/analytical-engines/handbook');
    await settled(service);
    const kinds = async (): Promise<Record<string, number>> => {
      const { rows } = await pool.query<{ kind: string; count: number }>(
        `select kind, count(*)::integer as count from contributions c join repositories r on r.id = c.repository_id
         where r.external_id = $1 and r.gone_at is null group by kind`,
        [String(repositories.handbook.id)],
      );
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    };
    const everything = {
      issue: 5,
      pull_request: 5,
      review: 3,
      review_comment: 1,
      issue_comment: 2,
      pull_request_comment: 1,
    };
    await until(async () => {
      if (isDeepStrictEqual(await kinds(), everything)) return true;
      // Its turn may have come while it was being read for another reason.
      await pool.query('delete from repository_polls');
      await pool.query("select graphile_worker.add_job('poll_due', job_key := 'its turn again')");
      return undefined;
    }, 'all of it is stored');
    const [first, second] = issues;
    const said = first?.comments[0];
    assert.ok(first && second && said);
    const place = placeOf(scene);
    deleteComment(world, said);
    await deliver(scene, '018-issue_comment-created', {
      action: 'deleted',
      issue: item(place, first),
      comment: comment(place, said, first, '/analytical-engines/handbook'),
    });
    const added = addComment(world, second, { author: people.olive });
    await deliver(scene, '018-issue_comment-created', {
      issue: item(place, second),
      comment: comment(place, added, second, '/analytical-engines/handbook'),
    });
    await until(async () => {
      advance(2);
      const { rows } = await pool.query(
        "select 1 from contributions where kind = 'issue_comment' and external_id = $1",
        [String(added.id)],
      );
      return rows.length === 1 ? true : undefined;
    }, 'a new comment is stored');
    assert.equal((await kinds())['issue_comment'], 2);
    deleteItem(world, repositories.handbook, second);
    await until(async () => {
      advance(8 * 86_400);
      await service.get(`${entity(engines.name)}/contributors`);
      return (await kinds())['issue'] === 4 ? true : undefined;
    }, 'an issue that nobody told to be deleted is gone');
  });
});

test('what is deleted where nothing is installed is gone within a month', async () => {
  await inService(async (scene) => {
    const { service, world, repositories, issues, advance } = scene;
    await untilTrue(scene, 'everything is counted');
    await settled(service);
    const [first] = issues;
    assert.ok(first);
    deleteItem(world, repositories.handbook, first);
    advance(31 * 86_400);
    await untilTrue(scene, 'the issue is gone');
  });
});

test('a repository whose code is switched off is there with all else, and with its commits when it is on again', async () => {
  await inService(async (scene) => {
    const { service, simulator, world, repositories, advance } = scene;
    simulator.withoutGit.add(repositories.handbook);
    const numbers = async () => (await service.get(`${entity(engines.name)}/contributions`)).body;
    await until(async () => {
      const { data, meta_data: about } = await numbers();
      const counted = (data[0]?.['contributions'] ?? {}) as Record<string, number>;
      return about.missing?.includes('commits') && counted['issues'] === 5 ? true : undefined;
    }, 'everything but commits is counted');
    await settled(service);
    const { body } = await service.get(`${entity(engines.name)}/contributors?repository=handbook`);
    assert.equal(body.meta_data.complete, false);
    assert.ok(body.data.length > 0);
    assert.notDeepEqual(listed(body.data), contributorsOf(world, engines.name, { repository: 'handbook' }));
    simulator.withoutGit.clear();
    advance(3601);
    await untilTrue(scene, 'commits are counted too');
  });
});

test('an instance that answers nobody who is not signed in is read with a token, commits too', async () => {
  await inService((scene) => untilTrue(scene, 'everything public is counted'), { isClosed: true });
});
