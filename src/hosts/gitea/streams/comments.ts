import { noDetails } from '../../../model/contribution.ts';
import { skippedItem } from '../../http/read-or-skip.ts';
import { isWrittenByService } from '../../interface/notifier.ts';
import type { ContributionPage } from '../../interface/provider.ts';
import { invalid } from '../../rest/checks.ts';
import { type Step, stepFromOldest, type Wanted } from '../../rest/lists.ts';
import type { StreamContext } from '../../rest/streams.ts';
import { type CommentPayload, CommentsPayload, type ReactionPayload } from '../payloads.ts';
import { repositoryPath } from '../repositories.ts';
import { Collector } from './collector.ts';
import { reactionsTo } from './items.ts';

/**
 * Reads a page of the comments on issues and pull requests, and the reactions to each comment with a request of its
 * own.
 */
export async function readComments(context: StreamContext, wanted: Wanted): Promise<ContributionPage | null> {
  const step = await stepThroughComments(context, wanted);
  if (step === null) return null;
  const comments = step.items.flatMap((comment) => {
    const kind = kindOf(comment);
    if (kind !== undefined) return [{ kind, comment }];
    context.call.onSkipped?.(
      skippedItem('comment', invalid('issue_url and pull_request_url of a comment do not show its kind')),
    );
    return [];
  });
  const reactions = await Promise.all(
    comments.map(({ comment }) => reactionsTo(context, `issues/comments/${comment.id}`)),
  );
  const collector = new Collector();
  for (const [index, { kind, comment }] of comments.entries()) {
    addComment(collector, kind, comment, reactions[index] ?? []);
  }
  return collector.toPageOf(step, wanted);
}

export function stepThroughComments(
  { client, repository, call }: StreamContext,
  wanted: Wanted,
): Promise<Step<CommentPayload> | null> {
  const list = { path: `${repositoryPath(repository)}/issues/comments`, items: CommentsPayload };
  return stepFromOldest(client, list, wanted, call);
}

type CommentKind = 'issue_comment' | 'pull_request_comment';

/** The last part of the address of an issue or pull request. */
const numberAtEnd = /\/(\d{1,12})$/;

/**
 * Returns the kind of a comment by its two addresses. Exactly one has a number at its end; if none has, exactly one is
 * empty, and the other one gives the kind. Returns undefined for all other addresses.
 */
function kindOf({ issue_url: issue, pull_request_url: pull }: CommentPayload): CommentKind | undefined {
  const isOnIssue = numberAtEnd.test(issue ?? '');
  const isOnPullRequest = numberAtEnd.test(pull ?? '');
  if (isOnIssue !== isOnPullRequest) return isOnIssue ? 'issue_comment' : 'pull_request_comment';
  if (isOnIssue || (issue === '') === (pull === '')) return undefined;
  return issue === '' ? 'pull_request_comment' : 'issue_comment';
}

function addComment(
  collector: Collector,
  kind: CommentKind,
  payload: CommentPayload,
  reactions: readonly ReactionPayload[],
): void {
  const author = isWrittenByService(payload.body) ? null : collector.mentionPoster(payload);
  const comment = collector.add(kind, author, payload);
  comment.details = { ...noDetails, number: numberOf(payload), reactions: collector.reactions(reactions) };
}

/** Returns the number of the issue or pull request that a comment belongs to; null when it cannot be read. */
function numberOf({ issue_url, pull_request_url }: CommentPayload): number | null {
  const [, number] = numberAtEnd.exec(pull_request_url ?? '') ?? numberAtEnd.exec(issue_url ?? '') ?? [];
  return number === undefined ? null : Number(number);
}
