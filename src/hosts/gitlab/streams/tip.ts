import { type TArray, Type } from 'typebox';
import { knownTotals } from '../../interface/polls.ts';
import type { Call, ContributionTotals, KnownRepository, RepositoryTip } from '../../interface/provider.ts';
import { existing } from '../../rest/checks.ts';
import type { RestClient } from '../../rest/client.ts';
import { type List, readPage } from '../../rest/lists.ts';
import { hasTokens } from '../../rest/views.ts';
import { IdentifiedPayload, type IssuePayload, type MergeRequestPayload } from '../payloads.ts';
import { isShown, projectPath, readUnchanged, toListed } from '../projects.ts';
import { Collector } from './collector.ts';
import { readBareMergeRequests, readDeepIssues, readDeepMergeRequests, readIssues } from './items.ts';
import { areMergeRequestsShown, issueList, mergeRequestList, shownIssues, unlessKeptFromStrangers } from './streams.ts';

/** The items that changed last. There are few of them, because every part of an item costs a request. */
const newest = { order_by: 'updated_at', sort: 'desc', per_page: '5' };
const onePerPage = { per_page: '1' };

/** Reads a repository with the items that changed last, and their reactions, which are in no list of changes. */
export async function readTip(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<RepositoryTip | null> {
  const now = await readUnchanged(client, repository, call);
  // A lookup by name determines the repository's new state.
  if (now === null) return null;
  const context = { client, repository, call };
  const issues: readonly IssuePayload[] = isShown(now.issues_access_level, repository.credentialName)
    ? shownIssues(repository, (await readShown(client, withQuery(issueList(repository), newest), call))?.items ?? [])
    : [];
  const mergeRequests: readonly MergeRequestPayload[] = areMergeRequestsShown(now, repository)
    ? ((await readShown(client, withQuery(mergeRequestList(repository), newest), call))?.items ?? [])
    : [];
  const additions = hasTokens(client)
    ? [...(await readDeepIssues(context, issues)), ...(await readDeepMergeRequests(context, mergeRequests))]
    : [...readIssues(issues), ...readBareMergeRequests(mergeRequests)];
  const page = new Collector().addAll(additions).toPage({ nextCursor: null, total: null });
  const [listed] = await toListed(client, [now], repository.credentialName, call);
  return listed === undefined ? null : { repository: listed, page };
}

/**
 * Reads the totals of the streams that can be compared with stored ones. GitLab does not count comments, and counts
 * commits only for members.
 */
export async function readTotals(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<ContributionTotals> {
  const path = projectPath(repository);
  const project = existing(await readUnchanged(client, repository, call, { withStatistics: true }));
  const totalOf = async (list: Pick<List<typeof IdentifiedPayload>, 'path' | 'query'>) =>
    (await readShown(client, withQuery({ ...list, items: IdentifiedPayload }, onePerPage), call))?.total;
  const hasIssues = isShown(project.issues_access_level, repository.credentialName);
  const hasMergeRequests = areMergeRequestsShown(project, repository);
  const starrers = withQuery({ path: `${path}/starrers`, items: Type.Array(Type.Unknown()) }, onePerPage);
  return knownTotals({
    commits: project.empty_repo === true ? 0 : project.statistics?.commit_count,
    issues: hasIssues ? await totalOf(issueList(repository)) : 0,
    pull_requests: hasMergeRequests ? await totalOf(mergeRequestList(repository)) : 0,
    stars: hasTokens(client) ? (await readPage(client, starrers, 1, call))?.total : undefined,
  });
}

/** Reads the first page of a list; null when the readers of the project may not see it. */
function readShown<Items extends TArray>(client: RestClient, list: List<Items>, call: Call) {
  return readPage(client, list, 1, call).catch(unlessKeptFromStrangers(client));
}

function withQuery<Items extends TArray>(list: List<Items>, more: Record<string, string>): List<Items> {
  return { ...list, query: { ...list.query, ...more } };
}
