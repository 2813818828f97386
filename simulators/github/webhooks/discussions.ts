import { authorAssociation } from '../../world/association.ts';
import type { Discussion, DiscussionComment, Repository } from '../../world/model.ts';
import { nodeId } from '../../world/world.ts';
import { time } from '../graphql/field-request.ts';
import type { ResponseContext } from '../rest/accounts.ts';
import { listAddresses } from '../rest/addresses.ts';
import { reactionSummary } from '../rest/comments.ts';
import { label } from '../rest/repositories.ts';
import { accountOrNull } from './pull-requests.ts';

export function discussion(context: ResponseContext, repository: Repository, item: Discussion): object {
  const { url: base, page } = listAddresses(context, repository);
  const url = `${base}/discussions/${item.number}`;
  const htmlUrl = `${page}/discussions/${item.number}`;
  const { category } = item;
  return {
    repository_url: base,
    category: {
      id: category.id,
      node_id: nodeId('DIC', category.id),
      repository_id: repository.id,
      emoji: ':speech_balloon:',
      name: category.name,
      description: '',
      created_at: time(repository.createdAt),
      updated_at: time(repository.createdAt),
      slug: category.name.toLowerCase().replace(/[^a-z]+/g, '-'),
      is_answerable: category.isAnswerable,
    },
    answer_html_url: item.answerId === null ? null : `${htmlUrl}#discussioncomment-${item.answerId}`,
    answer_chosen_at: time(item.answerChosenAt),
    answer_chosen_by: item.answerChosenById === null ? null : accountOrNull(context, item.answerChosenById),
    html_url: htmlUrl,
    id: item.id,
    node_id: item.nodeId,
    number: item.number,
    title: item.title,
    user: accountOrNull(context, item.authorId),
    labels: item.labels.map((name) => label(base, name)),
    state: item.closedAt === null ? 'open' : 'closed',
    state_reason: item.stateReason?.toLowerCase() ?? null,
    locked: false,
    comments: item.comments.length,
    created_at: time(item.createdAt),
    updated_at: time(item.updatedAt),
    author_association: authorAssociation(context.world, repository, item.authorId),
    active_lock_reason: null,
    body: '',
    reactions: reactionSummary(item, url),
    timeline_url: `${url}/timeline`,
  };
}

export function discussionComment(
  context: ResponseContext,
  repository: Repository,
  item: Discussion,
  comment: DiscussionComment,
): object {
  const { url: base, page } = listAddresses(context, repository);
  return {
    id: comment.id,
    node_id: comment.nodeId,
    html_url: `${page}/discussions/${item.number}#discussioncomment-${comment.id}`,
    parent_id: null,
    child_comment_count: 0,
    repository_url: base,
    discussion_id: item.id,
    author_association: authorAssociation(context.world, repository, comment.authorId),
    user: accountOrNull(context, comment.authorId),
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    body: comment.body,
    reactions: reactionSummary(comment, `${base}/discussions/comments/${comment.id}`),
  };
}
