import type { Pool } from 'pg';
import type { Reactable, Repository } from '../../../../simulators/world/model.ts';
import type { World } from '../../../../simulators/world/world.ts';
import type { FileText } from '../../../integration/achievements/awards/every-feature.ts';
import { evaluateNaively } from '../../../integration/achievements/evaluation/naive.ts';
import { emptyItem, type Item, type World as PlainWorld } from '../../../integration/achievements/evaluation/world.ts';

/**
 * Returns the earned achievements in a repository of the simulated GitHub, as `LOGIN: ACHIEVEMENT, TIME`, counted from
 * the world alone.
 */
export function earnedIn(world: World, repository: Repository, file: FileText): string[] {
  const plain = toNaiveWorld(world, repository);
  return file.achievements
    .flatMap((achievement) =>
      [...evaluateNaively(achievement, plain, file.pointActions)].map(
        ([person, at]) => `${plain.people[person]?.name}: ${achievement.name}, ${new Date(at).toISOString()}`,
      ),
    )
    .toSorted();
}

/** Converts a repository of the simulated GitHub into the world of the naive evaluation. */
export function toNaiveWorld(world: World, repository: Repository): PlainWorld {
  return new NaiveWorldBuilder(world).repository(repository);
}

/** Returns the name of the achievement in a line `LOGIN: ACHIEVEMENT, TIME`. */
export function achievementIn(line: string): string {
  return line.slice(line.indexOf(': ') + 2, line.lastIndexOf(', '));
}

/** Returns the stored awards that are not revoked, as `LOGIN: ACHIEVEMENT, TIME`. */
export async function findStoredAwards(pool: Pool, repository: Pick<Repository, 'id'>): Promise<string[]> {
  const { rows } = await pool.query<{ login: string; name: string; at: Date }>(
    `select p.name as login, h.name, w.awarded_at as at
     from awards w join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id
     join accounts p on p.id = w.account_id
     where r.external_id = $1::text and w.revoked_at is null`,
    [repository.id],
  );
  return rows.map(({ login, name, at }) => `${login}: ${name}, ${at.toISOString()}`).toSorted();
}

function total(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Builds the world of the naive evaluation from one repository. */
class NaiveWorldBuilder {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  repository(repository: Repository): PlainWorld {
    const { issues, pullRequests, discussions, stars, commits } = repository;
    return {
      people: this.#world.accounts.map(({ login, type }) => ({
        name: login,
        type: type === 'Bot' || login.endsWith('[bot]') ? 'bot' : type === 'Organization' ? 'organization' : 'user',
      })),
      items: [
        ...issues.flatMap((issue) => this.#issue(issue)),
        ...pullRequests.flatMap((pull) => this.#pullRequest(pull)),
        ...discussions.map((discussion) => this.#discussion(discussion)),
        ...stars.map(({ accountId, starredAt }) =>
          this.#item('star', { authorId: accountId, createdAt: starredAt }, { labels: [], reactions: [] }),
        ),
        ...commits.map((commit) => this.#commit(commit)),
      ],
    };
  }

  #personIndex(id: number | null | undefined): number | null {
    const account = id === undefined || id === null ? undefined : this.#world.accountById(id);
    return account === undefined || account.type === 'Mannequin' ? null : this.#world.accounts.indexOf(account);
  }

  #personIndexes(ids: readonly number[]): number[] {
    return [...new Set(ids)].map((id) => this.#personIndex(id)).filter((index) => index !== null);
  }

  #reactions({ reactions }: Reactable): Item['reactions'] {
    return reactions.map(({ content, accountId }) => ({ emoji: content, reactor: this.#personIndex(accountId) }));
  }

  #item(
    action: Item['action'],
    { authorId, createdAt }: { authorId: number | null; createdAt: Date },
    more: Partial<Item> = {},
  ): Item {
    return { ...emptyItem, action, author: this.#personIndex(authorId), createdAt: createdAt.getTime(), ...more };
  }

  #issue(issue: Repository['issues'][number]): Item[] {
    const closing = issue.closings.at(-1);
    const by = closing?.closer && 'pullRequestId' in closing.closer ? closing.closer.pullRequestId : undefined;
    const pulls = this.#world.repositories.flatMap(({ pullRequests }) => pullRequests);
    const resolver = this.#personIndex(pulls.find(({ id }) => id === by)?.authorId) ?? this.#personIndex(closing?.byId);
    return [
      this.#item('issue', issue, {
        closedAt: issue.closedAt?.getTime() ?? null,
        resolvedBy: issue.closedAt === null ? null : resolver,
        assignees: this.#personIndexes(issue.assigneeIds),
        comments: issue.comments.length,
        labels: issue.labels,
        reactions: this.#reactions(issue),
        reason: issue.stateReason,
      }),
      ...issue.comments.map((comment) =>
        this.#item('issue_comment', comment, { reactions: this.#reactions(comment), parentLabels: issue.labels }),
      ),
    ];
  }

  #pullRequest(pull: Repository['pullRequests'][number]): Item[] {
    const reviews = pull.reviews.filter(({ state }) => state !== 'PENDING');
    const toComment = (comment: (typeof pull.comments)[number], isAtLine: boolean): Item =>
      this.#item('pull_request_comment', comment, {
        isAtLine,
        reactions: this.#reactions(comment),
        parentLabels: pull.labels,
      });
    return [
      this.#item('pull_request', pull, {
        closedAt: pull.closedAt?.getTime() ?? null,
        mergedAt: pull.mergedAt?.getTime() ?? null,
        assignees: this.#personIndexes(pull.assigneeIds),
        reviewers: this.#personIndexes([...pull.requestedReviewerIds, ...reviews.map(({ authorId }) => authorId)]),
        comments: pull.comments.length + pull.reviewComments.length,
        additions: total(pull.files.map(({ additions }) => additions)),
        deletions: total(pull.files.map(({ deletions }) => deletions)),
        changedFiles: pull.files.length,
        commits: pull.commitCount,
        files: pull.files.map(({ path }) => path),
        labels: pull.labels,
        reactions: this.#reactions(pull),
      }),
      ...pull.comments.map((comment) => toComment(comment, false)),
      ...pull.reviewComments.map((comment) => toComment(comment, true)),
      ...reviews.map(({ authorId, submittedAt, createdAt }) =>
        this.#item('review', { authorId, createdAt: submittedAt ?? createdAt }),
      ),
    ];
  }

  #discussion(discussion: Repository['discussions'][number]): Item {
    const answer = discussion.comments.find(({ id }) => id === discussion.answerId);
    return this.#item('discussion', discussion, {
      closedAt: discussion.closedAt?.getTime() ?? null,
      answeredBy: this.#personIndex(answer?.authorId),
      answeredAt: discussion.answerChosenAt?.getTime() ?? null,
      comments: discussion.comments.length,
      upvotes: discussion.upvoterIds.length,
      labels: discussion.labels,
      reactions: this.#reactions(discussion),
    });
  }

  #commit({ author, coAuthors, authoredAt, changes }: Repository['commits'][number]): Item {
    const ids = [author, ...coAuthors].map(({ email }) => this.#world.accountByEmail(email)?.id);
    const [first, ...others] = ids.filter((id) => id !== undefined);
    return this.#item(
      'commit',
      { authorId: first ?? null, createdAt: authoredAt },
      { others: this.#personIndexes(others), files: [...changes.keys()] },
    );
  }
}
