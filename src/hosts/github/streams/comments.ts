import { noDetails } from '../../../model/contribution.ts';
import { isWrittenByService } from '../../interface/notifier.ts';
import type { KnownRepository } from '../../interface/provider.ts';
import { commentReactions } from '../queries.ts';
import { cursorBehind, perPage, positionOf, queryAt } from './changed-pages.ts';
import { Collector } from './collector.ts';
import type { PageReader, StreamContext } from './context.ts';
import { countByLink } from './count-by-link.ts';
import { type ReactionPage, type RestCommentPayload, RestCommentsPayload } from './payloads.ts';
import { allReactions } from './reactions.ts';

/** The REST lists of all comments of a repository, a hundred a page. They are used because GraphQL has none. */
const lists = { comments: 'issues/comments', review_comments: 'pulls/comments' } as const;
type List = keyof typeof lists;

/** Returns the reader of a page of comments, last changed last. */
export function readComments(list: List): PageReader {
  return async (client, repository, { cursor, since }, call) => {
    const context = { client, call };
    const position = positionOf(cursor, since);
    const path = commentsPath(repository, list);
    // The list is absent when the repository has issues disabled.
    const response = await client.rest(`${path}?${queryAt(position).toString()}`, RestCommentsPayload[list], call);
    const comments = response?.data ?? [];
    const collector = new Collector();
    const reactions = await reactionsOf(context, comments);
    for (const comment of comments) addComment(collector, list, comment, reactions.get(comment.node_id) ?? []);
    const nextCursor = cursorBehind(position, comments, response?.listed ?? 0);
    const isFirstOrLast = cursor === null || nextCursor === null;
    const total = since === null && isFirstOrLast ? await countComments(context, repository, list) : null;
    return collector.toPage({ nextCursor, total, pageSize: perPage });
  };
}

export function countComments(context: StreamContext, repository: KnownRepository, list: List): Promise<number> {
  return countByLink(context, commentsPath(repository, list));
}

function commentsPath({ owner, name }: KnownRepository, list: List): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/${lists[list]}`;
}

function addComment(
  collector: Collector,
  list: List,
  comment: RestCommentPayload,
  reactions: ReactionPage['nodes'],
): void {
  const isOnPullRequest = /\/pull\/\d+#/.test(comment.html_url ?? '');
  const kind =
    list === 'review_comments' ? 'review_comment' : isOnPullRequest ? 'pull_request_comment' : 'issue_comment';
  const { id, created_at: createdAt, updated_at: updatedAt } = comment;
  const author = isWrittenByService(comment.body ?? '') ? null : collector.mentionByRest(comment.user);
  const added = collector.add(kind, author, { id, createdAt, updatedAt });
  added.details = { ...noDetails, number: numberOf(comment), reactions: collector.reactions(reactions) };
}

/** Returns the number of the issue or pull request that a comment belongs to. */
function numberOf({ issue_url, pull_request_url }: RestCommentPayload): number | null {
  const [, number] = /\/(\d+)$/.exec(issue_url ?? pull_request_url ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

/** Fetches the reactions to comments that have any, by GraphQL, because REST has only their number. */
async function reactionsOf(
  context: StreamContext,
  comments: readonly RestCommentPayload[],
): Promise<Map<string, ReactionPage['nodes']>> {
  const found = new Map<string, ReactionPage['nodes']>();
  const ids = comments.filter(({ reactions }) => (reactions?.total_count ?? 0) > 0).map(({ node_id: id }) => id);
  if (ids.length === 0) return found;
  const { data } = await context.client.graphql(commentReactions, { ids }, context.call);
  for (const comment of data.nodes) {
    const { id, reactions } = comment ?? {};
    if (id !== undefined) found.set(id, await allReactions(context, { id, reactions: reactions ?? null }));
  }
  return found;
}
