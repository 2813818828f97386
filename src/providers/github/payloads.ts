import { type Static, type TSchema, Type } from 'typebox';

/** Shapes of just those fields of GitHub's answers that are used. More may come; less, or others, is an error. */

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const Text = Type.String();
export const Count = Type.Integer({ minimum: 0 });
export const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' });
export const DatabaseId = Type.Integer({ minimum: 1 });
/** GitHub's scalar BigInt comes as text. */
export const FullDatabaseId = Type.Union([Type.String({ pattern: '^\\d{1,20}$' }), DatabaseId]);
export const PageInfo = Type.Object({ hasNextPage: Type.Boolean(), endCursor: Nullable(Text) });
export const Total = Type.Object({ totalCount: Count });
export const page = <Schema extends TSchema>(node: Schema) =>
  Type.Object({ pageInfo: PageInfo, nodes: Type.Array(Nullable(node)) });
export const countedPage = <Schema extends TSchema>(node: Schema) =>
  Type.Object({ ...page(node).properties, totalCount: Count });

export const ActorPayload = Type.Object({
  kind: Text,
  login: Text,
  avatarUrl: Text,
  id: Type.Optional(Text),
  databaseId: Type.Optional(Nullable(DatabaseId)),
  name: Type.Optional(Nullable(Text)),
});
export type ActorPayload = Static<typeof ActorPayload>;

const ProfilePayload = {
  id: Text,
  databaseId: DatabaseId,
  login: Text,
  name: Nullable(Text),
  avatarUrl: Text,
  websiteUrl: Nullable(Text),
};

export const OwnedStarsPayload = page(Type.Object({ stargazerCount: Count }));

export const UserPayload = Type.Object({
  ...ProfilePayload,
  kind: Type.Literal('User'),
  bio: Nullable(Text),
  followers: Total,
  following: Total,
  socialAccounts: Type.Object({
    nodes: Type.Array(Nullable(Type.Object({ provider: Text, displayName: Text, url: Text }))),
  }),
  activity: Type.Object({ contributionYears: Type.Array(Type.Integer()) }),
});
export type UserPayload = Static<typeof UserPayload>;

export const UserTotalsPayload = Type.Object({
  issues: Total,
  issuesClosed: Total,
  pullRequests: Total,
  pullRequestsMerged: Total,
  repositoryDiscussions: Total,
  discussionsAnswered: Total,
  owned: OwnedStarsPayload,
});
export type UserTotalsPayload = Static<typeof UserTotalsPayload>;

export const OrganizationPayload = Type.Object({
  ...ProfilePayload,
  kind: Type.Literal('Organization'),
  description: Nullable(Text),
});
export type OrganizationPayload = Static<typeof OrganizationPayload>;

/** What a search counted of what is public. */
export const PublicCountsPayload = Type.Object({
  publicIssues: Type.Object({ issueCount: Count }),
  publicIssuesClosed: Type.Object({ issueCount: Count }),
  publicPullRequests: Type.Object({ issueCount: Count }),
  publicPullRequestsMerged: Type.Object({ issueCount: Count }),
  publicDiscussions: Type.Object({ discussionCount: Count }),
  publicDiscussionsAnswered: Type.Object({ discussionCount: Count }),
});
export type PublicCountsPayload = Static<typeof PublicCountsPayload>;

const ContributedTo = Type.Object({ databaseId: Nullable(DatabaseId), isPrivate: Type.Boolean() });

export const WindowPayload = Type.Object({
  totalCommitContributions: Count,
  totalPullRequestReviewContributions: Count,
  totalRepositoriesWithContributedCommits: Count,
  totalRepositoriesWithContributedIssues: Count,
  totalRepositoriesWithContributedPullRequests: Count,
  totalRepositoriesWithContributedPullRequestReviews: Count,
  commitContributionsByRepository: Type.Array(Type.Object({ repository: ContributedTo, contributions: Total })),
  issueContributionsByRepository: Type.Array(Type.Object({ repository: ContributedTo })),
  pullRequestContributionsByRepository: Type.Array(Type.Object({ repository: ContributedTo })),
  pullRequestReviewContributionsByRepository: Type.Array(
    Type.Object({ repository: ContributedTo, contributions: Total }),
  ),
});
export type WindowPayload = Static<typeof WindowPayload>;

const Tip = Type.Object({
  totalCount: Count,
  nodes: Type.Array(Nullable(Type.Object({ updatedAt: Time }))),
});

