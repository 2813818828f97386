import { LRUCache } from 'lru-cache';
import { AppError } from '../../../model/errors.ts';
import { type DiscussionPlace, markOf, type Notifier } from '../../interface/notifier.ts';
import type { Call } from '../../interface/provider.ts';
import type { Secret } from '../../transport/secret.ts';
import { addDiscussionComment, discussionTitles, lastComments } from '../queries.ts';
import { reportCheck } from './check-run.ts';
import type { AppClient } from './client.ts';
import { mayNotWrite, Writer } from './writer.ts';

/** The most pages that are searched for a title: two thousand discussions at 100 a page. */
const maxPages = 20;
const maxRemembered = 1000;

/**
 * Creates the writer of comments and checks as the GitHub App. Comments need `discussions: write` and checks need
 * `checks: write`; no other part of the service needs these permissions.
 * @param secretOf returns the credential of the installation on an account; undefined: there is none.
 */
export function createNotifier(client: AppClient, secretOf: (account: string) => Secret | undefined): Notifier {
  const remembered = new LRUCache<string, string>({ max: maxRemembered });
  const writerFor = (account: string, call: Call): Writer => {
    const secret = secretOf(account);
    if (secret === undefined) throw new AppError('provider_denied', 'the GitHub App is not installed there');
    return new Writer(client, secret, call);
  };
  return {
    comment: async (target, { id, text }, call) => {
      const writer = writerFor(target.owner, call);
      const key = JSON.stringify(target);
      const discussion = remembered.get(key) ?? (await findDiscussion(writer, target));
      remembered.set(key, discussion);
      const mark = markOf(id);
      const isCommented = await hasMark(writer, discussion, mark);
      if (isCommented === undefined) {
        remembered.delete(key);
        throw new AppError('not_found', 'the discussion is there no more');
      }
      if (isCommented) return;
      const added = await writer.graphql(addDiscussionComment, { id: discussion, body: `${text}\n${mark}` });
      if (!added.addDiscussionComment?.comment) throw mayNotWrite();
    },
    reportCheck: (repository, check, call) => reportCheck(writerFor(repository.owner, call), repository, check),
  };
}

/** Returns the id of the oldest discussion with the title. @throws AppError `not_found` */
async function findDiscussion(writer: Writer, { ownerName, repository, title }: DiscussionPlace): Promise<string> {
  let after: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    const discussions: Awaited<ReturnType<typeof readTitles>> = await readTitles(writer, {
      owner: ownerName,
      name: repository,
      after,
    });
    const { nodes, pageInfo } = discussions;
    const found = nodes.find((node) => node?.title.trim() === title.trim());
    if (found) return found.id;
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  throw new AppError('not_found', 'there is no discussion of this title');
}

async function readTitles(writer: Writer, variables: { owner: string; name: string; after: string | null }) {
  const { repository } = await writer.graphql(discussionTitles, variables);
  if (repository === null) throw new AppError('not_found', 'there is no such repository, or the App does not see it');
  return repository.discussions;
}

/** Returns whether one of the last 100 comments contains a mark; undefined when there is no such discussion. */
async function hasMark(writer: Writer, discussion: string, mark: string): Promise<boolean | undefined> {
  const { node } = await writer.graphql(lastComments, { id: discussion });
  return node?.comments?.nodes.some((comment) => comment?.body.includes(mark));
}
