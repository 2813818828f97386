import { findRepository, touch } from './activity.ts';
import { aboutThread } from './comments.ts';
import {
  type Account,
  type ChangedFile,
  type Discussion,
  type Issue,
  isDiscussion,
  isPullRequest,
  type PullRequest,
  type Review,
} from './model.ts';
import { type Acting, emitEvent } from './report-changes.ts';
import type { World } from './world.ts';

/** Changes of issues, pull requests and discussions while they are open or closed; each touches the item. */

type Item = Issue | PullRequest | Discussion;

/** Adds a label. @param acting.by by default the item's author, here and below. */
export function label(world: World, item: Item, name: string, acting: Acting = {}): void {
  if (item.labels.includes(name)) return;
  item.labels.push(name);
  changed(world, item, 'labeled', acting, { label: name });
}

export function unlabel(world: World, item: Item, name: string, acting: Acting = {}): void {
  if (!item.labels.includes(name)) return;
  item.labels = item.labels.filter((label) => label !== name);
  changed(world, item, 'unlabeled', acting, { label: name });
}

export function assign(world: World, item: Issue | PullRequest, account: Account, acting: Acting = {}): void {
  if (item.assigneeIds.includes(account.id)) return;
  item.assigneeIds.push(account.id);
  changed(world, item, 'assigned', acting, { account });
}

export function unassign(world: World, item: Issue | PullRequest, account: Account, acting: Acting = {}): void {
  if (!item.assigneeIds.includes(account.id)) return;
  item.assigneeIds = item.assigneeIds.filter((id) => id !== account.id);
  changed(world, item, 'unassigned', acting, { account });
}

export function requestReview(world: World, pull: PullRequest, account: Account, acting: Acting = {}): void {
  if (pull.requestedReviewerIds.includes(account.id)) return;
  if (account.id === pull.authorId) throw new Error('authors cannot review their own pull requests');
  pull.requestedReviewerIds.push(account.id);
  changed(world, pull, 'review_requested', acting, { account });
}

export function unrequestReview(world: World, pull: PullRequest, account: Account, acting: Acting = {}): void {
  if (!pull.requestedReviewerIds.includes(account.id)) return;
  pull.requestedReviewerIds = pull.requestedReviewerIds.filter((id) => id !== account.id);
  changed(world, pull, 'review_request_removed', acting, { account });
}

/**
 * Dismisses a review that approves or requests changes.
 * @throws {Error} for any other review.
 */
export function dismissReview(world: World, pullRequest: PullRequest, review: Review, acting: Acting = {}): void {
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw new Error(`a review that is ${review.state} cannot be dismissed`);
  review.state = 'DISMISSED';
  review.updatedAt = world.now();
  touch(pullRequest, world.now());
  const sender = acting.by?.id ?? pullRequest.authorId;
  const details = { pullRequest, review };
  emitEvent(world, findRepository(world, pullRequest), 'pull_request_review.dismissed', sender, details);
}

export function editTitle(world: World, item: Item, title: string, acting: Acting = {}): void {
  const more = { changes: { title: { from: item.title } } };
  item.title = title;
  changed(world, item, 'edited', acting, { more });
}

export function setDraft(world: World, pull: PullRequest, isDraft: boolean, acting: Acting = {}): void {
  if (pull.isDraft === isDraft) return;
  pull.isDraft = isDraft;
  changed(world, pull, isDraft ? 'converted_to_draft' : 'ready_for_review', acting);
}

/** Adds one commit to the branch of a pull request, which changes these files. */
export function pushToPullRequest(
  world: World,
  pull: PullRequest,
  files: readonly ChangedFile[],
  acting: Acting = {},
): void {
  pull.commitCount += 1;
  for (const file of files) {
    const existing = pull.files.find(({ path }) => path === file.path);
    if (existing === undefined) pull.files.push({ ...file });
    else Object.assign(existing, file);
  }
  const more = { before: branchTip(pull, pull.commitCount - 1), after: branchTip(pull, pull.commitCount) };
  changed(world, pull, 'synchronize', acting, { more });
}

/** Returns a made-up id of the last commit of a pull request's branch; no repository has this commit. */
export function branchTip(pull: PullRequest, commits = pull.commitCount): string {
  return `${pull.id.toString(16)}${commits.toString(16).padStart(8, '0')}`.padStart(40, 'a');
}

function changed(world: World, item: Item, action: string, { by }: Acting, details: object = {}): void {
  touch(item, world.now());
  const about = isDiscussion(item) ? { discussion: item } : aboutThread(item);
  const event = isDiscussion(item) ? 'discussion' : isPullRequest(item) ? 'pull_request' : 'issues';
  emitEvent(world, findRepository(world, item), `${event}.${action}`, by?.id ?? item.authorId, {
    ...about,
    ...details,
  });
}
