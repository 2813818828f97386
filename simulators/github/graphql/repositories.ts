import { createHash } from 'node:crypto';
import type { Commit, Issue, Repository, Star } from '../../world/model.ts';
import { connection, type Order, ordering, type PageArguments } from './connection.ts';
import { type FieldRequest, type Fields, faultyArgument, notFound, time } from './field-request.ts';
import { findFile } from './files.ts';

export function repositoryFields(context: FieldRequest, repository: Repository): Fields {
  const owner = context.world.accountById(repository.ownerId);
  if (owner === undefined) throw notFound('Could not resolve to a Repository.');
  const tip = repository.commits.at(-1);
  return {
    __typename: 'Repository',
    id: repository.nodeId,
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: `${owner.login}/${repository.name}`,
    owner: () => context.fieldsOf.account(owner),
    url: `${context.origin}/${owner.login}/${repository.name}`,
    description: repository.description,
    homepageUrl: null,
    isPrivate: repository.visibility !== 'public',
    visibility: repository.visibility.toUpperCase(),
    isFork: repository.isFork,
    isArchived: repository.isArchived,
    isDisabled: false,
    isTemplate: false,
    isEmpty: tip === undefined,
    stargazerCount: context.world.starsOf(repository).length,
    forkCount: repository.forkCount,
    diskUsage: repository.sizeKib,
    createdAt: time(repository.createdAt),
    updatedAt: time(repository.updatedAt),
    pushedAt: time(repository.pushedAt),
    hasIssuesEnabled: true,
    hasDiscussionsEnabled: repository.hasDiscussions,
    primaryLanguage:
      repository.language === null ? null : { name: repository.language, color: toColor(repository.language) },
    licenseInfo: repository.license,
    defaultBranchRef:
      tip === undefined
        ? null
        : { name: repository.defaultBranch, target: () => context.fieldsOf.commit(repository, tip) },
    pullRequest: ({ number }: { number: number }) => {
      const pull = repository.pullRequests.find((pullRequest) => pullRequest.number === number);
      if (pull === undefined) throw notFound(`Could not resolve to a PullRequest with the number of ${number}.`);
      return context.fieldsOf.pullRequest(repository, pull);
    },
    object: (args: { oid?: string; expression?: string }) => findObject(context, repository, args),
    ...lists(context, repository),
  };
}

function lists(context: FieldRequest, repository: Repository): Fields {
  return {
    issues: (args: PageArguments & Order & { states?: string[] | null; filterBy?: IssueFilter | null }) =>
      connection(
        {
          name: 'issues',
          items: filteredIssues(repository, args.filterBy).filter(
            ({ closedAt }) => !args.states || args.states.includes(closedAt === null ? 'OPEN' : 'CLOSED'),
          ),
          ...ordering(itemKeys, args, 'CREATED_AT'),
          id: (issue) => issue.id,
          toNode: (issue) => context.fieldsOf.issue(repository, issue),
        },
        args,
      ),
    pullRequests: (args: PageArguments & Order & { states?: string[] | null }) =>
      connection(
        {
          name: 'pullRequests',
          items: repository.pullRequests.filter(({ closedAt, mergedAt }) => {
            const state = mergedAt !== null ? 'MERGED' : closedAt !== null ? 'CLOSED' : 'OPEN';
            return !args.states || args.states.includes(state);
          }),
          ...ordering(itemKeys, args, 'CREATED_AT'),
          id: (pull) => pull.id,
          toNode: (pull) => context.fieldsOf.pullRequest(repository, pull),
        },
        args,
      ),
    discussions: (args: PageArguments & Order & { states?: string[] | null; answered?: boolean | null }) =>
      connection(
        {
          name: 'discussions',
          items: repository.discussions
            .filter(
              ({ closedAt }) => !args.states?.length || args.states.includes(closedAt === null ? 'OPEN' : 'CLOSED'),
            )
            .filter(({ answerId }) => typeof args.answered !== 'boolean' || (answerId !== null) === args.answered),
          ...ordering(itemKeys, args, 'UPDATED_AT'),
          id: (discussion) => discussion.id,
          toNode: (discussion) => context.fieldsOf.discussion(repository, discussion),
        },
        args,
      ),
    stargazers: (args: PageArguments & Order) => stargazers(context, repository, args),
  };
}

function stargazers(context: FieldRequest, repository: Repository, args: PageArguments & Order): Fields {
  const { world, viewer, fieldsOf } = context;
  const access = world.stargazerAccess(viewer, repository);
  if (access === 'refused') throw faultyArgument('FORBIDDEN', `Resource not accessible by ${viewer.lacksStargazers}`);
  return connection(
    {
      name: 'stargazers',
      items: access === 'listed' ? world.starsOf(repository) : [],
      ...ordering({ STARRED_AT: (star: Star) => star.starredAt.getTime() }, args, 'STARRED_AT'),
      id: (star) => star.accountId,
      toNode: (star) => fieldsOf.author(star.accountId),
      edge: (star) => ({ starredAt: time(star.starredAt) }),
    },
    args,
  );
}

interface IssueFilter {
  since?: string | null;
  labels?: string[] | null;
  states?: string[] | null;
}

function filteredIssues(repository: Repository, filter: IssueFilter | null | undefined): Issue[] {
  const { since, labels, states, ...unknown } = filter ?? {};
  // Unsupported filters may be present with the value false.
  const unsupported = Object.entries(unknown).find(([, value]) => Boolean(value));
  if (unsupported !== undefined) throw new Error(`the simulator does not know the filter ${unsupported[0]}`);
  return repository.issues.filter(
    (issue) =>
      (!since || issue.updatedAt >= new Date(since)) &&
      (!labels || issue.labels.some((label) => labels.includes(label))) &&
      (!states || states.includes(issue.closedAt === null ? 'OPEN' : 'CLOSED')),
  );
}

const itemKeys: Record<string, (item: { createdAt: Date; updatedAt: Date }) => number> = {
  CREATED_AT: (item) => item.createdAt.getTime(),
  UPDATED_AT: (item) => item.updatedAt.getTime(),
};

function findObject(
  context: FieldRequest,
  repository: Repository,
  { oid, expression }: { oid?: string; expression?: string },
): Fields | null {
  const tip = repository.commits.at(-1)?.oid;
  const [revision, path] = expression?.split(/:(.*)/s) ?? [];
  const isTip = revision === 'HEAD' || revision === repository.defaultBranch || revision === tip;
  if (path !== undefined) return isTip && tip !== undefined ? findFile(context, repository, path) : null;
  const target = oid ?? (isTip ? tip : expression);
  const commit = target === undefined ? undefined : listCommits(repository).get(target);
  return commit === undefined ? null : context.fieldsOf.commit(repository, commit);
}

const byOid = new WeakMap<Repository, { count: number; tip: string | undefined; commits: Map<string, Commit> }>();

/** Indexes the commits of a repository: a history has up to 100,000 commits, and clients request one at a time. */
function listCommits(repository: Repository): Map<string, Commit> {
  const { length: count } = repository.commits;
  const tip = repository.commits.at(-1)?.oid;
  const cached = byOid.get(repository);
  if (cached?.count === count && cached.tip === tip) return cached.commits;
  const commits = new Map(repository.commits.map((commit) => [commit.oid, commit]));
  byOid.set(repository, { count, tip, commits });
  return commits;
}

function toColor(language: string): string {
  return `#${createHash('sha1').update(language).digest('hex').slice(0, 6)}`;
}
