import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { installByName } from '../../src/commands/installations.ts';
import { bearer, engines } from '../access/owner.ts';
import { settled } from '../access/state.ts';
import { type ContractWorld, createContractWorld } from '../contract/world.ts';
import { addCommit, addIssue, addRepository, addReview } from '../github/world/activity.ts';
import { addComment } from '../github/world/comments.ts';
import type { Account, Repository } from '../github/world/model.ts';
import { closeItem, deleteItem } from '../github/world/mutations.ts';
import { addAccount } from '../github/world/people.ts';
import { react } from '../github/world/reactions.ts';
import { writeFile } from '../github/world/repository-changes.ts';
import { contributorsOf, countersOf } from '../github/world/truth.ts';
import { runTask } from '../installations/installed.ts';
import { send } from '../raw-request.ts';
import { startTestService, type TestService, until } from '../service.ts';
import { deliverySecret } from './asking.ts';
import { delivery, events } from './deliveries.ts';
import { type GitLabSimulator, startGitLabSimulator } from './simulator.ts';

/** A whole service on a simulated GitLab. */

interface Scene extends ContractWorld {
  simulator: GitLabSimulator;
  service: TestService;
  /** A group below the organization, and what it owns. */
  looms: Account;
  cards: Repository;
}

const entity = (name: string): string => `/v1/gitlab/entities/${encodeURIComponent(name)}`;

async function inService(check: (scene: Scene) => Promise<void>): Promise<void> {
  const world = createContractWorld();
  // A review that neither approves nor asks for changes is nothing but its comments there.
  for (const { reviews } of world.pulls) {
    for (const review of reviews) if (review.state === 'COMMENTED') review.state = 'APPROVED';
  }
  const { organization, people, now } = world;
  const login = `${organization.login}/looms`;
  const looms = addAccount(world.world, { type: 'Organization', login, name: 'Looms', createdAt: now() });
  const cards = addRepository(world.world, { ownerId: looms.id, name: 'punch.cards', createdAt: now() });
  addCommit(world.world, cards, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
  addIssue(world.world, cards, { author: people.max });
  await using simulator = await startGitLabSimulator({ world: world.world, maxPerPage: 3 });
  await using service = await startTestService({
    simulator,
    tokens: [],
    settings: {
      GITLAB_URL: simulator.url,
      GITLAB_TOKEN: simulator.tokens.organization_member,
      GITLAB_WEBHOOK_SECRET: deliverySecret,
    },
    now,
  });
  await check({ ...world, simulator, service, looms, cards });
}

const listed = (data: Record<string, unknown>[]): object[] =>
  data.map(({ name, contributions }) => ({ login: name, contributions }));

async function untilTrue({ world, service }: Scene, what: string, name: string = engines.name): Promise<void> {
  await until(async () => {
    const { body } = await service.getComplete(`${entity(name)}/contributors?limit=100`);
    const { body: numbers } = await service.getComplete(`${entity(name)}/contributions`);
    const isTrue =
      JSON.stringify(listed(body.data)) === JSON.stringify(contributorsOf(world, name)) &&
      JSON.stringify(numbers.data[0]?.['contributions']) === JSON.stringify(countersOf(world, name));
    return isTrue ? true : undefined;
  }, what);
}

/** Installs as the operator does, while the service runs. */
async function install({ service, simulator }: Scene, target: string): Promise<void> {
  const environment = {
    DATA_DIR: service.dataDir,
    DATABASE_URL: service.databaseUrl,
    GITLAB_URL: simulator.url,
    GITLAB_TOKEN: simulator.tokens.organization_member,
    LOG_LEVEL: 'silent',
  };
  const io = { environment, print: () => {}, warn: () => {}, isTerminal: false, signal: AbortSignal.timeout(60_000) };
  await installByName(io, target);
}

async function deliver({ service }: Scene, event: string, payload: object): Promise<string> {
  const { headers, body } = delivery(event, payload);
  const answer = await send(service, '/v1/gitlab/webhooks', 'POST', headers, body);
  assert.equal(answer.status, 202, answer.body);
  return (JSON.parse(answer.body) as { data: { state: string } }).data.state;
}

const told = ({ id, name }: Repository) => ({ id, path_with_namespace: `${engines.name}/${name}` });

/** What a token of the world's administrator is given for. */
async function ownersToken({ service, simulator }: Scene, name: string): Promise<string> {
  const { status, text } = await service.get(`${entity(name)}/token`, bearer(simulator.tokens.organization_admin));
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { data: { token: string } }).data.token;
}

