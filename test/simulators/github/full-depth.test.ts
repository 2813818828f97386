import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryGraphql, requestRest, start } from '../../../simulators/github/send-request.ts';
import { asServed, type ReportedItem, reactions, servedItems } from '../../../simulators/github/served-items.ts';
import { addIssue, addPullRequest } from '../../../simulators/world/activity.ts';
import { addComment, deleteComment, editComment } from '../../../simulators/world/comments.ts';
import { listItems } from '../../../simulators/world/expected-items.ts';
import { listDays } from '../../../simulators/world/expected-totals.ts';
import { closeItem, deleteAccount, reopenItem } from '../../../simulators/world/mutations.ts';
import { react } from '../../../simulators/world/reactions.ts';
import { addFork, star, writeFile } from '../../../simulators/world/repository-changes.ts';
import { label } from '../../../simulators/world/threads.ts';

const key = (item: object): string => `${Object(item).kind} ${Object(item).id}`;
const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute));

describe('repositories of the simulated GitHub', () => {
  it('returns every item of a repository at full depth with its true data', async () => {
    await using simulator = await start();
    const { world } = simulator;
    const { organization } = simulator.accounts;
    const owner = world.accountByLogin(organization) ?? assert.fail();
    deleteAccount(world, world.accountByLogin('person-3') ?? assert.fail());
    const kinds = new Set<string>();
    const filled = new Set<string>();
    for (const repository of world.owned(owner).filter(({ name }) => name !== 'much-reviewed')) {
      const expected = listItems(world, repository);
      for (const item of expected) {
        kinds.add(item.kind);
        for (const [name, value] of Object.entries(item))
          if (Object(value).length !== 0 && value !== null) filled.add(name);
      }
      const seen = (await servedItems(simulator, repository, organization)).toSorted((left, right) =>
        key(left) < key(right) ? -1 : 1,
      );
      assert.deepEqual(seen, expected.map(asServed), repository.name);
    }
    assert.equal(kinds.size, 9);
    for (const name of ['labels', 'assignees', 'reviewers', 'reactions', 'files', 'reason', 'resolvedBy', 'upvotes'])
      assert.ok(filled.has(name), name);
  });

  it('calculates the cost of a full page at full depth by GitHub’s formula, also when a variable has a default', async () => {
    await using simulator = await start();
    const { nodeId } = simulator.world.repository(simulator.accounts.organization, 'engine-1') ?? assert.fail();
    const query = `query Page($id: ID!, $n: Int = 50) { node(id: $id) { ... on Repository { pullRequests(first: $n) { nodes {
    labels(first: 20) { nodes { name } } assignees(first: 10) { nodes { login } } ${reactions} } } } } rateLimit { cost nodeCount } }`;
    const { body } = await queryGraphql(simulator, query, { variables: { id: nodeId } });
    assert.deepEqual(Object(body.data)['rateLimit'], { cost: 2, nodeCount: 50 + 50 * 130 });
  });

  it('lists comments since a time, in both orders, in pages with a link to the last one', async () => {
    await using simulator = await start();
    const { world } = simulator;
    const author = world.accountByLogin(simulator.accounts.user) ?? assert.fail();
    const repository = world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const issue = addIssue(world, repository, { author });
    const comments = [0, 1, 2, 3].map((minute) => addComment(world, issue, { author, createdAt: at(minute) }));
    const [first, , deleted] = comments;
    assert.ok(first && deleted);
    editComment(world, first, 'Edited');
    deleteComment(world, deleted);
    const list = async (query: string): Promise<{ ids: number[]; link: string | null }> => {
      const response = await requestRest(
        simulator,
        `/repos/${simulator.accounts.user}/notes/issues/comments?${query}`,
        'user',
      );
      return {
        ids: ((await response.json()) as ReportedItem[]).map(({ id }) => Number(id)),
        link: response.headers.get('link'),
      };
    };
    const [a, b, , d] = comments.map(({ id }) => id);
    const since = 'since=2026-11-20T10:00:00Z';
    assert.deepEqual((await list(`${since}&sort=updated&direction=desc`)).ids, [a, d, b]);
    assert.deepEqual((await list(`${since}&direction=desc`)).ids, [a, b, d]);
    assert.deepEqual((await list('since=2026-11-20T10:02:00Z&sort=updated&direction=asc')).ids, [d, a]);
    const { ids, link } = await list(`${since}&sort=updated&direction=desc&per_page=2`);
    assert.deepEqual(ids, [a, d]);
    assert.match(link ?? '', /page=2>; rel="next".*page=2>; rel="last"/);
  });

  it('shows the reason and the closer of a closed issue', async () => {
    await using simulator = await start();
    const { world } = simulator;
    const author = world.accountByLogin(simulator.accounts.user) ?? assert.fail();
    const outsider = world.accountByLogin(simulator.accounts.outsider) ?? assert.fail();
    const repository = world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const issue = addIssue(world, repository, { author });
    const pull = addPullRequest(world, repository, { author: outsider, closes: [issue] });
    const fetchIssue = async (): Promise<ReportedItem> => {
      const query = `{ node(id: "${issue.nodeId}") { ... on Issue { state old: stateReason stateReason(enableDuplicate: true)
      timelineItems(itemTypes: [CLOSED_EVENT], last: 1) { totalCount nodes { ... on ClosedEvent { actor { login }
        closer { ... on PullRequest { number } ... on Commit { oid } } } } }
      closedByPullRequestsReferences(first: 3) { nodes { number merged } } } } }`;
      const { body } = await queryGraphql(simulator, query);
      return Object(body.data)['node'];
    };
    closeItem(world, issue, { reason: 'DUPLICATE' });
    assert.deepEqual([(await fetchIssue())['old'], (await fetchIssue())['stateReason']], ['NOT_PLANNED', 'DUPLICATE']);
    reopenItem(world, issue);
    assert.deepEqual([(await fetchIssue())['state'], (await fetchIssue())['stateReason']], ['OPEN', 'REOPENED']);
    closeItem(world, pull, { merged: true, by: author });
    const { timelineItems, closedByPullRequestsReferences, stateReason } = await fetchIssue();
    assert.equal(stateReason, 'COMPLETED');
    assert.equal(timelineItems.totalCount, 2);
    assert.deepEqual(timelineItems.nodes, [{ actor: { login: author.login }, closer: { number: pull.number } }]);
    assert.deepEqual(closedByPullRequestsReferences.nodes, [{ number: pull.number, merged: true }]);
    reopenItem(world, issue);
    const commit = repository.commits.at(-1) ?? assert.fail();
    closeItem(world, issue, { closer: commit });
    assert.deepEqual((await fetchIssue())['timelineItems'].nodes[0].closer, { oid: commit.oid });
  });

  it('serves files of the default branch through both interfaces', async () => {
    await using simulator = await start();
    const { world } = simulator;
    const repository = world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const author = { name: 'Ada', email: 'ada@mail.example' };
    const path = '.plaudit/config.yaml';
    const text = 'version: 0.0.1\n# ドキュメント\n'.repeat(10);
    writeFile(world, repository, path, text, author);
    writeFile(world, repository, 'picture.png', '\0', author);
    const fields =
      '{ __typename ... on Blob { text byteSize isTruncated isBinary oid } ... on Tree { entries { name type } } }';
    const query = `{ node(id: "${repository.nodeId}") { ... on Repository {
    file: object(expression: "HEAD:${path}") ${fields} folder: object(expression: "${repository.defaultBranch}:.plaudit") ${fields}
    picture: object(expression: "HEAD:picture.png") ${fields} none: object(expression: "HEAD:nothing") ${fields} } } }`;
    const { file, folder, picture, none } = Object((await queryGraphql(simulator, query)).body.data)['node'];
    assert.deepEqual([file.text, file.byteSize, file.isTruncated], [text, Buffer.byteLength(text), false]);
    assert.deepEqual(folder.entries, [{ name: 'config.yaml', type: 'blob' }]);
    assert.deepEqual([picture.text, picture.isBinary, none], [null, true, null]);
    const response = await requestRest(simulator, `/repos/${simulator.accounts.user}/notes/contents/${path}`);
    const { content, sha } = (await response.json()) as ReportedItem;
    assert.deepEqual([Buffer.from(String(content), 'base64').toString(), sha], [text, file.oid]);
    writeFile(world, repository, path, null, author);
    assert.equal(
      (await requestRest(simulator, `/repos/${simulator.accounts.user}/notes/contents/${path}`)).status,
      404,
    );
  });

  it('touches an item only for changes that GitHub counts, and never uses a number twice', async () => {
    await using simulator = await start({ now: () => new Date('2026-11-21T12:00:00Z') });
    const { world } = simulator;
    const author = world.accountByLogin(simulator.accounts.user) ?? assert.fail();
    const repository = world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const createdAt = new Date('2020-01-01T00:00:00Z');
    const issue = addIssue(world, repository, { author, createdAt });
    react(world, issue, { by: author, content: 'HEART' });
    assert.equal(issue.updatedAt, createdAt);
    const comment = addComment(world, issue, { author, createdAt });
    assert.deepEqual(issue.updatedAt, createdAt);
    deleteComment(world, comment);
    assert.deepEqual(issue.updatedAt, world.now());
    label(world, issue, 'bug');
    const number = issue.number + 1;
    assert.equal(addIssue(world, repository, { author }).number, number);
    const fork = addFork(world, repository, author, 'copy');
    assert.deepEqual([fork.isFork, fork.commits.length], [true, repository.commits.length]);
    star(world, repository, author);
    star(world, repository, author);
    assert.equal(repository.stars.filter(({ accountId }) => accountId === author.id).length, 1);
  });

  it('returns days that add up to the lifetime counters', async () => {
    await using simulator = await start();
    const { world } = simulator;
    const repository = world.repository(simulator.accounts.organization, 'hidden-engine') ?? assert.fail();
    const days = listDays(world, [repository]);
    assert.ok(days.every(({ isPrivate }) => isPrivate));
    const sum = (kind: 'issues' | 'pull_requests' | 'discussions'): number =>
      days.reduce((total, day) => total + day[kind], 0);
    assert.deepEqual(
      [sum('issues'), sum('pull_requests'), sum('discussions')],
      [repository.issues.length, repository.pullRequests.length, repository.discussions.length],
    );
  });
});
