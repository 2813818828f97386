import { authorAssociation } from '../../world/association.ts';
import type { PullRequest, Repository, Review } from '../../world/model.ts';
import { branchTip } from '../../world/threads.ts';
import { time } from '../graphql/field-request.ts';
import { type ResponseContext, simpleAccount } from '../rest/accounts.ts';
import { listAddresses } from '../rest/addresses.ts';
import { describeRepository, label, simpleAccounts } from '../rest/repositories.ts';

/** Returns a pull request as events about its reviews show it. */
export function simplePullRequest(context: ResponseContext, repository: Repository, pull: PullRequest): object {
  const { url: base, page } = listAddresses(context, repository);
  const url = `${base}/pulls/${pull.number}`;
  const issueUrl = `${base}/issues/${pull.number}`;
  const htmlUrl = `${page}/pull/${pull.number}`;
  const assignees = simpleAccounts(context, pull.assigneeIds);
  const links = listLinks(base, url, issueUrl, pull);
  return {
    url,
    id: pull.id,
    node_id: pull.nodeId,
    html_url: htmlUrl,
    diff_url: `${htmlUrl}.diff`,
    patch_url: `${htmlUrl}.patch`,
    issue_url: issueUrl,
    ...links,
    number: pull.number,
    state: pull.closedAt === null ? 'open' : 'closed',
    locked: false,
    title: pull.title,
    user: accountOrNull(context, pull.authorId),
    body: null,
    created_at: time(pull.createdAt),
    updated_at: time(pull.updatedAt),
    closed_at: time(pull.closedAt),
    merged_at: time(pull.mergedAt),
    merge_commit_sha: null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: simpleAccounts(context, pull.requestedReviewerIds),
    requested_teams: [],
    labels: pull.labels.map((name) => label(base, name)),
    milestone: null,
    draft: pull.isDraft,
    head: branch(context, repository, `change-${pull.number}`, branchTip(pull)),
    base: branch(context, repository, repository.defaultBranch, repository.commits.at(-1)?.oid ?? '0'.repeat(40)),
    _links: {
      self: { href: url },
      html: { href: htmlUrl },
      issue: { href: issueUrl },
      comments: { href: links.comments_url },
      review_comments: { href: links.review_comments_url },
      review_comment: { href: links.review_comment_url },
      commits: { href: links.commits_url },
      statuses: { href: links.statuses_url },
    },
    author_association: authorAssociation(context.world, repository, pull.authorId),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** Returns a pull request as events about itself show it. */
export function fullPullRequest(context: ResponseContext, repository: Repository, pull: PullRequest): object {
  const sum = (property: 'additions' | 'deletions'): number =>
    pull.files.reduce((total, file) => total + file[property], 0);
  return {
    ...simplePullRequest(context, repository, pull),
    merged: pull.mergedAt !== null,
    mergeable: null,
    rebaseable: null,
    mergeable_state: 'unknown',
    merged_by: pull.mergedById === null ? null : accountOrNull(context, pull.mergedById),
    comments: pull.comments.length,
    review_comments: pull.reviewComments.length,
    maintainer_can_modify: false,
    commits: pull.commitCount,
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: pull.files.length,
  };
}

/** Returns a review as events about it show it. */
export function review(context: ResponseContext, repository: Repository, pull: PullRequest, item: Review): object {
  const { url, page } = listAddresses(context, repository);
  const pullUrl = `${url}/pulls/${pull.number}`;
  const htmlUrl = `${page}/pull/${pull.number}#pullrequestreview-${item.id}`;
  return {
    id: item.id,
    node_id: item.nodeId,
    user: accountOrNull(context, item.authorId),
    body: null,
    commit_id: branchTip(pull),
    submitted_at: time(item.submittedAt),
    updated_at: time(item.updatedAt),
    state: item.state.toLowerCase(),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    author_association: authorAssociation(context.world, repository, item.authorId),
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
  };
}

function listLinks(base: string, url: string, issueUrl: string, pull: PullRequest) {
  return {
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${base}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: `${base}/statuses/${branchTip(pull)}`,
  };
}

function branch(context: ResponseContext, repository: Repository, ref: string, sha: string): object {
  const owner = context.world.accountById(repository.ownerId);
  const user = owner === undefined ? null : simpleAccount(context, owner);
  return { label: `${owner?.login ?? 'ghost'}:${ref}`, ref, sha, user, repo: describeRepository(context, repository) };
}

/** Returns an account, null when it is deleted. */
export function accountOrNull(context: ResponseContext, accountId: number): object | null {
  const account = context.world.accountById(accountId);
  return account === undefined ? null : simpleAccount(context, account);
}