export const RepositoryPayload = Type.Object({
  id: Text,
  databaseId: DatabaseId,
  name: Text,
  description: Nullable(Text),
  isPrivate: Type.Boolean(),
  isFork: Type.Boolean(),
  stargazerCount: Count,
  forkCount: Count,
  diskUsage: Nullable(Count),
  pushedAt: Nullable(Time),
  primaryLanguage: Nullable(Type.Object({ name: Text })),
  licenseInfo: Nullable(Type.Object({ name: Text })),
  defaultBranchRef: Nullable(Type.Object({ name: Text, target: Nullable(Type.Object({ oid: Text })) })),
  openIssues: Total,
  openPullRequests: Total,
  issues: Tip,
  pullRequests: Tip,
  discussions: Tip,
});
export type RepositoryPayload = Static<typeof RepositoryPayload>;

export const OwnedRepositoriesPayload = Type.Object({
  repositoryOwner: Nullable(Type.Object({ repositories: countedPage(RepositoryPayload) })),
});
/** Found by a former name, too, it may belong to another account by now. */
export const NamedRepositoryPayload = Type.Object({
  repository: Nullable(
    Type.Object({ ...RepositoryPayload.properties, owner: Type.Object({ databaseId: Type.Optional(DatabaseId) }) }),
  ),
});
export const AccountsPayload = Type.Object({ nodes: Type.Array(Nullable(ActorPayload)) });

export const StarredRepositoriesPayload = Type.Object({
  node: Nullable(Type.Object({ repositories: OwnedStarsPayload })),
});

const FilePayload = Type.Object({
  oid: Type.Optional(Text),
  byteSize: Type.Optional(Count),
  isTruncated: Type.Optional(Type.Boolean()),
  isBinary: Type.Optional(Nullable(Type.Boolean())),
  text: Type.Optional(Nullable(Text)),
});
/** A file, or an empty object for something else of that name. */
export type FilePayload = Static<typeof FilePayload>;
const File = Nullable(FilePayload);
export const RepositoryFilesPayload = Type.Object({
  node: Nullable(
    Type.Object({
      isPrivate: Type.Boolean(),
      defaultBranchRef: Nullable(Type.Object({ target: Nullable(Type.Object({ oid: Text })) })),
      a: File,
      b: File,
      c: File,
      d: File,
    }),
  ),
});

/** Authors of commits, asked for under one alias a commit. */
export const CommitAuthorsPayload = Type.Object({
  repository: Nullable(
    Type.Record(
      Type.String({ pattern: '^c\\d+$' }),
      Nullable(
        Type.Object({
          authors: Type.Optional(
            Type.Object({
              nodes: Type.Array(
                Nullable(
                  Type.Object({
                    email: Nullable(Text),
                    user: Nullable(ActorPayload),
                  }),
                ),
              ),
            }),
          ),
        }),
      ),
    ),
  ),
});

/** REST: an account of any kind. */
export const RestAccountPayload = Type.Object({
  id: DatabaseId,
  node_id: Text,
  login: Text,
  type: Text,
  avatar_url: Text,
  name: Type.Optional(Nullable(Text)),
  blog: Type.Optional(Nullable(Text)),
  bio: Type.Optional(Nullable(Text)),
  followers: Type.Optional(Count),
  following: Type.Optional(Count),
});
export type RestAccountPayload = Static<typeof RestAccountPayload>;

/** REST: the bearer's part in an organization. */
export const MembershipPayload = Type.Object({
  state: Text,
  role: Text,
  organization: Type.Object({ id: DatabaseId, node_id: Text, login: Text, avatar_url: Text }),
  user: Type.Object({ id: DatabaseId }),
});

export const RestSearchPayload = Type.Object({ total_count: Count, incomplete_results: Type.Boolean() });

export const RestRepositoryPayload = Type.Object({
  id: DatabaseId,
  node_id: Text,
  name: Text,
  owner: Type.Object({ id: DatabaseId }),
  description: Nullable(Text),
  private: Type.Boolean(),
  fork: Type.Boolean(),
  stargazers_count: Count,
  forks_count: Count,
  open_issues_count: Count,
  size: Count,
  pushed_at: Nullable(Time),
  language: Nullable(Text),
  license: Nullable(Type.Object({ name: Text })),
  default_branch: Text,
});
export type RestRepositoryPayload = Static<typeof RestRepositoryPayload>;
export const RestRepositoriesPayload = Type.Array(RestRepositoryPayload);

/** REST: an issue, or a pull request that is told as one. */
export const RestIssuePayload = Type.Object({
  id: DatabaseId,
  created_at: Time,
  updated_at: Time,
  closed_at: Nullable(Time),
  user: Nullable(RestAccountPayload),
  pull_request: Type.Optional(Type.Object({ merged_at: Type.Optional(Nullable(Time)) })),
});
export type RestIssuePayload = Static<typeof RestIssuePayload>;
export const RestIssuesPayload = Type.Array(RestIssuePayload);

export const RestCommitsPayload = Type.Array(
  Type.Object({
    sha: Text,
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