test('a group, one below it and a user are looked up, counted, listed and drawn', async () => {
  await inService(async (scene) => {
    const { service, world, looms, people } = scene;
    const { status, body } = await service.get(entity('ANALYTICAL-engines'));
    assert.equal(status, 200);
    assert.deepEqual([body.data[0]?.['name'], body.data[0]?.['provider']], [engines.name, 'gitlab']);
    await untilTrue(scene, 'everything is counted');
    const { body: ofOne } = await service.getComplete(`${entity(engines.name)}/contributors?repository=handbook`);
    assert.deepEqual(listed(ofOne.data), contributorsOf(world, engines.name, { repository: 'handbook' }));

    const { body: below } = await service.get(entity(looms.login.toUpperCase()));
    assert.deepEqual([below.data[0]?.['name'], below.data[0]?.['type']], [looms.login, 'organization']);
    assert.match(String(below.data[0]?.['url']), /\/api\/v4\/groups\/analytical-engines%2Flooms$/);
    await untilTrue(scene, 'what the group below owns is counted', looms.login);
    const { body: cards } = await service.getComplete(`${entity(looms.login)}/contributors?repository=punch.cards`);
    assert.deepEqual(listed(cards.data), contributorsOf(world, looms.login, { repository: 'punch.cards' }));
    for (const picture of ['contributors?format=svg', 'contributions?format=svg&card=calendar', 'badges/community']) {
      const { headers, text } = await service.get(`${entity(looms.login)}/${picture}`);
      assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/, picture);
      assert.match(text, /<svg/);
    }
    const { text: composed } = await service.get(`/cards?provider=gitlab&name=${encodeURIComponent(looms.login)}`);
    assert.ok(composed.includes('/v1/gitlab/entities/analytical-engines%2Flooms/contributions?'), 'picture');
    assert.ok(composed.includes(`${scene.simulator.url}/analytical-engines/looms`), 'link');

    await service.get(entity('max-member'));
    await settled(service);
    const { body: numbers } = await service.get(`${entity('max-member')}/contributions`);
    assert.deepEqual(numbers.data[0]?.['contributions'], countersOf(world, people.max.login));
    assert.deepEqual(numbers.meta_data.missing?.toSorted(), [
      'commits',
      'contributed_to',
      'experience',
      'level',
      'reviews',
    ]);
    for (const nobody of ['nobody-at-all', `${looms.login}/deeper`, 'a//b', '-']) {
      assert.equal((await service.get(entity(nobody))).status, 404, nobody);
    }
  });
});

test('what is private is its owner’s to read, also by a picture in a private README', async () => {
  await inService(async (scene) => {
    const { service, simulator, world } = scene;
    await untilTrue(scene, 'everything public is counted');
    await settled(service);
    const token = await ownersToken(scene, engines.name);
    const { body: own } = await service.get(`${entity(engines.name)}/repositories`, bearer(token));
    assert.deepEqual(own.data.map(({ name }) => String(name)).toSorted(), ['empty', 'handbook', 'secret-plans']);
    assert.match(String(own.data[0]?.['url']), /\/api\/v4\/projects\/analytical-engines%2F/);
    assert.equal((await service.get(`${entity(engines.name)}/repositories`)).status, 401);
    const { body: people } = await service.getComplete(`${entity(engines.name)}/contributors`, bearer(token));
    const viewer = { accountId: scene.people.olive.id, seesPrivate: true };
    assert.deepEqual(listed(people.data), contributorsOf(world, engines.name, { viewer }));
    assert.notDeepEqual(listed(people.data), contributorsOf(world, engines.name));
    assert.ok(simulator.gitRequests.some((request) => request.includes('secret-plans')));
    for (const line of service.lines) assert.doesNotMatch(line, /simulated_organization/);
    const member = await service.get(`${entity(engines.name)}/token`, bearer(simulator.tokens.organization_member));
    assert.equal(member.status, 403);
  });
});

