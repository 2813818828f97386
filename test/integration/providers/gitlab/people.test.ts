import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import { addCommit, addIssue, addRepository, addReview } from '../../../../simulators/world/activity.ts';
import { addComment } from '../../../../simulators/world/comments.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import type { KnownAccount, KnownRepository } from '../../../../src/hosts/interface/provider.ts';
import { knownAccount, lastReport, newCall } from '../../../contract/host.ts';
import { createContractWorld, toHandbook } from '../../../contract/world.ts';
import { gitlabProvider } from './gitlab-provider.ts';

describe('accounts of GitLab', () => {
  /** Tests accounts at GitLab: subgroups, bots, ghosts and reviewers. */

  it('treats a subgroup as a separate account with its own name, repositories and URLs', async () => {
    const { world, now, organization, people } = createContractWorld();
    const looms = addAccount(world, {
      type: 'Organization',
      login: `${organization.login}/looms`,
      createdAt: now(),
      name: 'Looms',
    });
    const cards = addRepository(world, { ownerId: looms.id, name: 'punch.cards', createdAt: now() });
    addCommit(world, cards, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.organization_admin], now });
    const owner = await knownAccount(provider, 'Analytical-Engines/LOOMS');
    assert.deepEqual([owner.name, owner.type, owner.externalId], [looms.login, 'organization', `group:${looms.id}`]);
    const { repositories } = await provider.repositories.list(owner, null, newCall());
    assert.deepEqual(
      repositories.map(({ name }) => name),
      ['punch.cards'],
    );
    const ofParentGroup = await provider.repositories.list(
      await knownAccount(provider, organization.login),
      null,
      newCall(),
    );
    assert.ok(ofParentGroup.repositories.every(({ name }) => name !== 'punch.cards'));
    const found = await provider.repositories.find(owner, 'PUNCH.cards', { withPrivate: false }, newCall());
    assert.equal(found?.externalId, String(cards.id));
    const { url } = simulator;
    const stored: KnownRepository = {
      owner: owner.name,
      name: 'punch.cards',
      handle: String(cards.id),
      defaultBranch: 'feature/main',
      credentialName: null,
    };
    const { signal } = new AbortController();
    const remote = await provider.history.toRemote(stored, signal);
    assert.equal(remote.url, `${url}/analytical-engines/looms/punch.cards.git`);
    assert.equal(
      provider.files.toUrl(stored, 'icons/a b.png'),
      `${url}/analytical-engines/looms/punch.cards/-/raw/feature/main/icons/a%20b.png`,
    );
    assert.equal(provider.accounts.toUrl(owner), `${url}/api/v4/groups/analytical-engines%2Flooms`);
    assert.equal(provider.accounts.toUrl({ name: 'ada', type: 'user' }), `${url}/api/v4/users?username=ada`);
    assert.equal(
      provider.repositories.toUrl(owner.name, 'punch.cards'),
      `${url}/api/v4/projects/analytical-engines%2Flooms%2Fpunch.cards`,
    );
    const refreshed = await lastReport(provider.accounts.refresh(owner, newCall()));
    assert.equal(refreshed?.account.externalId, owner.externalId);
  });

  it('distinguishes a user from a group with the same id', async () => {
    const { world, now, organization, people } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const group = await knownAccount(provider, organization.login);
    const user = await knownAccount(provider, people.max.login);
    const asUser: KnownAccount = { ...user, externalId: String(organization.id) };
    assert.equal(await lastReport(provider.accounts.refresh(asUser, newCall())), undefined);
    const asGroup: KnownAccount = { ...group, externalId: `group:${people.max.id}` };
    assert.equal(await lastReport(provider.accounts.refresh(asGroup, newCall())), undefined);
  });

  it('recognizes impossible names of accounts and repositories', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator);
    for (const name of ['ada', 'ada.l_o-v', 'a/b/c', '_under', 'older-'])
      assert.ok(provider.accounts.isPossibleName(name), name);
    const deep = Array.from({ length: 21 }, () => 'a').join('/');
    for (const name of ['', '.', '..', 'a//b', '/a', 'a/', '-a', 'a.', 'a.git', 'a/../b', 'a b', 'é', deep]) {
      assert.ok(!provider.accounts.isPossibleName(name), name);
    }
    assert.ok(
      provider.repositories.isPossibleName('.github') &&
        provider.repositories.isPossibleName('punch.cards') &&
        !provider.repositories.isPossibleName('a/b'),
    );
  });

  it('reports the account of a project token as a bot, and no author for a deleted account', async () => {
    const fixture = createContractWorld();
    const { world, now, repositories, people } = fixture;
    const bot = addAccount(world, { login: 'project_7_bot_0a1b2c', createdAt: now(), emails: ['bot@mail.example'] });
    const human = addAccount(world, { login: 'ghost-writer', name: 'Ghost User', createdAt: now() });
    for (const author of [bot, human]) addIssue(world, repositories.handbook, { author });
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const handbook = toHandbook(fixture);
    const position = { cursor: null, since: null, pageSize: null, isDeep: false };
    const page = await provider.streams.read('issues', handbook, position, newCall());
    const types = new Map(page.actors.map((actor) => [actor.name, actor.type]));
    assert.equal(types.get(bot.login), 'bot');
    assert.equal(types.get(human.login), 'user');
    assert.ok(!types.has('ghost') && !types.has(people.deleted.login));
    assert.equal(page.contributions.filter(({ author }) => author === null).length, 1);
  });

  it('reads verdicts of people other than the author as reviews, and the size of a merge request', async () => {
    const fixture = createContractWorld();
    const { world, now, people, pulls } = fixture;
    const pull = pulls[3];
    assert.ok(pull);
    const own = addReview(world, pull, { author: people.ada });
    const approved = addReview(world, pull, { author: people.max });
    const taken = addReview(world, pull, { author: people.olive, state: 'DISMISSED' });
    const comment = addComment(world, pull, { author: people.max });
    comment.body = 'approved this merge request';
    pull.files = [{ path: 'a.md', additions: 5, deletions: 2 }];
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const handbook = toHandbook(fixture);
    const position = { cursor: null, since: null, pageSize: null, isDeep: true };
    const read = () => provider.streams.read('pull_requests', handbook, position, newCall());
    const page = await read();
    const reviews = page.contributions.filter(({ parentExternalId }) => parentExternalId === String(pull.id));
    assert.equal(own.authorId, pull.authorId);
    assert.deepEqual(
      reviews.map(({ externalId }) => externalId).toSorted(),
      [String(approved.id), String(taken.id)].toSorted(),
    );
    const reported = (await read()).contributions.find(
      ({ kind, externalId }) => kind === 'pull_request' && externalId === String(pull.id),
    );
    assert.deepEqual(
      [
        reported?.details?.additions,
        reported?.details?.deletions,
        reported?.details?.changedFiles,
        reported?.details?.commits,
      ],
      [5, 2, 1, 1],
    );
    simulator.overrides.push((path) =>
      path === 'graphql' ? { status: 200, body: { errors: [{ message: 'Query has complexity of 300' }] } } : undefined,
    );
    const less = (await read()).contributions.find(({ externalId }) => externalId === String(pull.id));
    assert.deepEqual([less?.details?.additions, less?.details?.comments], [null, 1]);
  });

  it('finds the account of a generated address by the id in it, for addresses of this instance only', async () => {
    const fixture = createContractWorld();
    const { world, now, repositories, people } = fixture;
    const former = `${people.max.id}-former-name@users.noreply.127.0.0.1`;
    const author = `${people.olive.id}-${people.olive.login}@users.noreply.127.0.0.1`;
    const written = addCommit(world, repositories.handbook, { author: { name: 'Olive', email: author } });
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const handbook = toHandbook(fixture);
    const ofOthers = [
      `${people.max.id}-max-member@users.noreply.gitlab.example`,
      `${people.max.id}-max-member@users.noreply.127.0.0.1.example`,
      `${people.max.id}+max-member@users.noreply.127.0.0.1`,
      `${people.max.id}+max-member@users.noreply.github.com`,
    ];
    const identities = [author, former, ...ofOthers, '999999999-x@users.noreply.127.0.0.1'].map((email) => ({
      email,
      oid: written.oid,
      isCoAuthor: email !== author,
    }));
    const resolved = await provider.history.resolveIdentities(handbook, identities, newCall());
    assert.deepEqual(
      identities.map(({ email }) => resolved.get(email)?.name ?? null),
      [people.olive.login, people.max.login, ...ofOthers.map(() => null), null],
    );
    const avatar = resolved.get(author)?.avatarUrl ?? '';
    assert.ok(avatar.startsWith(`${simulator.url}/uploads/`), avatar);
  });

  it('resolves an address to no account only by a commit that it authored', async () => {
    const { world, organization, people, repositories, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const oid = repositories.handbook.commits[0]?.oid ?? '';
    const handbook = {
      owner: organization.login,
      name: 'handbook',
      handle: '1',
      defaultBranch: 'main',
      credentialName: null,
    };
    const identities = [{ email: people.ada.emails[0] ?? '', oid }];
    const moved = await provider.history.resolveIdentities({ ...handbook, name: 'moved' }, identities, newCall());
    assert.deepEqual([...moved], []);
    const lost = await provider.history.resolveIdentities(
      handbook,
      [{ email: 'a@b.example', oid: 'f'.repeat(40) }],
      newCall(),
    );
    assert.deepEqual([...lost], []);
    const named = await provider.history.resolveIdentities(handbook, [{ email: 'a@b.example', oid }], newCall());
    assert.ok(!named.has('a@b.example'));
    const authored = addCommit(world, repositories.handbook, { author: { name: 'A', email: 'A@b.example' } });
    const resolved = await provider.history.resolveIdentities(
      handbook,
      [{ email: 'a@b.example', oid: authored.oid }],
      newCall(),
    );
    assert.equal(resolved.get('a@b.example'), null);
    simulator.requests.length = 0;
    const coAuthor = { email: 'c@d.example', oid, isCoAuthor: true };
    assert.equal((await provider.history.resolveIdentities(handbook, [coAuthor], newCall())).size, 0);
    assert.deepEqual(simulator.requests, []);
  });

  it('requests many addresses in queries below the complexity limit', async () => {
    const fixture = createContractWorld();
    const { world, now, repositories, people } = fixture;
    const commits = Array.from({ length: 30 }, () =>
      addCommit(world, repositories.handbook, { author: { name: 'Max', email: people.max.emails[0] ?? '' } }),
    );
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { now });
    const handbook = toHandbook(fixture);
    const identities = commits.map(({ oid }) => ({ email: 'max-member@mail.example', oid }));
    const resolved = await provider.history.resolveIdentities(handbook, identities, newCall());
    assert.equal(resolved.get('max-member@mail.example')?.externalId, String(people.max.id));
    assert.equal(simulator.requests.length, 4);
  });
});
