import { type Static, type TProperties, Type } from 'typebox';
import { Count, Name, Nullable, optionalCount, optionalText, Text } from '../http/checks.ts';
import { describeItems, orElse } from '../http/tolerant.ts';
import { DatabaseId, optionalTotal, PageInfo, Total } from './payloads.ts';

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
