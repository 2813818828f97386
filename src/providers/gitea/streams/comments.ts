import { noDetails } from '../../../contributions/contribution.ts';
import { isWrittenByService } from '../../announcer.ts';
import type { ContributionPage } from '../../provider.ts';
import { type Step, stepFromOldest, type Wanted } from '../../rest/lists.ts';
import { type CommentPayload, CommentsPayload, type ReactionPayload } from '../payloads.ts';
import { repositoryPath } from '../repositories.ts';
import { Collector } from './collector.ts';
import { reactionsTo, type StreamContext } from './items.ts';

/**
 * Reads a page of the comments on issues and pull requests as a whole, and with a request each the reactions to them.
 */
export async function readComments(context: StreamContext, wanted: Wanted): Promise<ContributionPage | null> {
  const step = await stepThroughComments(context, wanted);
  if (step === null) return null;
  const reactions = await Promise.all(step.items.map(({ id }) => reactionsTo(context, `issues/comments/${id}`)));
  const collector = new Collector();
  for (const [index, comment] of step.items.entries()) addComment(collector, comment, reactions[index] ?? []);
  return collector.toPage({ nextCursor: step.nextCursor, total: wanted.since === null ? step.total : null });
}

export function stepThroughComments(
  { client, repository, call }: StreamContext,
  wanted: Wanted,
): Promise<Step<CommentPayload> | null> {
  const list = { path: `${repositoryPath(repository)}/issues/comments`, items: CommentsPayload };
  return stepFromOldest(client, list, wanted, call);
}

function addComment(collector: Collector, payload: CommentPayload, reactions: readonly ReactionPayload[]): void {
  const kind = payload.pull_request_url === '' ? 'issue_comment' : 'pull_request_comment';
  const author = isWrittenByService(payload.body) ? null : collector.mentionPoster(payload);
  const comment = collector.add(kind, author, payload);
  comment.details = { ...noDetails, number: numberOf(payload), reactions: collector.reactions(reactions) };
}

/** Returns the number of the issue or pull request that a comment belongs to. */
function numberOf({ issue_url, pull_request_url }: CommentPayload): number | null {
  const [, number] = /\/(\d{1,12})$/.exec(pull_request_url || issue_url) ?? [];
  return number === undefined ? null : Number(number);
}
