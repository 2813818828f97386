import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import {
  CommitId,
  Count,
  countedTime,
  ExactName,
  Id,
  Name,
  Nullable,
  optionalCount,
  optionalText,
  optionalTime,
  Text,
  Time,
} from '../http/checks.ts';
import { describeItems, optional, orElse, orElseUncounted } from '../http/tolerant.ts';

/**
 * Shapes of the used fields of GitHub's responses, which may hold more fields. A field without `orElse` is required: an
 * item without it is left out of its list, and a response without it cannot be used (see `http/tolerant.ts`).
 */

export { Count, Name, Nullable, Text, Time };
export const DatabaseId = Id;
/** GitHub's scalar BigInt comes as text. */
export const FullDatabaseId = Type.Union([Type.String({ pattern: '^\\d{1,20}$' }), DatabaseId]);
export const PageInfo = Type.Object({ hasNextPage: Type.Boolean(), endCursor: Nullable(Text) });
const Total = Type.Object({ totalCount: Count });
export const optionalTotal = () => orElse(Nullable(Total), null);
export const page = <Schema extends TSchema>(kind: string, node: Schema) =>
  Type.Object({ pageInfo: PageInfo, nodes: describeItems(kind, node) });
export const countedPage = <Schema extends TSchema>(kind: string, node: Schema) =>
  Type.Object({ ...page(kind, node).properties, totalCount: optionalCount() });

/** An account. An item is unreadable when the id of its account is, because its owner is then unknown. */
const AccountPayload = Type.Object({
  kind: Type.Enum(['User', 'Bot', 'Organization']),
  login: Name,
  databaseId: DatabaseId,
  avatarUrl: orElse(Text, ''),
  id: optional(Text),
  name: optional(Nullable(Text)),
});
/** An actor that is not an account: a team, or a placeholder for a person of another host or of an enterprise. */
const StandInPayload = Type.Object({ kind: Type.String({ pattern: '^(?!(?:User|Bot|Organization)$)\\w+$' }) });
export const ActorPayload = Type.Union([AccountPayload, StandInPayload]);
export type ActorPayload = Static<typeof ActorPayload>;
/** The author of an item; null when the account is deleted. */
export const AuthorPayload = Nullable(ActorPayload);

/** The newest change in a list; null when it cannot be read. */
const Tip = orElse(
  Nullable(
    Type.Object({
      totalCount: optionalCount(),
      nodes: Type.Array(orElse(Nullable(Type.Object({ updatedAt: Time })), null)),
    }),
  ),
  null,
);

export const RepositoryPayload = Type.Object({
  id: Name,
  databaseId: DatabaseId,
  name: ExactName,
  description: optionalText(),
  isPrivate: Type.Boolean(),
  isFork: Type.Boolean(),
  stargazerCount: optionalCount(),
  forkCount: optionalCount(),
  diskUsage: optionalCount(),
  pushedAt: optionalTime(),
  primaryLanguage: orElse(Nullable(Type.Object({ name: Text })), null),
  licenseInfo: orElse(Nullable(Type.Object({ name: Text })), null),
  // Null: the repository is empty.
  defaultBranchRef: Nullable(Type.Object({ name: Text, target: Nullable(Type.Object({ oid: Text })) })),
  openIssues: optionalTotal(),
  openPullRequests: optionalTotal(),
  issues: Tip,
  pullRequests: Tip,
  discussions: Tip,
});
export type RepositoryPayload = Static<typeof RepositoryPayload>;

export const OwnedRepositoriesPayload = Type.Object({
  repositoryOwner: Nullable(Type.Object({ repositories: countedPage('repository', RepositoryPayload) })),
});
/** A repository that was requested by name. It may belong to another account, because GitHub finds former names too. */
export const NamedRepositoryPayload = Type.Object({
  repository: Nullable(
    Type.Object({ ...RepositoryPayload.properties, owner: Type.Object({ databaseId: Type.Optional(DatabaseId) }) }),
  ),
});
/** Accounts that were requested by id; null where GitHub shows none, for any reason. */
export const AccountsPayload = Type.Object({ nodes: Type.Array(orElse(Nullable(ActorPayload), null)) });

const FilePayload = Type.Object({
  oid: Type.Optional(Text),
  byteSize: Type.Optional(Count),
  isTruncated: Type.Optional(Type.Boolean()),
  isBinary: Type.Optional(Nullable(Type.Boolean())),
  text: Type.Optional(Nullable(Text)),
});
/** A file, or an empty object when the path is not a file. */
export type FilePayload = Static<typeof FilePayload>;
const File = Nullable(FilePayload);
export const RepositoryFilesPayload = Type.Object({
  node: Nullable(
    Type.Object({
      isPrivate: Type.Boolean(),
      defaultBranchRef: Nullable(Type.Object({ target: Nullable(Type.Object({ oid: CommitId })) })),
      a: File,
      b: File,
      c: File,
      d: File,
    }),
  ),
});

