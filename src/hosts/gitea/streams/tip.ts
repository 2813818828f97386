import { knownTotals } from '../../interface/polls.ts';
import type { Call, ContributionTotals, KnownRepository, RepositoryTip } from '../../interface/provider.ts';
import { existing } from '../../rest/checks.ts';
import type { RestClient } from '../../rest/client.ts';
import { readPage } from '../../rest/lists.ts';
import { CommitsPayload, RepositoryPayload } from '../payloads.ts';
import { readUnchanged, repositoryPath, toListed } from '../repositories.ts';
import { Collector } from './collector.ts';
import { stepThroughComments } from './comments.ts';
import { readDeepIssue, readDeepPullRequest, readItems } from './items.ts';
import { itemsList } from './streams.ts';

/** The number of newest items of each kind that are read. It is low, because every part of an item costs a request. */
const newest = 5;
/** Leaves out the parts of commits that are slow to compute. */
const cheap = { stat: 'false', verification: 'false', files: 'false' };

/**
 * Reads a repository with its newest issues and pull requests. The newest items show new reactions, which are in no
 * list of changes.
 * @returns null when the repository is absent or its visibility changed.
 */
export async function readTip(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<RepositoryTip | null> {
  const now = await readUnchanged(client, repository, call);
  // A lookup by name determines the repository's new state.
  if (now === null) return null;
  const context = { client, repository, call };
  const issues = (await readPage(client, itemsList(repository, 'issues'), 1, call))?.items ?? [];
  const pulls = (await readPage(client, itemsList(repository, 'pulls'), 1, call))?.items ?? [];
  const additions = await Promise.all([
    readItems(context, 'issues', issues.slice(0, newest), readDeepIssue),
    readItems(context, 'pulls', pulls.slice(0, newest), readDeepPullRequest),
  ]);
  const page = new Collector().addAll(additions.flat()).toPage({ nextCursor: null, total: null });
  return { repository: toListed(now, repository.credentialName), page };
}

/** Reads the totals of the streams that can be compared with stored ones. */
export async function readTotals(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<ContributionTotals> {
  const { empty } = existing(await client.get(repositoryPath(repository), RepositoryPayload, call)).data;
  const context = { client, repository, call };
  const issues = await readPage(client, itemsList(repository, 'issues'), 1, call);
  const pulls = await readPage(client, itemsList(repository, 'pulls'), 1, call);
  const comments = await stepThroughComments(context, { cursor: null, since: null });
  const history = { path: `${repositoryPath(repository)}/commits`, query: cheap, items: CommitsPayload };
  const commits = empty ? 0 : (await readPage(client, history, 1, call))?.total;
  return knownTotals({
    commits,
    issues: issues?.total,
    pull_requests: pulls?.total,
    comments: comments?.total,
  });
}
