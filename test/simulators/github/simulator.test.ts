import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildRepository } from '../../../simulators/git/build-repository.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { now, queryGraphql, requestRest, start } from '../../../simulators/github/send-request.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { toDescriptions } from '../../../simulators/world/commits.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { generateWorld } from '../../../simulators/world/generate.ts';
import { deleteItem } from '../../../simulators/world/mutations.ts';

async function worldAsText(seed: number): Promise<string> {
  const { repositories } = await generateWorld({ seed, size: 'small', now });
  return JSON.stringify(repositories);
}

describe('the simulated GitHub', () => {
  it('creates the same world from the same seed, and another world from another seed', async () => {
    assert.equal(await worldAsText(3), await worldAsText(3));
    assert.notEqual(await worldAsText(3), await worldAsText(4));
  });

  it('returns the true data of a user over GraphQL, as far as the token may see them', async () => {
    await using simulator = await start();
    const { user } = simulator.accounts;
    const restricted: number[] = [];
    const window = '(from: "2025-01-01T00:00:00Z", to: "2025-12-31T23:59:59Z")';
    const query = `query { user(login: "${user}") {
    issues { totalCount } closed: issues(states: [CLOSED]) { totalCount }
    pullRequests { totalCount } merged: pullRequests(states: [MERGED]) { totalCount }
    repositoryDiscussions { totalCount }
    answers: repositoryDiscussionComments(onlyAnswers: true) { totalCount }
    year: contributionsCollection${window} { totalIssueContributions restrictedContributionsCount }
  } }`;
    for (const [token, viewer] of [
      ['outsider', { accountId: null, seesPrivate: false }],
      ['user', { accountId: simulator.world.accountByLogin(user)?.id ?? 0, seesPrivate: true }],
    ] as const) {
      const { body } = await queryGraphql(simulator, query, { token });
      const reported = Object(body.data)['user'];
      const expected = toCounters(simulator.world, user, viewer);
      assert.deepEqual(
        [
          reported.issues,
          reported.closed,
          reported.pullRequests,
          reported.merged,
          reported.repositoryDiscussions,
          reported.answers,
        ],
        [
          expected.issues,
          expected.issues_closed,
          expected.pull_requests,
          expected.pull_requests_merged,
          expected.discussions,
          expected.discussions_answered,
        ].map((totalCount) => ({ totalCount })),
      );
      restricted.push(reported.year.restrictedContributionsCount);
    }
    const [byOutsider = 0, byUser = 0] = restricted;
    assert.ok(byOutsider > byUser);
  });

  it('refuses the queries that GitHub refuses', async () => {
    await using simulator = await start();
    const refusals: [string, string | undefined, RegExp][] = [
      ['{ user(login: "nobody-at-all") { login } }', 'NOT_FOUND', /Could not resolve to a User/],
      ['{ user(login: "ada-lovelace") { shoeSize } }', undefined, /Cannot query field "shoeSize"/],
      ['{ user(login: "ada-lovelace") { issues { nodes { id } } } }', 'MISSING_PAGINATION_BOUNDARIES', /first.*last/],
      [
        '{ user(login: "ada-lovelace") { issues(first: 101) { nodes { id } } } }',
        'EXCESSIVE_PAGINATION',
        /101 records/,
      ],
      [
        '{ user(login: "ada-lovelace") { contributionsCollection(from: "2020-01-01T00:00:00Z", to: "2022-01-01T00:00:00Z") { totalCommitContributions } } }',
        'UNPROCESSABLE',
        /1 year/,
      ],
      [
        '{ user(login: "ada-lovelace") { repositories(first: 100) { nodes { issues(first: 100) { nodes { labels(first: 100) { nodes { name } } } } } } } }',
        'MAX_NODE_LIMIT_EXCEEDED',
        /possible nodes/,
      ],
      ['{ user(login: "ada-lovelace") { gists { totalCount } } }', undefined, /the simulator does not know User.gists/],
      ['{ user(', undefined, /Parse error/],
    ];
    for (const [query, type, message] of refusals) {
      const { body } = await queryGraphql(simulator, query);
      assert.equal(body.errors?.[0]?.type, type, query);
      assert.match(body.errors?.[0]?.message ?? '', message);
    }
    assert.equal(
      (await fetch(`${simulator.apiUrl}/graphql`, { method: 'POST', body: '{"query":"{ viewer { login } }"}' })).status,
      401,
    );
    assert.equal((await requestRest(simulator, '/user', undefined, { authorization: 'bearer nonsense' })).status, 401);
  });

  it("calculates the costs of GitHub's two documented examples", async () => {
    await using simulator = await start();
    const labels = 'labels(first: 60) { nodes { id } }';
    const costly = `{ viewer { login repositories(first: 100) { nodes { id issues(first: 50) { nodes { id ${labels} } } } } } rateLimit { cost nodeCount } }`;
    const first = await queryGraphql(simulator, costly);
    assert.deepEqual(Object(first.body.data)['rateLimit'], { cost: 51, nodeCount: 305_100 });
    const nodes = `{ viewer { repositories(first: 50) { nodes {
    pulls: pullRequests(first: 20) { nodes { reviews(first: 10) { nodes { id } } } }
    issues(first: 20) { totalCount nodes { labels(first: 10) { nodes { id } } } }
  } } followers { totalCount } } user(login: "ada-lovelace") { socialAccounts(first: 10) { nodes { url } } } rateLimit { cost nodeCount } }`;
    const second = await queryGraphql(simulator, nodes);
    // 50 repositories, 20 pull requests and 20 issues each, 10 of each of those, and 10 more.
    assert.equal(Object(second.body.data)['rateLimit'].nodeCount, 22_060);
  });

  it('keeps the place of a cursor while items are added and removed', async () => {
    await using simulator = await start();
    const { world } = simulator;
    const repository = world.repository(simulator.accounts.organization, 'engine-1');
    assert.ok(repository);
    const query = `query($after: String) { node(id: "${repository.nodeId}") { ... on Repository {
    issues(first: 3, after: $after, orderBy: { field: CREATED_AT, direction: ASC }) { pageInfo { hasNextPage endCursor } nodes { databaseId } }
  } } }`;
    const before = repository.issues.map(({ id }) => id);
    const seen: number[] = [];
    let after: string | null = null;
    let isFirst = true;
    for (;;) {
      const { body } = await queryGraphql(simulator, query, { variables: { after } });
      const { issues } = Object(body.data)['node'];
      seen.push(...issues.nodes.map((node: { databaseId: number }) => node.databaseId));
      if (isFirst) {
        const deleted = repository.issues.find(({ id }) => id === seen[0]);
        assert.ok(deleted);
        deleteItem(world, repository, deleted);
        addIssue(world, repository, {
          author: world.accounts[0] ?? assert.fail(),
          createdAt: new Date('2001-01-01T00:00:00Z'),
        });
      }
      isFirst = false;
      if (!issues.pageInfo.hasNextPage) break;
      after = issues.pageInfo.endCursor;
    }
    assert.equal(seen.length, before.length);
    assert.deepEqual(new Set(seen), new Set(before));
  });

  it('shows private repositories over GraphQL, REST and git only to callers that may see them', async () => {
    await using simulator = await start();
    const { organization, private_owner } = simulator.accounts;
    const seers: Record<string, TokenName[]> = {
      [`${organization}/hidden-engine`]: ['organization_admin', 'organization_member'],
      [`${private_owner}/vault`]: ['private_owner', 'private_owner_writing'],
    };
    for (const [name, tokens] of Object.entries(seers)) {
      const [owner, repository] = name.split('/');
      const { nodeId = '' } = simulator.world.repository(owner ?? '', repository ?? '') ?? {};
      for (const token of Object.keys(simulator.tokens) as TokenName[]) {
        const isSeer = tokens.includes(token);
        const named = await queryGraphql(
          simulator,
          `{ repository(owner: "${owner}", name: "${repository}") { name } }`,
          {
            token,
          },
        );
        assert.equal(named.body.errors === undefined, isSeer, `${token} ${name}`);
        const node = await queryGraphql(simulator, `{ node(id: "${nodeId}") { id } }`, { token });
        assert.equal(node.body.errors === undefined, isSeer);
        assert.equal((await requestRest(simulator, `/repos/${name}`, token)).status, isSeer ? 200 : 404);
        assert.equal((await requestRest(simulator, `/repos/${name}/issues`, token)).status, isSeer ? 200 : 404);
        const password = Buffer.from(`x-access-token:${simulator.tokens[token]}`).toString('base64');
        const refs = await fetch(`${simulator.url}/${name}.git/info/refs?service=git-upload-pack`, {
          headers: { authorization: `basic ${password}` },
        });
        await refs.arrayBuffer();
        assert.equal(refs.status, isSeer ? 200 : 404);
        const listed = await queryGraphql(
          simulator,
          `{ repositoryOwner(login: "${owner}") { repositories(first: 100) { nodes { name } } } }`,
          { token },
        );
        assert.equal(JSON.stringify(listed.body).includes(`"${repository}"`), isSeer);
      }
    }
  });

  it("sends REST responses that match GitHub's own description", async () => {
    await using simulator = await start({ limits: { core: 100_000, corePerMinute: 100_000, search: 10_000 } });
    const { world } = simulator;
    const paths = ['/rate_limit', '/user', '/user/memberships/orgs/analytical-engines'];
    for (const account of world.accounts.filter(({ isDeleted, type }) => !isDeleted && type !== 'Mannequin')) {
      const login = encodeURIComponent(account.login);
      paths.push(`/users/${login}`, `/user/${account.id}`, `/users/${login}/repos?sort=created&per_page=100`);
      if (account.type === 'Organization') paths.push(`/orgs/${login}`);
      paths.push(
        `/search/issues?q=${encodeURIComponent(`author:${account.login.replace(/(.*)\[bot\]$/, 'app/$1')} is:public`)}`,
      );
      for (const repository of world.owned(account).slice(0, 5)) {
        const path = `/repos/${login}/${encodeURIComponent(repository.name)}`;
        paths.push(path, `${path}/issues?state=all&per_page=100`);
        paths.push(`${path}/issues/comments?per_page=100`, `${path}/pulls/comments?sort=updated&direction=desc`);
        if (repository.files.size > 0) paths.push(`${path}/contents/.plaudit/config.yaml`);
        if (repository.commits.length > 0) paths.push(`${path}/commits?per_page=100`);
      }
    }
    for (const path of paths) {
      const response = await requestRest(simulator, path, 'organization_admin');
      const text = await response.text();
      assert.ok(response.status === 200 || response.status === 404, `${path} ${response.status} ${text.slice(0, 200)}`);
    }
  });

  it('responds with 304 to the ETag of an unchanged response, and gives another token another ETag', async () => {
    await using simulator = await start();
    const first = await requestRest(simulator, '/users/ada-lovelace', 'outsider');
    const etag = first.headers.get('etag') ?? '';
    const second = await requestRest(simulator, '/users/ada-lovelace', 'outsider', { 'if-none-match': etag });
    assert.equal(second.status, 304);
    const withOtherToken = await requestRest(simulator, '/users/ada-lovelace', 'user', { 'if-none-match': etag });
    assert.equal(withOtherToken.status, 200);
  });

  it('serves the commits of the world over git, without their trees, and follows its changes', async () => {
    await using simulator = await start();
    await using directory = await makeTemporaryDirectory();
    const { world } = simulator;
    const repository = world.repository(simulator.accounts.user, 'notes');
    assert.ok(repository);
    const url = `${simulator.url}/${simulator.accounts.user}/notes.git`;
    await runGit(directory.path, ['clone', '--quiet', '--bare', '--filter=tree:0', url, 'copy']);
    const listed = async (): Promise<string[]> =>
      (await runGit(directory.pathOf('copy'), ['log', '--format=%H', 'FETCH_HEAD']))
        .toString()
        .trim()
        .split('\n')
        .toSorted();
    const { defaultBranch } = repository;
    await runGit(directory.pathOf('copy'), ['fetch', '--quiet', url, defaultBranch]);
    assert.deepEqual(await listed(), repository.commits.map(({ oid }) => oid).toSorted());

    const lost = repository.commits.pop();
    world.markChanged();
    await runGit(directory.pathOf('copy'), ['fetch', '--quiet', url, defaultBranch]);
    const after = await listed();
    assert.ok(lost && !after.includes(lost.oid));
    // The ids in the world are those that git computes.
    const oids = await buildRepository(directory.pathOf('again'), {
      commits: toDescriptions(repository.commits),
      branch: 'main',
    });
    assert.deepEqual(
      oids,
      repository.commits.map(({ oid }) => oid),
    );
  });
});
