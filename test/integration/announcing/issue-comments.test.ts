import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { addRepository } from '../../../simulators/world/activity.ts';
import { addComment } from '../../../simulators/world/comments.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import type { Notifier } from '../../../src/hosts/interface/notifier.ts';
import type { Attempt } from '../../../src/recognition/notifications/notification.ts';
import { comment } from '../../../src/recognition/notifications/senders.ts';
import { newCall } from '../../contract/host.ts';
import { createContractWorld } from '../../contract/world.ts';
import { gitlabProvider } from '../providers/gitlab/gitlab-provider.ts';
import { type Fixture, type IssueHost, issueHosts, listComments, openIssues, withNotifier } from './issue-hosts.ts';

/** Comments on issues, on each host that has no discussions. */

const first = { id: 'one', text: 'Ada earned `First`.' };
const second = { id: 'two', text: 'Max earned `Second`.' };
const markedText = ({ id, text }: typeof first): string => `${text}\n<!-- plaudit ${id} -->`;

function writeComment(
  { notifier }: Fixture,
  ...[place, comment]: [ReturnType<Fixture['toPlace']>, typeof first]
): Promise<void> {
  return notifier?.comment(place, comment, newCall()) ?? assert.fail('nothing to write with');
}

describe('comments in issues', () => {
  for (const host of issueHosts) {
    it(`writes each comment once, only to the oldest open issue with the title (${host.name})`, async () => {
      await withNotifier(host, ['organization_member'], async (fixture) => {
        const { repositories, people, world } = fixture;
        const titles = ['News', ' Awards ', 'Awards', 'awards', 'More Awards', 'Awards', 'Other'];
        const [unrelated, closed, oldest, ...others] = openIssues(fixture, repositories.handbook, titles);
        assert.ok(unrelated && closed && oldest);
        closeItem(world, closed);
        const place = fixture.toPlace(repositories.handbook, 'Awards ');
        for (const comment of [first, second, first, second]) await writeComment(fixture, place, comment);
        assert.deepEqual(listComments(oldest), [
          [people.max.id, markedText(first)],
          [people.max.id, markedText(second)],
        ]);
        for (const issue of [unrelated, closed, ...others]) assert.deepEqual(listComments(issue), [], issue.title);
      });
    });

    it(`writes a comment once after a lost response, even below many other comments (${host.name})`, async () => {
      await withNotifier(host, ['organization_member'], async (fixture) => {
        const { repositories, people, hosted, world, advance } = fixture;
        const [issue] = openIssues(fixture, repositories.handbook, ['Awards']);
        assert.ok(issue);
        const place = fixture.toPlace(repositories.handbook, 'Awards');
        hosted.losses.push('POST /api/v');
        await assert.rejects(writeComment(fixture, place, first), { code: 'provider_unavailable' });
        assert.deepEqual([hosted.losses, listComments(issue)], [[], [[people.max.id, markedText(first)]]]);
        for (let talk = 1; talk <= 5; talk += 1) {
          advance(3600);
          addComment(world, issue, { author: people.ada });
        }
        await writeComment(fixture, place, first);
        assert.equal(listComments(issue).filter(([, body]) => body === markedText(first)).length, 1);
        assert.equal(hosted.requests.filter((request) => request.includes(' POST ')).length, 1);
      });
    });

    it(`sends a request that writes once, regardless of the response (${host.name})`, async () => {
      await withNotifier(host, ['organization_member'], async (fixture) => {
        const { repositories, hosted, now } = fixture;
        openIssues(fixture, repositories.handbook, ['Awards']);
        const place = fixture.toPlace(repositories.handbook, 'Awards');
        for (const { reply, error } of [
          { reply: { status: 201, body: {} }, error: { code: 'provider_invalid_response' } },
          { reply: { status: 502, body: 'gone' }, error: { code: 'provider_unavailable' } },
          { reply: { status: 423, body: {} }, error: { code: 'provider_denied' } },
          { reply: { status: 404, body: {} }, error: { code: 'not_found', message: 'the issue is there no more' } },
          {
            reply: { status: 429, body: 'later', headers: { 'retry-after': '60' } },
            error: { code: 'provider_rate_limited', retryAt: new Date(now().getTime() + 60_000) },
          },
        ]) {
          hosted.requests.length = 0;
          hosted.overrides.splice(0, 1, () => (hosted.requests.at(-1)?.includes(' POST ') ? reply : undefined));
          await assert.rejects(writeComment(fixture, place, first), error);
          assert.equal(hosted.requests.filter((request) => request.includes(' POST ')).length, 1, error.code);
        }
      });
    });

    it(`writes no more comments to an issue that was closed or renamed (${host.name})`, async () => {
      await withNotifier(host, ['organization_member'], async (fixture) => {
        const { repositories, world } = fixture;
        const [former, latter] = openIssues(fixture, repositories.handbook, ['Awards', 'Awards']);
        assert.ok(former && latter);
        const place = fixture.toPlace(repositories.handbook, 'Awards');
        await writeComment(fixture, place, first);
        closeItem(world, former);
        await writeComment(fixture, place, second);
        assert.deepEqual(
          [former, latter].map(listComments).map((bodies) => bodies.length),
          [1, 1],
        );
        latter.title = 'Prizes';
        await assert.rejects(writeComment(fixture, place, second), {
          code: 'not_found',
          message: /no open issue of this title/,
        });
        await assert.rejects(writeComment(fixture, fixture.toPlace(repositories.empty, 'Awards'), first), {
          code: 'not_found',
        });
        assert.equal(listComments(latter).length, 1);
      });
    });

    it(`reports a token that lacks the scope, and writes with the next token (${host.name})`, async () => {
      await withNotifier(host, ['organization_admin'], (fixture) => refused(fixture, host));
      await withNotifier(host, ['organization_admin', 'organization_member'], async (fixture) => {
        fixture.hosted.readingTokens.add('organization_admin');
        const { repositories, people } = fixture;
        const [issue] = openIssues(fixture, repositories.handbook, ['Awards']);
        assert.ok(issue);
        await writeComment(fixture, fixture.toPlace(repositories.handbook, 'Awards'), first);
        assert.deepEqual(listComments(issue), [[people.max.id, markedText(first)]]);
      });
    });

    it(`writes to a private repository only with a token that can read it (${host.name})`, async () => {
      await withNotifier(host, ['user', 'organization_member'], async (fixture) => {
        const { repositories, people } = fixture;
        const [issue] = openIssues(fixture, repositories.plans, ['Awards']);
        assert.ok(issue);
        await writeComment(fixture, fixture.toPlace(repositories.plans, 'Awards'), first);
        assert.deepEqual(listComments(issue), [[people.max.id, markedText(first)]]);
      });
      await withNotifier(host, ['user'], async (fixture) => {
        const [issue] = openIssues(fixture, fixture.repositories.plans, ['Awards']);
        assert.ok(issue);
        const place = fixture.toPlace(fixture.repositories.plans, 'Awards');
        await assert.rejects(writeComment(fixture, place, first), { code: 'not_found', message: /no token shows it/ });
        assert.deepEqual(listComments(issue), []);
      });
      await withNotifier(host, [], async ({ notifier, hosted, organization }) => {
        const owner = { accountId: '1', externalId: host.externalIdOf(organization), name: organization.login };
        const outcome = await announced(notifier, owner, `${organization.login}/secret-plans`);
        assert.ok(outcome.outcome === 'failed' && /elsewhere it needs a token/.test(outcome.reason));
        assert.deepEqual([notifier, hosted.requests], [undefined, []]);
      });
    });

    it(`writes no comment for an account that took the name of a former owner (${host.name})`, async () => {
      await withNotifier(host, ['organization_member'], async (fixture) => {
        const { repositories, people } = fixture;
        for (const repository of [repositories.handbook, repositories.fork]) {
          const [issue] = openIssues(fixture, repository, ['Awards']);
          assert.ok(issue);
          const place = { ...fixture.toPlace(repository, 'Awards'), owner: host.externalIdOf(people.deleted) };
          await assert.rejects(writeComment(fixture, place, first), { code: 'not_found' });
          assert.deepEqual(listComments(issue), []);
          await writeComment(fixture, fixture.toPlace(repository, 'Awards'), first);
          assert.equal(listComments(issue).length, 1);
        }
      });
    });
  }

  it('comments on issues in subgroups, and never on confidential ones (gitlab)', async () => {
    const fixture = createContractWorld();
    const { world, organization, now } = fixture;
    const login = `${organization.login}/looms`;
    const looms = addAccount(world, { type: 'Organization', login, createdAt: now() });
    const cards = addRepository(world, { ownerId: looms.id, name: 'punch.cards', createdAt: now() });
    const [confidential, issue] = openIssues(fixture, cards, ['Awards', 'Awards']);
    assert.ok(confidential && issue);
    await using simulator = await startGitLabSimulator({ world });
    simulator.hidden.issues.add(confidential.id);
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
    const place = { owner: `group:${looms.id}`, ownerName: login, repository: cards.name, title: 'Awards' };
    const owner = { accountId: '1', externalId: place.owner, name: login };
    assert.deepEqual(await announced(provider.notifier, owner, `${login}/${cards.name}`), { outcome: 'sent' });
    assert.deepEqual(listComments(confidential), []);
    assert.match(listComments(issue)[0]?.[1] ?? '', /^🏆 `ada` .*\n<!-- plaudit 7 -->$/);
    const parentGroup = { ...owner, name: organization.login };
    const others = await announced(provider.notifier, parentGroup, `${login}/${cards.name}`);
    assert.deepEqual(others, { outcome: 'failed', reason: 'is in a repository of another owner', isFinal: true });
    simulator.hidden.issues.add(issue.id);
    await assert.rejects(async () => provider.notifier?.comment(place, second, newCall()), { code: 'not_found' });
    assert.equal(listComments(issue).length, 1);
  });
});

/** Announces an award of an owner as the outbox does. */
function announced(
  notifier: Notifier | undefined,
  owner: Attempt['owner'],
  repository: string,
): ReturnType<typeof comment> {
  const content = { person: 'ada', achievement: 'First', repository, awardedAt: '2026-11-21T12:00:00Z' };
  const target = { repository, title: 'Awards' };
  const attempt = {
    id: '7',
    provider: 'here',
    kind: 'github',
    receiver: 'x',
    content,
    attempts: 1,
    isWithheld: false,
  } as const;
  return comment(notifier, { ...attempt, target, owner }, AbortSignal.timeout(30_000));
}

async function refused(fixture: Fixture, { scope }: IssueHost): Promise<void> {
  const { repositories, hosted } = fixture;
  hosted.readingTokens.add('organization_admin');
  const [issue] = openIssues(fixture, repositories.handbook, ['Awards']);
  assert.ok(issue);
  const message = `The code host wants the scope ${scope} of the configured token.`;
  const place = fixture.toPlace(repositories.handbook, 'Awards');
  await assert.rejects(writeComment(fixture, place, first), { code: 'provider_denied', message });
  assert.deepEqual(listComments(issue), []);
}