/** The authors of commits, with an alias for each commit. */
export const CommitAuthorsPayload = Type.Object({
  repository: Nullable(
    Type.Record(
      Type.String({ pattern: '^c\\d+$' }),
      orElse(
        Nullable(
          Type.Object({
            author: optional(Nullable(Type.Object({ email: Nullable(Text) }))),
            authors: Type.Optional(
              Type.Object({
                nodes: describeItems('commit author', Type.Object({ email: Nullable(Text), user: AuthorPayload })),
              }),
            ),
          }),
        ),
        null,
      ),
    ),
  ),
});

/** REST: an account of any kind. */
export const RestAccountPayload = Type.Object({
  id: DatabaseId,
  node_id: orElse(Text, ''),
  login: Name,
  type: Text,
  avatar_url: orElse(Text, ''),
  html_url: optional(Text),
  name: optional(Nullable(Text)),
  blog: optional(Nullable(Text)),
  bio: optional(Nullable(Text)),
  followers: optional(Count),
  following: optional(Count),
});
export type RestAccountPayload = Static<typeof RestAccountPayload>;
/** REST: the author of an item; null when the account is deleted. */
export const RestAuthorPayload = Nullable(RestAccountPayload);

/** REST: the bearer's membership in an organization. */
export const MembershipPayload = Type.Object({
  state: Text,
  role: Text,
  organization: Type.Object({ id: DatabaseId, node_id: Text, login: Text, avatar_url: Text }),
  user: Type.Object({ id: DatabaseId }),
});

/** https://docs.github.com/rest/orgs/members#list-organization-members */
export const MembersPayload = Type.Array(Type.Object({ id: DatabaseId }));

/** https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user */
export const PermissionPayload = Type.Object({
  permission: Name,
  user: Nullable(Type.Object({ id: DatabaseId })),
});

export const OrganizationIdPayload = Type.Object({ id: DatabaseId });

export const RestSearchPayload = Type.Object({ total_count: Count, incomplete_results: Type.Boolean() });

export const RestRepositoryPayload = Type.Object({
  id: DatabaseId,
  node_id: Name,
  name: ExactName,
  owner: Type.Object({ id: DatabaseId }),
  description: optionalText(),
  private: Type.Boolean(),
  fork: Type.Boolean(),
  stargazers_count: optionalCount(),
  forks_count: optionalCount(),
  open_issues_count: optionalCount(),
  size: optionalCount(),
  /** Null: never; undefined: not readable. */
  pushed_at: optional(Nullable(Time)),
  language: optionalText(),
  license: orElse(Nullable(Type.Object({ name: Text })), null),
  default_branch: Text,
});
export type RestRepositoryPayload = Static<typeof RestRepositoryPayload>;
export const RestRepositoriesPayload = describeItems('repository', RestRepositoryPayload);

const RestItem = {
  id: DatabaseId,
  created_at: Time,
  updated_at: optionalTime(),
  closed_at: countedTime(),
  user: RestAuthorPayload,
};
const Merge = Type.Object({ merged_at: orElseUncounted(Type.Optional(Nullable(Time)), null) });
/**
 * REST: an issue, or a pull request, which GitHub lists as an issue. The URL distinguishes them or, when it cannot be
 * read, the presence of `pull_request`.
 */
const RestIssuePayload = Type.Union([
  Type.Object({
    ...RestItem,
    html_url: Type.String({ pattern: '/issues/\\d+$' }),
    pull_request: Type.Optional(Type.Never()),
  }),
  Type.Object({
    ...RestItem,
    html_url: Type.String({ pattern: '/pull/\\d+$' }),
    pull_request: orElseUncounted(Merge, {}),
  }),
  Type.Object({ ...RestItem, html_url: orElse(Text, ''), pull_request: Merge }),
  Type.Object({ ...RestItem, html_url: orElse(Text, ''), pull_request: Type.Optional(Type.Never()) }),
]);
type RestIssuePayload = Static<typeof RestIssuePayload>;
/** An item that cannot be read may be of either kind. */
export const RestIssuesPayload = describeItems('issue_or_pull_request', RestIssuePayload);

export const RestCommitsPayload = describeItems(
  'commit',
  Type.Object({
    sha: Name,
    commit: Type.Object({ author: Nullable(Type.Object({ email: Type.Optional(Text) })) }),
    author: Nullable(Type.Union([RestAccountPayload, Type.Object({}, { additionalProperties: false })])),
  }),
);

export const RateLimitPayload = Type.Object({
  resources: Type.Object({
    core: Type.Object({ limit: Count, remaining: Count, reset: Count }),
    graphql: Type.Optional(Type.Object({ limit: Count, remaining: Count, reset: Count })),
  }),
});

const ProfilePayload = {
  id: Name,
  databaseId: DatabaseId,
  login: Name,
  name: optionalText(),
  avatarUrl: orElse(Text, ''),
  websiteUrl: optionalText(),
};

