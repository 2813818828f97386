import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../../interface/provider.ts';
import { existing } from '../../rest/checks.ts';
import type { RestClient } from '../../rest/client.ts';
import { stepForward, type Wanted } from '../../rest/lists.ts';
import type { StreamContext } from '../../rest/streams.ts';
import { IssuesPayload, PullRequestsPayload, RepositoryPayload } from '../payloads.ts';
import { repositoryPath } from '../repositories.ts';
import { Collector } from './collector.ts';
import { readComments } from './comments.ts';
import { readDeepIssue, readDeepPullRequest, readIssue, readItems, readPullRequest } from './items.ts';

/**
 * The streams that can be read, with or without a token. Stars are absent, because Gitea does not report their times.
 */
export const streams: readonly Stream[] = [
  // Gitea has no discussions, so that their empty list is complete once any stream is.
  { name: 'issues', covers: ['issue', 'discussion'] },
  { name: 'pull_requests', covers: ['pull_request', 'review', 'review_comment'] },
  { name: 'comments', covers: ['issue_comment', 'pull_request_comment'], isForInstalled: true },
];

/** Reads a page of a stream, newest first. */
export async function readStream(
  client: RestClient,
  stream: string,
  repository: KnownRepository,
  position: Position,
  call: Call,
): Promise<ContributionPage> {
  const context = { client, repository, call };
  const page = await readPage(context, stream, position);
  if (page !== null) return page;
  // The list is absent. If the repository exists, its issues or pull requests are switched off.
  existing(await client.get(repositoryPath(repository), RepositoryPayload, call));
  return new Collector().toPage({ nextCursor: null, total: 0 });
}

function readPage(context: StreamContext, stream: string, position: Position): Promise<ContributionPage | null> {
  switch (stream) {
    case 'issues':
      return readItemPage(context, 'issues', position, position.isDeep ? readDeepIssue : readIssue);
    case 'pull_requests':
      return readItemPage(context, 'pulls', position, position.isDeep ? readDeepPullRequest : readPullRequest);
    case 'comments':
      return readComments(context, position);
    default:
      throw new Error(`there is no stream ${stream}`);
  }
}

async function readItemPage(
  context: StreamContext,
  type: 'issues' | 'pulls',
  wanted: Wanted,
  read: typeof readIssue,
): Promise<ContributionPage | null> {
  const step = await stepForward(context.client, itemsList(context.repository, type), wanted, context.call);
  if (step === null) return null;
  const additions = await readItems(context, type, step.items, read);
  return new Collector().addAll(additions).toPageOf(step, wanted);
}

/** Returns a list of issues or pull requests, the last created first. Gitea has one address for both. */
export function itemsList(repository: KnownRepository, type: 'issues' | 'pulls') {
  const query = { state: 'all', type };
  const items = type === 'issues' ? IssuesPayload : PullRequestsPayload;
  return { path: `${repositoryPath(repository)}/issues`, query, items };
}
