import { type ActivityItem, toActivity } from '../../world/activity-index.ts';
import type { Account, Repository } from '../../world/model.ts';
import { connection, type PageArguments } from './connection.ts';
import { collectContributions } from './contributions-collection.ts';
import { type FieldRequest, type Fields, time } from './field-request.ts';
import { type OwnedArguments, ownedRepositories } from './owned-repositories.ts';

/** Returns an account as an object of the schema, by its type. */
export function accountFields(context: FieldRequest, account: Account): Fields {
  const common = {
    __typename: account.type,
    id: account.nodeId,
    databaseId: account.id,
    login: account.login,
    // REST leaves out the hash of the avatar.
    avatarUrl: `${context.origin}/avatars/u/${account.id}?u=${account.id.toString(16).padStart(40, '0')}&v=4`,
    url: `${context.origin}/${account.login}`,
    resourcePath: `/${account.login}`,
    createdAt: time(account.createdAt),
    updatedAt: time(account.updatedAt),
  };
  const ofItsKind: Record<Account['type'], () => Fields> = {
    User: () => ({ ...profile(account), ...userFields(context, account) }),
    Organization: () => ({ ...profile(account), ...organizationFields(context, account) }),
    // GraphQL leaves out the suffix of a bot's login that the web shows.
    Bot: () => ({ login: account.login.replace(/\[bot\]$/, '') }),
    Mannequin: () => ({ email: null }),
  };
  return { ...common, ...ofItsKind[account.type]() };
}

function profile(account: Account): Fields {
  return {
    name: account.name,
    websiteUrl: account.websiteUrl,
    twitterUsername: account.twitter,
    location: null,
    email: account.type === 'User' ? '' : null,
  };
}

function userFields(context: FieldRequest, account: Account): Fields {
  const { world, viewer } = context;
  const visible = <Item>(contributions: readonly ActivityItem<Item>[]): ActivityItem<Item>[] =>
    contributions.filter(({ repository }) => world.canSee(viewer, repository));
  const activity = () => toActivity(world, account.id);
  return {
    bio: account.bio ?? '',
    company: null,
    pronouns: null,
    isHireable: false,
    isViewer: viewer.accountId === account.id,
    status: null,
    followers: { totalCount: account.followers },
    following: { totalCount: account.following },
    socialAccounts: (args: PageArguments) =>
      connection(
        {
          name: 'socialAccounts',
          items: account.socialAccounts.map((social, index) => ({ ...social, index })),
          key: ({ index }) => index,
          id: ({ index }) => index,
          toNode: ({ index: _index, ...social }) => social,
        },
        args,
      ),
    contributionsCollection: (args: { from?: string; to?: string }) => collectContributions(context, account, args),
    issues: (args: PageArguments & { states?: string[] }) =>
      connection(
        {
          name: 'issues',
          items: visible(activity().issues).filter(({ item }) => !args.states || args.states.includes(toState(item))),
          key: ({ item }) => item.createdAt.getTime(),
          id: ({ item }) => item.id,
          toNode: ({ item, repository }) => context.fieldsOf.issue(repository, item),
        },
        args,
      ),
    pullRequests: (args: PageArguments & { states?: string[] }) =>
      connection(
        {
          name: 'pullRequests',
          items: visible(activity().pullRequests).filter(
            ({ item }) => !args.states || args.states.includes(item.mergedAt === null ? toState(item) : 'MERGED'),
          ),
          key: ({ item }) => item.createdAt.getTime(),
          id: ({ item }) => item.id,
          toNode: ({ item, repository }) => context.fieldsOf.pullRequest(repository, item),
        },
        args,
      ),
    repositoryDiscussions: (args: PageArguments) =>
      discussionList(context, 'repositoryDiscussions', visible(activity().discussions), args),
    repositoryDiscussionComments: (args: PageArguments & { onlyAnswers?: boolean }) => {
      if (!args.onlyAnswers) throw new Error('the simulator knows discussion comments that are answers only');
      return { totalCount: visible(activity().answers).length };
    },
    repositories: (args: OwnedArguments) => ownedRepositories(context, account, args),
  };
}

function discussionList(
  context: FieldRequest,
  name: string,
  discussions: ActivityItem<Repository['discussions'][number]>[],
  args: PageArguments,
): Fields {
  return connection(
    {
      name,
      items: discussions,
      key: ({ item }) => item.createdAt.getTime(),
      id: ({ item }) => item.id,
      toNode: ({ item, repository }) => context.fieldsOf.discussion(repository, item),
    },
    args,
  );
}

function organizationFields(context: FieldRequest, account: Account): Fields {
  const { world, viewer } = context;
  const membership = viewer.accountId === null ? undefined : world.membership(account.id, viewer.accountId);
  const isMember = membership?.state === 'active';
  const active = world.memberships.filter(
    (membership) => membership.organizationId === account.id && membership.state === 'active',
  );
  return {
    description: account.bio,
    isVerified: false,
    archivedAt: null,
    viewerIsAMember: isMember,
    viewerCanAdminister: isMember && membership.role === 'admin',
    // Memberships are never public here: only members see them.
    membersWithRole: { totalCount: isMember ? active.length : 0 },
    repositories: (args: OwnedArguments) => ownedRepositories(context, account, args),
    repositoryDiscussions: (args: PageArguments) => {
      const owned = world.owned(account).filter((repository) => world.canSee(viewer, repository));
      const discussions = owned.flatMap((repository) => repository.discussions.map((item) => ({ repository, item })));
      return discussionList(context, 'repositoryDiscussions', discussions, args);
    },
  };
}

function toState(item: { closedAt: Date | null }): string {
  return item.closedAt === null ? 'OPEN' : 'CLOSED';
}
