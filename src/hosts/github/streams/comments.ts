import { Type } from 'typebox';
import { noDetails } from '../../../model/contribution.ts';
import { isWrittenByService } from '../../interface/notifier.ts';
import type { ContributionPage, KnownRepository } from '../../interface/provider.ts';
import { commentReactions } from '../queries.ts';
import { allReactions, Collector, type PageReader, type StreamContext } from './items.ts';
import { type ReactionPage, type RestCommentPayload, RestCommentsPayload } from './payloads.ts';

/** The most items on a page of GitHub. */
export const perPage = 100;

/**
 * The position of a page in a list of GitHub's REST API, last changed last. It is a time of change, so that items that
 * are added, changed or deleted meanwhile never make the next page skip other items.
 */
interface ChangePosition {
  /** The time of the oldest change to list; undefined: list everything. */
  from: string | undefined;
  /** The number of the page from that time on, because more items than fit on a page may have changed at that time. */
  page: number;
}

const commentKinds = new Set(['issue_comment', 'pull_request_comment', 'review_comment']);

/** The REST lists of all comments of a repository, a hundred a page. They are used because GraphQL has none. */
const lists = { comments: 'issues/comments', review_comments: 'pulls/comments' } as const;
type List = keyof typeof lists;

/** Returns the reader of a page of comments, last changed last. */
export function readComments(list: List): PageReader {
  return async (client, repository, { cursor, since }, call) => {
    const context = { client, call };
    const position = readPosition(cursor, since);
    const path = commentsPath(repository, list);
    // The list is absent when the repository has issues disabled.
    const response = await client.rest(`${path}?${queryAt(position).toString()}`, RestCommentsPayload[list], call);
    const comments = response?.data ?? [];
    const collector = new Collector();
    const reactions = await fetchReactions(context, comments);
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
  added.details = { ...noDetails, number: readNumber(comment), reactions: collector.reactions(reactions) };
}

/** Returns the number of the issue or pull request that a comment belongs to. */
function readNumber({ issue_url, pull_request_url }: RestCommentPayload): number | null {
  const [, number] = /\/(\d+)$/.exec(issue_url ?? pull_request_url ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

/** Fetches the reactions to comments that have any, by GraphQL, because REST has only their number. */
async function fetchReactions(
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

/**
 * Returns the length of a REST list: the number of its last page, with one item a page; 0 when there is no such list.
 */
async function countByLink({ client, call }: StreamContext, path: string): Promise<number> {
  const response = await client.rest(`${path}?per_page=1`, Type.Array(Type.Object({})), call);
  const [, last] = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(String(response?.headers['link'] ?? '')) ?? [];
  return last === undefined ? (response?.data.length ?? 0) : Number(last);
}

/**
 * Returns a page in which comments and accepted answers of the App's bot account have no author, because they are not
 * contributions, and the service must not award itself.
 * @param findBotName fetches the name of that account; called only when a bot wrote something on the page.
 */
export async function withoutOwnComments(
  page: ContributionPage,
  findBotName: () => Promise<string | undefined>,
): Promise<ContributionPage> {
  const bots = page.actors.filter(({ type }) => type === 'bot');
  const authors = new Set(
    page.contributions.map(({ kind, author, answeredBy }) => (commentKinds.has(kind) ? author : answeredBy)),
  );
  if (!bots.some(({ externalId }) => authors.has(externalId))) return page;
  const name = (await findBotName())?.toLowerCase();
  const botId = bots.find((bot) => bot.name.toLowerCase() === name)?.externalId;
  if (botId === undefined) return page;
  const contributions = page.contributions.map((contribution) => {
    const { kind, author, answeredBy, details } = contribution;
    if (commentKinds.has(kind)) return author === botId ? { ...contribution, author: null } : contribution;
    // The author of an accepted answer is also named in `resolvedBy`.
    return answeredBy === botId
      ? { ...contribution, answeredBy: null, details: details && { ...details, resolvedBy: null } }
      : contribution;
  });
  return { ...page, contributions };
}

export function readPosition(cursor: string | null, since: Date | null): ChangePosition {
  if (cursor === null) return { from: since?.toISOString(), page: 1 };
  const [from, page] = cursor.split(' ');
  return { from, page: Number(page) };
}

export function queryAt({ from, page }: ChangePosition): URLSearchParams {
  const query = new URLSearchParams({ sort: 'updated', direction: 'asc', per_page: String(perPage) });
  if (from !== undefined) query.set('since', from);
  if (page > 1) query.set('page', String(page));
  return query;
}

/**
 * Returns the cursor of the page after the page at a position; null: it was the last one.
 * @param listed the length of the page, including unreadable items.
 */
export function cursorBehind(
  { from, page }: ChangePosition,
  items: readonly { updated_at: string | null }[],
  listed: number,
): string | null {
  if (listed < perPage) return null;
  const last = items.findLast(({ updated_at: at }) => at !== null)?.updated_at ?? from;
  if (last === undefined) return `${new Date(0).toISOString()} ${page + 1}`;
  return last === from ? `${last} ${page + 1}` : `${last} 1`;
}
