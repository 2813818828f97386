import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GitLabSimulator, startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import type { Exchange } from '../../../../simulators/host.ts';
import { addCommit, addIssue } from '../../../../simulators/world/activity.ts';
import type { Contribution } from '../../../../src/model/contribution.ts';
import { knownAccount, lastReport, newCall } from '../../../contract/host.ts';
import { type ContractWorld, createContractWorld, toHandbook } from '../../../contract/world.ts';
import { gitlabProvider } from './gitlab-provider.ts';

/** Tests that data for members does not become public through a member's token. */

const deep = { cursor: null, since: null, pageSize: null, isDeep: true };

async function withFixture(
  check: (fixture: ContractWorld & { simulator: GitLabSimulator }) => Promise<void>,
): Promise<void> {
  const world = createContractWorld();
  await using simulator = await startGitLabSimulator({ world: world.world });
  await check({ ...world, simulator });
}

const listIds = (contributions: readonly Contribution[], kind: Contribution['kind']): string[] =>
  contributions.filter((contribution) => contribution.kind === kind).map(({ externalId }) => externalId);

describe('hidden parts of GitLab projects', () => {
  it('skips confidential issues also where the host lists them although they are excluded', async () => {
    const world = createContractWorld();
    const { repositories, issues, now } = world;
    const hidden = issues.slice(0, 2).map(({ id }) => id);
    const rewrite = ({ operation, body }: Exchange): unknown =>
      operation.endsWith('/issues') && Array.isArray(body)
        ? body.map((issue: { id: number }) => ({ ...issue, confidential: hidden.includes(issue.id) }))
        : body;
    await using simulator = await startGitLabSimulator({ world: world.world, rewrite });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
    const read = async (isDeep: boolean) =>
      (await provider.streams.read('issues', toHandbook(world), { ...deep, isDeep }, newCall())).contributions;
    for (const contributions of [await read(true), await read(false)]) {
      assert.equal(listIds(contributions, 'issue').length, issues.length - hidden.length);
      for (const id of hidden) assert.ok(!listIds(contributions, 'issue').includes(String(id)));
    }
    const tip = await provider.polls.readTip(toHandbook(world), newCall());
    for (const id of hidden) assert.ok(!listIds(tip?.page.contributions ?? [], 'issue').includes(String(id)));
    assert.equal(repositories.handbook.visibility, 'public');
  });

  it('skips confidential issues and internal notes of a public project', async () => {
    await withFixture(async (fixture) => {
      const { simulator, issues, pulls, now } = fixture;
      const [first, second] = issues;
      const [pull] = pulls;
      assert.ok(first && second && pull);
      const [visibleComment, internalComment] = first.comments;
      const onPull = pull.comments[0];
      assert.ok(visibleComment && internalComment && onPull);
      simulator.hidden.issues.add(second.id);
      for (const { id } of [visibleComment, onPull]) simulator.hidden.notes.add(id);
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
      const page = await provider.streams.read('issues', toHandbook(fixture), deep, newCall());
      assert.equal(page.total, issues.length - 1);
      assert.ok(!listIds(page.contributions, 'issue').includes(String(second.id)));
      assert.deepEqual(listIds(page.contributions, 'issue_comment'), [String(internalComment.id)]);
      assert.equal(page.contributions.find(({ externalId }) => externalId === String(first.id))?.details?.comments, 1);
      const reviewed = await provider.streams.read('pull_requests', toHandbook(fixture), deep, newCall());
      assert.deepEqual(listIds(reviewed.contributions, 'pull_request_comment'), []);
      assert.equal((await provider.polls.readTotals(toHandbook(fixture), newCall()))['issues'], issues.length - 1);
      const tip = await provider.polls.readTip(toHandbook(fixture), newCall());
      assert.ok(!listIds(tip?.page.contributions ?? [], 'issue').includes(String(second.id)));
    });
  });

  it('reads parts of a public project as empty that are switched off or for members only', async () => {
    for (const level of ['private', 'disabled'] as const) {
      await withFixture(async (fixture) => {
        const { simulator, organization, repositories, now } = fixture;
        simulator.hidden.parts.set(repositories.handbook.id, {
          issues_access_level: level,
          merge_requests_access_level: level,
          repository_access_level: level,
        });
        await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
        for (const stream of ['issues', 'pull_requests']) {
          const page = await provider.streams.read(stream, toHandbook(fixture), deep, newCall());
          assert.deepEqual([page.contributions, page.nextCursor, page.total], [[], null, 0], `${level} ${stream}`);
        }
        const owner = await knownAccount(provider, organization.login);
        const found = await provider.repositories.find(owner, 'handbook', { withPrivate: true }, newCall());
        assert.deepEqual([found?.isPrivate, found?.defaultBranch], [false, '']);
        const files = await provider.files.read(toHandbook(fixture), ['.plaudit/config.yaml'], newCall());
        assert.deepEqual(files, { revision: null, files: [] });
        const tip = await provider.polls.readTip(toHandbook(fixture), newCall());
        assert.deepEqual(tip?.page.contributions, []);
      });
    }
  });

  it('reads members-only parts of a private project with the token that shows it', async () => {
    await withFixture(async ({ simulator, organization, world, people, repositories, now }) => {
      const issue = addIssue(world, repositories.plans, { author: people.olive });
      simulator.hidden.issues.add(issue.id);
      simulator.hidden.parts.set(repositories.plans.id, { issues_access_level: 'private' });
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
      const owner = await knownAccount(provider, organization.login);
      const found = await provider.repositories.find(owner, 'secret-plans', { withPrivate: true }, newCall());
      assert.ok(found);
      const { handle, name, defaultBranch, credentialName } = found;
      const plans = { owner: organization.login, name, handle, defaultBranch, credentialName };
      const page = await provider.streams.read('issues', plans, deep, newCall());
      assert.equal(listIds(page.contributions, 'issue').length, 2);
    });
  });

  it('reads internal projects with a token, and reports them as private', async () => {
    await withFixture(async ({ simulator, organization, repositories, world, now }) => {
      repositories.handbook.visibility = 'internal';
      world.markChanged();
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
      const owner = await knownAccount(provider, organization.login);
      const publicPage = await provider.repositories.list(owner, null, newCall());
      assert.deepEqual(
        publicPage.repositories.map(({ name }) => name),
        ['empty'],
      );
      assert.equal(
        (await provider.repositories.find(owner, 'handbook', { withPrivate: false }, newCall())) ?? null,
        null,
      );
      const own = await provider.repositories.list(owner, publicPage.nextCursor, newCall());
      assert.deepEqual(
        own.repositories.map(({ name, isPrivate }) => [name, isPrivate]),
        [['handbook', true]],
      );
    });
  });

  it('reports a private profile and a blocked account as hidden, and does not find a private group', async () => {
    await withFixture(async ({ simulator, people, organization, now }) => {
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
      simulator.hidden.profiles.add(people.ada.id);
      simulator.hidden.groups.set(organization.id, 'private');
      simulator.hidden.blocked.set(people.olive.id, 'blocked');
      for (const { login } of [people.ada, people.olive]) {
        const report = await lastReport(provider.accounts.lookUp(login, newCall()));
        assert.deepEqual([report?.account.isPublic, report?.counters], [false, {}], login);
      }
      assert.equal(await lastReport(provider.accounts.lookUp(organization.login, newCall())), undefined);
    });
  });

  it('counts the issues of an account without a token, and lists unknown counters as missing', async () => {
    await withFixture(async ({ simulator, world, people, repositories, now }) => {
      addIssue(world, repositories.plans, { author: people.max });
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
      const report = await lastReport(provider.accounts.lookUp(people.max.login, newCall()));
      assert.deepEqual(report?.counters, {
        issues: 1,
        issues_closed: 1,
        pull_requests: 1,
        pull_requests_merged: 0,
        stars: 0,
        discussions: 0,
        discussions_answered: 0,
      });
      assert.deepEqual(report?.missing.toSorted(), ['commits', 'contributed_to', 'reviews']);
      const searches = simulator.requests.filter((request) => /^\S+ \/(issues|merge_requests)\?/.test(request));
      assert.equal(searches.length, 4);
      for (const search of searches) assert.match(search, /^anonymous /);

      simulator.overrides.push((path) =>
        /^\/(issues|merge_requests)/.test(path) ? { status: path.includes('closed') ? 500 : 401, body: {} } : undefined,
      );
      const unreported = await lastReport(provider.accounts.lookUp(people.max.login, newCall()));
      assert.equal(unreported?.counters.issues, undefined);
      assert.deepEqual(unreported?.missing.toSorted(), [
        'commits',
        'contributed_to',
        'issues',
        'issues_closed',
        'pull_requests',
        'pull_requests_merged',
        'reviews',
      ]);
    });
  });

  it('lists a counter as missing when GitLab does not report the length of its list', async () => {
    const { world, people, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world, totalsUpTo: 0 });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const report = await lastReport(provider.accounts.lookUp(people.max.login, newCall()));
    assert.ok(report?.missing.includes('issues') && report.counters.issues === undefined);
  });

  it('reads profiles, issues and merge requests without a token, and leaves other values unknown', async () => {
    await withFixture(async (fixture) => {
      const { simulator, people, issues, pulls, now } = fixture;
      await using provider = gitlabProvider(simulator, { now });
      const report = await lastReport(provider.accounts.lookUp(people.ada.login.toUpperCase(), newCall()));
      assert.deepEqual(
        [report?.account.name, report?.account.followers, report?.account.socials],
        [people.ada.login, null, null],
      );
      assert.ok(report?.missing.includes('stars'));
      assert.deepEqual(
        provider.streams.list.map(({ name, covers }) => [name, covers]),
        [
          ['issues', ['issue', 'discussion']],
          ['pull_requests', ['pull_request']],
        ],
      );
      const page = await provider.streams.read('issues', toHandbook(fixture), { ...deep, isDeep: false }, newCall());
      assert.equal(page.contributions.length, issues.length);
      const merged = await provider.streams.read(
        'pull_requests',
        toHandbook(fixture),
        { ...deep, isDeep: false },
        newCall(),
      );
      assert.equal(merged.contributions.length, pulls.length);
      assert.deepEqual(merged.wholeParents, []);
      // An installed project is read in the same way, also where merge requests are for members alone.
      const read = (stream: string) => provider.streams.read(stream, toHandbook(fixture), deep, newCall());
      assert.equal((await read('issues')).contributions.length, issues.length);
      const tip = await provider.polls.readTip(toHandbook(fixture), newCall());
      assert.deepEqual(new Set(tip?.page.contributions.map(({ kind }) => kind)), new Set(['issue', 'pull_request']));
      const refuse = (body: object) => {
        simulator.overrides.push((path) => (path.includes('/merge_requests') ? { status: 403, body } : undefined));
      };
      refuse({ message: '403 Forbidden' });
      assert.deepEqual((await read('pull_requests')).contributions, []);
      assert.ok(
        (await provider.polls.readTip(toHandbook(fixture), newCall()))?.page.contributions.every(
          ({ kind }) => kind === 'issue',
        ),
      );
      simulator.overrides.length = 0;
      // The refusal of a proxy says nothing about the project.
      refuse({ error: 'blocked' });
      await assert.rejects(read('pull_requests'), { code: 'provider_denied' });
      simulator.overrides.length = 0;
    });
  });

  it('dates a tip up to an hour after the reported activity, because GitLab may report activity late', async () => {
    await withFixture(async ({ simulator, organization, world, people, repositories, now, advance }) => {
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
      addCommit(world, repositories.handbook, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
      const reportedAt = repositories.handbook.pushedAt?.getTime() ?? 0;
      const owner = await knownAccount(provider, organization.login);
      for (const [seconds, expected] of [
        [600, 600],
        [3600, 3600],
        [7200, 3600],
      ] as const) {
        advance(seconds);
        const found = await provider.repositories.find(owner, 'handbook', { withPrivate: false }, newCall());
        const ago = ((found?.tips['commits']?.changedAt?.getTime() ?? 0) - reportedAt) / 1000;
        assert.equal(ago, expected);
      }
    });
  });

  it('refuses to read a project that is no longer public with the token of a member', async () => {
    await withFixture(async (fixture) => {
      const { simulator, world, repositories, now } = fixture;
      await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_member], now });
      repositories.handbook.visibility = 'private';
      world.markChanged();
      for (const stream of ['issues', 'pull_requests', 'stars']) {
        await assert.rejects(provider.streams.read(stream, toHandbook(fixture), deep, newCall()), {
          code: 'not_found',
        });
      }
      await assert.rejects(provider.polls.readTotals(toHandbook(fixture), newCall()), { code: 'not_found' });
    });
  });
});
