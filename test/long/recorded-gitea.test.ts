import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import sharp from 'sharp';
import { recordedDeliveries, recordedSecret, toList } from '../../simulators/gitea/recordings.ts';
import { type Replay, startReplay, toSecret } from '../../simulators/gitea/replay.ts';
import { findAchievements } from '../contract/service-responses.ts';
import { untilIdle } from '../e2e/access/state.ts';
import { installAsOperator } from '../e2e/installations/as-operator.ts';
import { send, sendDelivery } from '../e2e/raw-request.ts';
import { startTestService, type TestService } from '../e2e/service.ts';
import { bearer, tokenIn } from '../integration/access/owner.ts';
import { until } from '../time.ts';

/** Tests the whole service on recordings of a real Gitea. */

interface Fixture {
  replay: Replay;
  service: TestService;
  settings: Record<string, string>;
}

/** At this moment the issues and two pull requests exist, but not the other three, a review and the last commit. */
const moments = {
  before: new Date('2026-11-21T01:45:57Z'),
  after: new Date('2026-11-21T01:46:10Z'),
};

async function openFixture(moment: Date): Promise<Fixture & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const replay = stack.use(await startReplay());
  replay.moment = moment;
  const settings = {
    GITEA_URL: replay.url,
    GITEA_TOKEN: toSecret('alice'),
    GITEA_WEBHOOK_SECRET: recordedSecret,
  };
  const service = stack.use(
    await startTestService({
      simulator: { ...replay, tokens: {} as never },
      tokens: [],
      settings,
      now: () => replay.moment,
    }),
  );
  const parts = stack.move();
  return { replay, service, settings, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

const entity = (name: string): string => `/v1/gitea/entities/${name}`;

type ContributorCounts = [name: string, contributions: number][];

async function contributors({ service }: Fixture, init?: RequestInit): Promise<ContributorCounts> {
  const { body } = await service.getComplete(`${entity('acme')}/contributors`, init);
  return body.data.map(({ name, contributions }) => [String(name), Number(contributions)]);
}

/** Commits, issues, pull requests and reviews of each person, counted by hand from the recordings. */
const contributorsBefore: ContributorCounts = [
  ['carol', 6 + 2 + 1 + 1],
  ['alice', 7 + 1 + 0 + 1],
  ['bob', 6 + 1 + 1 + 1],
  ['forgeadmin', 0 + 1 + 0 + 0],
];
const contributorsAfter: ContributorCounts = [
  ['bob', 7 + 1 + 3 + 1],
  ['alice', 7 + 1 + 1 + 2],
  ['carol', 6 + 2 + 1 + 1],
  ['forgeadmin', 0 + 1 + 0 + 0],
];

describe('the service on a recorded Gitea', () => {
  it('follows recorded deliveries, shows an organization, its people and private data, and awards achievements', async () => {
    await using fixture = await openFixture(moments.before);
    const { replay, service, settings } = fixture;
    assert.deepEqual(await contributors(fixture), contributorsBefore);
    await untilIdle(service);
    replay.moment = moments.after;
    const states: Record<string, number> = {};
    for (const delivery of recordedDeliveries) {
      const state = await sendDelivery(service, 'gitea', delivery);
      states[state] = (states[state] ?? 0) + 1;
    }
    assert.deepEqual(states, { accepted: 52, ignored: 8 });
    const isAnalyzed = async (): Promise<true | undefined> =>
      isDeepStrictEqual(await contributors(fixture), contributorsAfter) ? true : undefined;
    await until(isAnalyzed, 'the delivered changes are counted');
    const [first] = recordedDeliveries;
    assert.ok(first);
    const forgedBody = first.body.replace('acme', 'evil');
    const forged = await send(service, '/v1/gitea/webhooks', 'POST', first.headers, forgedBody);
    assert.equal(forged.status, 401);
    await untilIdle(service);
    assert.deepEqual(await contributors(fixture), contributorsAfter);

    const { status, body } = await service.get(entity('acme'));
    assert.equal(status, 200);
    assert.deepEqual(
      [body.data[0]?.['type'], body.data[0]?.['name'], body.data[0]?.['display_name']],
      ['organization', 'acme', 'Acme Documentation'],
    );
    assert.equal((await service.get(entity('nobody-here'))).status, 404);
    const { body: counted } = await service.getComplete(`${entity('acme')}/contributions`);
    assert.deepEqual(counted.data[0]?.['contributions'], {
      commits: 20,
      issues: 5,
      pull_requests: 5,
      reviews: 4,
      stars: 4,
      contributed_to: 1,
      issues_closed: 2,
      pull_requests_merged: 2,
      discussions: 0,
      discussions_answered: 0,
    });
    await untilIdle(service);
    const { text: card } = await service.get(`${entity('bob')}/contributions?format=svg`);
    assert.match(card, />Public contributions · in repositories collected here · as of Nov 21, 2026</);
    const { body: example } = await service.getComplete(`${entity('ALICE')}/contributors`);
    assert.deepEqual(
      example.data.map(({ name, contributions }) => [name, contributions]),
      [['bob', 1]],
    );
    await untilIdle(service);
    const { body: bob } = await service.get(`${entity('bob')}/contributions`);
    assert.equal(Object(bob.data[0]?.['contributions']).commits, 7 + 1, 'the commit for alice is collected too');
    const { text } = await service.get(`${entity('acme')}/contributors?format=svg`);
    for (const name of ['Bob Barrow', 'Alice Ashdown', 'Carol Chen']) assert.match(text, new RegExp(name));
    const calendar = await fetch(`${service.url}${entity('bob')}/contributions?format=png&card=calendar`);
    assert.equal((await sharp(Buffer.from(await calendar.arrayBuffer())).metadata()).format, 'png');

    const feed = toList<{ op_type: string; content: string }>('feed-repo');
    const opened = feed.filter(({ op_type: type }) => type === 'create_pull_request').map(({ content }) => content);
    assert.ok(opened.length > new Set(opened).size);
    assert.doesNotMatch(replay.requests.join('\n'), /activities|heatmap/);

    await untilIdle(service);
    const token = tokenIn(await service.get(`${entity('acme')}/token`, bearer(toSecret('alice'))));
    const { body: own } = await service.get(`${entity('acme')}/repositories`, bearer(token));
    assert.deepEqual(
      own.data.map(({ name, private: isPrivate }) => [name, isPrivate]),
      [
        ['secret-plans', true],
        ['handbook', false],
      ],
    );
    // An issue and five commits are private.
    assert.deepEqual(await contributors(fixture, bearer(token)), [
      ['alice', 11 + 4],
      ['bob', 12 + 2],
      ['carol', 10],
      ['forgeadmin', 1],
    ]);
    assert.deepEqual(await contributors(fixture), contributorsAfter);
    const privateRequests = replay.gitRequests.filter((request) => request.includes('secret-plans'));
    assert.deepEqual([...new Set(privateRequests)], ['alice /acme/secret-plans.git']);
    assert.equal((await service.get(`${entity('acme')}/repositories`)).status, 401);
    assert.equal(
      (await service.get(`${entity('acme')}/token`, bearer('the repository is absent for visitors'))).status,
      401,
    );
    const { text: refused } = await service.get(`${entity('acme')}/repositories?repository=secret-plans`);
    assert.doesNotMatch(refused, /Private plans/);
    for (const line of service.lines) assert.doesNotMatch(line, /token-of-|secret-plans/);

    replay.files.set('.plaudit/config.yaml', achievements);
    await installAsOperator(service, settings, 'gitea/acme/handbook');
    const earned = (name: string) => findAchievements(service, entity(name));
    const expected = { alice: ['Critic'], bob: ['Finisher', 'Stylist'], carol: ['Loved'], forgeadmin: [] };
    await until(async () => {
      const awarded = await Promise.all(Object.keys(expected).map(earned));
      return isDeepStrictEqual(awarded, Object.values(expected)) ? true : undefined;
    }, 'all earned achievements are awarded');
    const { text: medals } = await service.get(`${entity('bob')}/achievements?format=svg`);
    assert.match(medals, /Stylist/);
    assert.match(medals, /Finisher/);
  });
});

const achievements = `version: 0.0.1
achievements:
  - achievement:
      name: Stylist
      icon: https://icons.example/stylist.png
      description: Wrote how to write
      triggers: [{trigger: {actor: author, action: commit, condition: "files in ['guide/style.md']"}}]
  - achievement:
      name: Finisher
      icon: https://icons.example/finisher.png
      description: Two merged pull requests
      triggers: [{trigger: {actor: author, action: pull_request, condition: "merged = true & count() >= 2"}}]
  - achievement:
      name: Critic
      icon: https://icons.example/critic.png
      description: Reviewed twice
      triggers: [{trigger: {actor: author, action: review, condition: "count() >= 2"}}]
  - achievement:
      name: Loved
      icon: https://icons.example/loved.png
      description: Somebody liked the issue
      triggers: [{trigger: {actor: author, action: issue, condition: "emojis in ['THUMBS_UP']"}}]
`;