/** The stars of the repositories that an account owns. The page is unreadable when one repository is refused. */
export const OwnedStarsPayload = Type.Object({
  pageInfo: PageInfo,
  nodes: Type.Array(Type.Object({ id: Text, stargazerCount: Count })),
});
export type OwnedStarsPayload = Static<typeof OwnedStarsPayload>;

export const UserPayload = Type.Object({
  ...ProfilePayload,
  kind: Type.Literal('User'),
  bio: optionalText(),
  followers: optionalTotal(),
  following: optionalTotal(),
  socialAccounts: orElse(
    Nullable(
      Type.Object({
        nodes: describeItems('social account', Type.Object({ provider: Text, displayName: Text, url: Text })),
      }),
    ),
    null,
  ),
  /** The years with contributions; null: they are unknown, so that counters summed over years cannot be complete. */
  activity: orElse(Nullable(Type.Object({ contributionYears: Type.Array(Type.Integer()) })), null),
});
export type UserPayload = Static<typeof UserPayload>;

export const UserTotalsPayload = Type.Object({
  issues: optionalTotal(),
  issuesClosed: optionalTotal(),
  pullRequests: optionalTotal(),
  pullRequestsMerged: optionalTotal(),
  repositoryDiscussions: optionalTotal(),
  discussionsAnswered: optionalTotal(),
  owned: orElse(Nullable(OwnedStarsPayload), null),
});
export type UserTotalsPayload = Static<typeof UserTotalsPayload>;

export const OrganizationPayload = Type.Object({
  ...ProfilePayload,
  kind: Type.Literal('Organization'),
  description: optionalText(),
});
export type OrganizationPayload = Static<typeof OrganizationPayload>;

/** Shapes of the numbers of public items that searches find. */
const issueCount = () => orElse(Nullable(Type.Object({ issueCount: Count })), null);
const discussionCount = () => orElse(Nullable(Type.Object({ discussionCount: Count })), null);
export const PublicCountsPayload = Type.Object({
  publicIssues: issueCount(),
  publicIssuesClosed: issueCount(),
  publicPullRequests: issueCount(),
  publicPullRequestsMerged: issueCount(),
  publicDiscussions: discussionCount(),
  publicDiscussionsAnswered: discussionCount(),
});
export type PublicCountsPayload = Static<typeof PublicCountsPayload>;

/** A repository with contributions in a window; null where GitHub refuses it. */
const ContributedTo = Type.Object({ databaseId: DatabaseId, isPrivate: Type.Boolean() });
const contributed = <Fields extends TProperties>(fields: Fields) =>
  Type.Optional(
    orElse(
      Nullable(
        Type.Array(
          orElse(Nullable(Type.Object({ repository: orElse(Nullable(ContributedTo), null), ...fields })), null),
        ),
      ),
      null,
    ),
  );

export const SlicePayload = Type.Object({
  totalCommitContributions: optionalCount(),
  totalPullRequestReviewContributions: optionalCount(),
  totalRepositoriesWithContributedCommits: optionalCount(),
  totalRepositoriesWithContributedIssues: optionalCount(),
  totalRepositoriesWithContributedPullRequests: optionalCount(),
  totalRepositoriesWithContributedPullRequestReviews: optionalCount(),
  commitContributionsByRepository: contributed({ contributions: Total }),
  issueContributionsByRepository: contributed({}),
  pullRequestContributionsByRepository: contributed({}),
  pullRequestReviewContributionsByRepository: contributed({ contributions: Total }),
});
export type SlicePayload = Static<typeof SlicePayload>;

export const StarredRepositoriesPayload = Type.Object({
  node: orElse(Nullable(Type.Object({ repositories: OwnedStarsPayload })), null),
});

const CollectionPayload = Type.Object({
  hasAnyRestrictedContributions: Type.Boolean(),
  restrictedContributionsCount: Count,
  contributionCalendar: Type.Object({
    totalContributions: Count,
    weeks: Type.Array(
      Type.Object({
        contributionDays: Type.Array(
          Type.Object({ date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), contributionCount: Count }),
        ),
      }),
    ),
  }),
});
export type CollectionPayload = Static<typeof CollectionPayload>;
/** A user's counters of some days, or an empty object when the node is not a user. */
export const DayCountsPayload = Type.Object({
  node: Nullable(
    Type.Object({
      contributionsCollection: Type.Optional(
        Type.Object({
          totalCommitContributions: Count,
          totalIssueContributions: Count,
          totalPullRequestContributions: Count,
          totalPullRequestReviewContributions: Count,
        }),
      ),
    }),
  ),
});
/** A user's calendar, or an empty object when the node is not a user. */
export const CalendarPayload = Type.Object({
  node: Nullable(Type.Object({ contributionsCollection: Type.Optional(CollectionPayload) })),
});
