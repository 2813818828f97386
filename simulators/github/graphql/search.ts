import { type ActivityItem, toActivity } from '../../world/activity-index.ts';
import {
  type Account,
  type Discussion,
  type Issue,
  isDiscussion,
  isPullRequest,
  type PullRequest,
} from '../../world/model.ts';
import { connection, type PageArguments } from './connection.ts';
import type { FieldRequest, Fields } from './field-request.ts';

type Item = Issue | PullRequest | Discussion;
type Test = (candidate: ActivityItem<Item>) => boolean;

/**
 * Searches issues, pull requests and discussions by the qualifiers that the simulator supports; others are an error.
 */
export function search(context: FieldRequest, args: PageArguments & { type: string; query: string }): Fields {
  const found = find(context, args.type, args.query);
  const list = connection(
    {
      name: 'search',
      items: found,
      key: ({ item }) => item.createdAt.getTime(),
      id: ({ item }) => item.id,
      descending: true,
      toNode: ({ repository, item }) => {
        if (isPullRequest(item)) return context.fieldsOf.pullRequest(repository, item);
        return isDiscussion(item)
          ? context.fieldsOf.discussion(repository, item)
          : context.fieldsOf.issue(repository, item);
      },
    },
    args,
  );
  const { totalCount: _totalCount, ...page } = list;
  const isOfDiscussions = args.type === 'DISCUSSION';
  return {
    ...page,
    issueCount: isOfDiscussions ? 0 : found.length,
    discussionCount: isOfDiscussions ? found.length : 0,
  };
}

/** Finds the items of a search, for the REST interface as well. */
export function find(
  { world, viewer }: Pick<FieldRequest, 'world' | 'viewer'>,
  type: string,
  query: string,
): ActivityItem<Item>[] {
  const terms = query.split(/\s+/).filter((term) => term !== '');
  const person = terms.flatMap((term) => /^(author|answered-by):(.+)$/.exec(term) ?? []).slice(1, 3);
  const [role, login = ''] = person;
  const account = findAccount(world, login);
  if (role === undefined) throw new Error(`the simulator searches by author or answered-by only, not ${query}`);
  if (account === undefined) return [];
  const activity = toActivity(world, account.id);
  const candidates: ActivityItem<Item>[] =
    type === 'DISCUSSION'
      ? role === 'author'
        ? activity.discussions
        : activity.answers
      : [...activity.issues, ...activity.pullRequests];
  const tests = terms.filter((term) => term !== `${role}:${login}`).map(toTest);
  return candidates.filter(
    (candidate) => world.canSee(viewer, candidate.repository) && tests.every((test) => test(candidate)),
  );
}

function findAccount(world: FieldRequest['world'], login: string): Account | undefined {
  const app = /^app\/(.+)$/.exec(login)?.[1];
  const account = world.accountByLogin(app === undefined ? login : `${app}[bot]`);
  return app !== undefined && account?.type !== 'Bot' ? undefined : account;
}

const tests: Record<string, Test> = {
  'is:public': ({ repository }) => repository.visibility === 'public',
  'is:private': ({ repository }) => repository.visibility !== 'public',
  'is:open': ({ item }) => item.closedAt === null,
  'is:closed': ({ item }) => item.closedAt !== null,
  'is:merged': ({ item }) => isPullRequest(item) && item.mergedAt !== null,
  'is:issue': ({ item }) => !isPullRequest(item) && !isDiscussion(item),
  'is:pr': ({ item }) => isPullRequest(item),
};

function toTest(term: string): Test {
  const test = tests[term.replace(/^type:/, 'is:')];
  if (test === undefined) throw new Error(`the simulator does not know the search term ${term}`);
  return test;
}