test('a service token of a group below another opens what is its own', async () => {
  await inService(async (scene) => {
    const { service, world, looms, people } = scene;
    world.memberships.push({ organizationId: looms.id, accountId: people.olive.id, role: 'admin', state: 'active' });
    await untilTrue(scene, 'it is counted', looms.login);
    const token = await ownersToken(scene, looms.login);
    const { body } = await service.get(`${entity(looms.login)}/repositories`, bearer(token));
    assert.deepEqual(
      body.data.map(({ name, owner }) => [name, owner]),
      [['punch.cards', looms.login]],
    );
    const path = `${entity(looms.login)}/repositories/punch.cards/contributors`;
    assert.equal((await service.getComplete(path, bearer(token))).status, 200);
    assert.equal((await service.get(`${entity(engines.name)}/repositories`, bearer(token))).status, 403);
    const { status, text } = await service.get(`${entity(looms.login)}/embeds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ path: `${path}?limit=5`, format: 'svg' }),
    });
    assert.equal(status, 201, text);
    const { data } = JSON.parse(text) as { data: { url: string } };
    const { pathname, search } = new URL(data.url);
    assert.match((await service.get(`${pathname}${search}`)).text, /<svg/);
  });
});

test('what is delivered is in the answers within seconds', async () => {
  await inService(async (scene) => {
    const { service, world, people, repositories, pulls } = scene;
    await untilTrue(scene, 'everything is counted');
    await settled(service);
    const { max, olive } = people;
    const handbook = told(repositories.handbook);
    const issue = addIssue(world, repositories.handbook, { author: max });
    assert.equal(await deliver(scene, 'Issue Hook', events.issue(handbook, max)), 'accepted');
    scene.advance(2);
    await untilTrue(scene, 'a new issue is counted');
    closeItem(world, issue, { by: olive });
    await deliver(scene, 'Issue Hook', events.issue(handbook, olive, 'close'));
    scene.advance(2);
    await untilTrue(scene, 'that it was closed is counted');
    const [, , , pull] = pulls;
    assert.ok(pull);
    pull.updatedAt = scene.now();
    addReview(world, pull, { author: max });
    await deliver(scene, 'Merge Request Hook', events.merge_request(handbook, max));
    scene.advance(2);
    await untilTrue(scene, 'a review is counted');
    addCommit(world, repositories.handbook, { author: { name: 'Max', email: 'max-member@mail.example' } });
    await deliver(scene, 'Push Hook', events.push(handbook, max));
    scene.advance(2);
    await untilTrue(scene, 'a commit is counted');
    const added = addRepository(world, { ownerId: scene.organization.id, name: 'added', createdAt: scene.now() });
    addIssue(world, added, { author: max });
    await deliver(scene, 'Project Hook', events.project('project_create', told(added)));
    scene.advance(4);
    await untilTrue(scene, 'a new project of an owner who is named by the path is counted');
    assert.equal(await deliver(scene, 'Pipeline Hook', { object_kind: 'pipeline' }), 'ignored');
    const { headers, body } = delivery('Push Hook', events.push(handbook, max));
    const unsigned = await send(service, '/v1/gitlab/webhooks', 'POST', { ...headers, 'x-gitlab-token': 'x' }, body);
    assert.equal(unsigned.status, 401);
  });
});

const achievements = `version: 0.0.1
achievements:
  - achievement:
      name: Opener
      icon: icons/opener.png
      description: Opened two issues
      triggers: [{trigger: {actor: author, action: issue, condition: "count() >= 2"}}]
  - achievement:
      name: Helper
      icon: https://icons.example/helper.png
      description: Wrote what was loved
      triggers: [{trigger: {actor: author, action: issue_comment, condition: "emojis in ['ROCKET']"}}]
  - achievement:
      name: Reviewer
      icon: https://icons.example/reviewer.png
      description: Reviewed
      triggers: [{trigger: {actor: author, action: review, condition: "count() >= 1"}}]
  - achievement:
      name: Gazer
      icon: https://icons.example/gazer.png
      description: Starred
      triggers: [{trigger: {actor: author, action: star, condition: "starred = true"}}]
  - achievement:
      name: Small change
      icon: https://icons.example/small.png
      description: Changed few lines
      triggers: [{trigger: {actor: author, action: pull_request, condition: "merged = true & changed_files = 1 & files in ['guide/engines.md']"}}]
`;

test('an installed project is known with everything, its achievements are awarded and drawn', async () => {
  await inService(async (scene) => {
    const { service, world, repositories, people, issues, advance } = scene;
    const author = { name: 'Olive', email: 'olive-admin@mail.example' };
    writeFile(world, repositories.handbook, '.plaudit/config.yaml', achievements, author);
    await untilTrue(scene, 'everything is counted');
    await settled(service);
    const { pool } = service.database;
    await install(scene, `gitlab/${engines.name}/handbook`);
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
      star: 2,
    };
    const poll = async (): Promise<void> => {
      await pool.query('delete from repository_polls');
      await runTask(service.database, 'poll_due');
      await settled(service);
    };
    await until(async () => {
      if (isDeepStrictEqual(await kinds(), everything)) return true;
      await poll();
      return undefined;
    }, 'all of it is stored');
    const earned = async (name: string): Promise<string[]> => {
      const { body } = await service.get(`${entity(name)}/achievements?limit=100`);
      return body.data.map((one) => String(one['name'])).toSorted();
    };
    await service.get(entity('ada-lovelace'));
    await service.get(entity('max-member'));
    const expected = { 'ada-lovelace': ['Gazer', 'Opener', 'Small change'], 'max-member': ['Gazer', 'Reviewer'] };
    for (const [name, names] of Object.entries(expected)) {
      await until(async () => (isDeepStrictEqual(await earned(name), names) ? true : undefined), `${name} is awarded`);
    }
    const { text } = await service.get(`${entity('ada-lovelace')}/achievements?format=svg`);
    assert.match(text, /Small change/);

    const [first, second] = issues;
    assert.ok(first && second);
    const said = addComment(world, second, { author: people.max });
    second.updatedAt = scene.now();
    react(world, said, { by: people.ada, content: 'ROCKET' });
    assert.equal(await deliver(scene, 'Emoji Hook', events.emoji(told(repositories.handbook), people.ada)), 'accepted');
    await until(async () => {
      advance(2);
      return (await earned('max-member')).includes('Helper') ? true : undefined;
    }, 'a reaction that is told is looked for, and what it earns is awarded');

    deleteItem(world, repositories.handbook, second);
    await until(async () => {
      advance(8 * 86_400);
      await service.get(`${entity(engines.name)}/contributors`);
      return (await kinds())['issue'] === 4 ? true : undefined;
    }, 'an issue that nobody told to be deleted is gone');
  });
});
