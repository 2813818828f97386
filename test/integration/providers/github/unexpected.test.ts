import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import type { Rewrite } from '../../../../simulators/host.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import type { SkippedPart } from '../../../../src/hosts/interface/call.ts';
import type { ContributionPage } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';

interface Read {
  page: ContributionPage;
  skipped: SkippedPart[];
}

/** Reads the first page of a stream of the handbook, at full depth, while responses are changed by operation. */
async function readChanged(stream: string, changes: Record<string, (body: never) => void> = {}): Promise<Read> {
  const contract = createContractWorld();
  const { world, now, repositories, organization } = contract;
  const rewrite: Rewrite = (exchange) => {
    const body = structuredClone(exchange.body) as never;
    changes[exchange.operation]?.(body);
    return body;
  };
  await using simulator = await startSimulator({ world, now, rewrite });
  const { url, apiUrl, tokens } = simulator;
  const provider = createGitHubProvider({
    name: 'github',
    url,
    apiUrl,
    tokens: [tokens.public_only],
    webhookSecret: undefined,
    app: undefined,
    connectTimeoutMs: 2000,
    now,
  });
  const { nodeId: handle, name, defaultBranch } = repositories.handbook;
  const stored = { owner: organization.login, name, handle, defaultBranch, credentialName: null };
  const position = { cursor: null, since: null, pageSize: null, isDeep: true };
  const skipped: SkippedPart[] = [];
  try {
    const onSkipped = (part: SkippedPart): void => void skipped.push(part);
    return {
      page: await (provider.streams ?? assert.fail()).read(stream, stored, position, { ...newCall(), onSkipped }),
      skipped,
    };
  } finally {
    await provider.close();
  }
}

interface PullRequests {
  data: { node: { page: { nodes: { reviews: { nodes: Record<string, unknown>[] } | null }[] } } };
}
type Comments = Record<string, unknown> & { user: Record<string, unknown> };

const listIds = ({ page }: Read, kind: string): string[] =>
  page.contributions.filter((contribution) => contribution.kind === kind).map(({ externalId }) => externalId);
const listReasons = ({ skipped }: Read): [string, boolean, boolean][] =>
  skipped.map(({ path, isStored, isCounted }) => [path, isStored, isCounted]);
const withoutReviews = ({ data }: PullRequests): void => {
  for (const node of data.node.page.nodes) node.reviews = null;
};
const comments = '/repos/{owner}/{repo}/issues/comments';
const reviewComments = '/repos/{owner}/{repo}/pulls/comments';

describe('unexpected items of GitHub', () => {
  it('fetches the reviews of a pull request again when GitHub returns null for them', async () => {
    const expected = await readChanged('pull_requests');
    const found = await readChanged('pull_requests', { PullRequests: withoutReviews });
    assert.ok(listIds(expected, 'review').length > 0);
    assert.deepEqual(found.page.contributions, expected.page.contributions);
  });

  it('stores a pull request whose reviews cannot be read at all, and reports them', async () => {
    const expected = await readChanged('pull_requests');
    const MoreReviews = (body: { data: { node: { reviews: unknown } } }): void => {
      body.data.node.reviews = null;
    };
    const found = await readChanged('pull_requests', { PullRequests: withoutReviews, MoreReviews });
    assert.deepEqual(listIds(found, 'pull_request'), listIds(expected, 'pull_request'));
    assert.deepEqual(listIds(found, 'review'), []);
    const skippedReviews = found.skipped.filter(({ kind, isCounted }) => kind === 'review' && !isCounted);
    assert.equal(skippedReviews.length, listIds(found, 'pull_request').length);
  });

  it('leaves out a submitted review without a time, and reports it', async () => {
    const expected = await readChanged('pull_requests');
    const found = await readChanged('pull_requests', {
      PullRequests: ({ data }: PullRequests) => {
        const reviews = data.node.page.nodes.flatMap((node) => node.reviews?.nodes ?? []);
        for (const review of reviews) review['submittedAt'] = null;
      },
    });
    assert.deepEqual(listIds(found, 'review'), []);
    assert.deepEqual(listIds(found, 'pull_request'), listIds(expected, 'pull_request'));
    assert.equal(listReasons(found).length, listIds(expected, 'review').length);
  });

  it('recognizes the ghost by its page when its name cannot be read', async () => {
    const expected = await readChanged('comments');
    const found = await readChanged('comments', {
      [comments]: (list: Comments[]) => {
        for (const { user } of list) if (user['login'] === 'ghost') user['login'] = 'g\0\ud800host';
      },
    });
    assert.ok(expected.page.contributions.some(({ author }) => author === null));
    assert.deepEqual(found.page.contributions, expected.page.contributions);
  });

  it('reads a comment at a line of changes without its page', async () => {
    const expected = await readChanged('review_comments');
    const found = await readChanged('review_comments', {
      [reviewComments]: (list: Comments[]) => {
        for (const comment of list) comment['html_url'] = '';
      },
    });
    assert.ok(listIds(expected, 'review_comment').length > 0);
    assert.deepEqual(found.page.contributions, expected.page.contributions);
    assert.deepEqual(found.skipped, []);
  });

  it('leaves out a comment of unknown kind, and reports it', async () => {
    const expected = await readChanged('comments');
    const found = await readChanged('comments', {
      [comments]: (list: Comments[]) => void delete list[0]?.['html_url'],
    });
    assert.equal(found.page.contributions.length, expected.page.contributions.length - 1);
    assert.deepEqual(listReasons(found), [['/*/html_url', false, false]]);
  });
});
