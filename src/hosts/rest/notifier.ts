import { LRUCache } from 'lru-cache';
import { AppError } from '../../model/errors.ts';
import type { Call } from '../interface/call.ts';
import { isDenied } from '../interface/denied.ts';
import { type DiscussionPlace, formatMark, type Notifier } from '../interface/notifier.ts';
import type { RestClient } from './client.ts';
import type { Step } from './lists.ts';
import { hasTokens, tokenCalls } from './views.ts';

/** Posts notifications on hosts without discussions: as comments in the open issue with the configured title. */

/** An issue as a place for comments. */
export interface TitledIssue {
  number: number;
  title: string;
  /** True when the issue is open and visible to every account that sees the repository. */
  isOpen: boolean;
}

/** The requests for issues and comments of one host. Paths are those of its API. */
export interface IssueHost {
  /** Finds the path of a repository; undefined: the host does not show it, or it belongs to another account by now. */
  findRepository: (place: DiscussionPlace, call: Call) => Promise<string | undefined>;
  /** Reads a page of the open issues, oldest first, of which it may leave out those with other titles. */
  listIssues: (
    repository: string,
    query: { title: string; cursor: string | null },
    call: Call,
  ) => Promise<Step<TitledIssue> | null>;
  readIssue: (issue: string, call: Call) => Promise<TitledIssue | undefined>;
  /** Reads the comments of an issue since a time, and maybe older ones; null: there is no such issue. */
  readComments: (issue: string, since: Date, call: Call) => Promise<readonly string[] | null>;
  /** @returns null when there is no such issue. */
  addComment: (issue: string, body: string, call: Call) => Promise<object | null>;
}

const maxPages = 40;
const maxRemembered = 1000;
/** Ten times the period for which a message is retried. */
const searchWindowMs = 30 * 86_400_000;

/**
 * Creates a notifier that writes with the first token that shows the repository and may write there.
 * @returns undefined when there are no tokens.
 */
export function createIssueNotifier(client: RestClient, host: IssueHost): Notifier | undefined {
  if (!hasTokens(client)) return undefined;
  const remembered = new LRUCache<string, number>({ max: maxRemembered });
  return {
    comment: async (place, { id, text }, call) => {
      let refusal: AppError | undefined;
      for (const tokenCall of tokenCalls(client, call)) {
        try {
          const repository = await host.findRepository(place, tokenCall);
          if (repository === undefined) continue;
          const issue = await findIssue(host, remembered, { repository, title: place.title.trim() }, tokenCall);
          const since = new Date(client.now().getTime() - searchWindowMs);
          await commentOnce(host, { issue, since, text, mark: formatMark(id) }, tokenCall);
          return;
        } catch (error) {
          if (!isDenied(error)) throw error;
          refusal ??= error;
        }
      }
      throw refusal ?? new AppError('not_found', 'there is no such repository, or no token shows it');
    },
  };
}

async function commentOnce(
  host: IssueHost,
  { issue, since, text, mark }: { issue: string; since: Date; text: string; mark: string },
  call: Call,
): Promise<void> {
  const comments = await host.readComments(issue, since, call);
  if (comments?.some((body) => body.includes(mark))) return;
  const added = comments === null ? null : await host.addComment(issue, `${text}\n${mark}`, call);
  if (added === null) throw new AppError('not_found', 'the issue is there no more');
}

/**
 * Returns the path of the issue. A remembered issue is fetched again, because it may have been closed or renamed since.
 * @throws AppError `not_found`
 */
async function findIssue(
  host: IssueHost,
  remembered: LRUCache<string, number>,
  place: { repository: string; title: string },
  call: Call,
): Promise<string> {
  const toPath = (number: number): string => `${place.repository}/issues/${number}`;
  const key = JSON.stringify(place);
  const known = remembered.get(key);
  if (known !== undefined) {
    const issue = await host.readIssue(toPath(known), call);
    if (issue !== undefined && isOpenWithTitle(issue, place.title)) return toPath(known);
    remembered.delete(key);
  }
  const found = await searchIssue(host, place, call);
  remembered.set(key, found);
  return toPath(found);
}

/** Returns the number of the matching issue that was opened first. */
async function searchIssue(
  host: IssueHost,
  { repository, title }: { repository: string; title: string },
  call: Call,
): Promise<number> {
  let cursor: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    const step: Step<TitledIssue> | null = await host.listIssues(repository, { title, cursor }, call);
    const numbers = (step?.items ?? []).filter((issue) => isOpenWithTitle(issue, title)).map(({ number }) => number);
    if (numbers.length > 0) return Math.min(...numbers);
    cursor = step?.nextCursor ?? null;
    if (cursor === null) break;
  }
  throw new AppError('not_found', 'there is no open issue of this title');
}

function isOpenWithTitle(issue: TitledIssue, title: string): boolean {
  return issue.isOpen && issue.title.trim() === title;
}
