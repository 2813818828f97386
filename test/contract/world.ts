import {
  addCommit,
  addIssue,
  addPullRequest,
  addRepository,
  addReview,
  submitReview,
} from '../../simulators/world/activity.ts';
import { addComment, addReviewComment } from '../../simulators/world/comments.ts';
import type { Account, Issue, PullRequest, Repository } from '../../simulators/world/model.ts';
import { closeItem } from '../../simulators/world/mutations.ts';
import { addAccount } from '../../simulators/world/people.ts';
import { react } from '../../simulators/world/reactions.ts';
import { star } from '../../simulators/world/repository-changes.ts';
import { assign, label, requestReview } from '../../simulators/world/threads.ts';
import { World } from '../../simulators/world/world.ts';
import type { KnownAccount, KnownRepository } from '../../src/hosts/interface/provider.ts';
import { clock } from '../time.ts';

/** A small world that every code host can report completely. The simulators have tokens of its people. */
export interface ContractWorld {
  world: World;
  now: () => Date;
  /** Moves the clock forward. */
  advance: (seconds: number) => void;
  people: Record<'ada' | 'olive' | 'max' | 'deleted', Account>;
  organization: Account;
  /** A public repository with everything in it, a private one, an empty one, and a fork of the first. */
  repositories: Record<'handbook' | 'plans' | 'empty' | 'fork', Repository>;
  issues: Issue[];
  pulls: PullRequest[];
}

/** Returns the public repository of the world, as it is stored. */
export function toHandbook({ organization, repositories }: ContractWorld): KnownRepository {
  const { id, name, defaultBranch } = repositories.handbook;
  return { owner: organization.login, name, handle: String(id), defaultBranch, credentialName: null };
}

/** Returns the organization of the world, as it is stored. */
export function toOrganization({ organization: { id, login } }: Pick<ContractWorld, 'organization'>): KnownAccount {
  return { externalId: String(id), handle: '', type: 'organization', name: login, memory: null };
}

/** Turns comments in reviews into approvals, for hosts that show such a review by its comments alone. */
export function approveCommented({ repositories }: World): void {
  for (const { reviews } of repositories.flatMap(({ pullRequests }) => pullRequests)) {
    for (const review of reviews) if (review.state === 'COMMENTED') review.state = 'APPROVED';
  }
}

const foundedAt = new Date('2025-03-01T09:00:00Z');

export function createContractWorld(): ContractWorld {
  const { now, advance } = clock();
  const world = new World(now);
  const people = addCast(world);
  const organization = addAccount(world, {
    type: 'Organization',
    login: 'analytical-engines',
    createdAt: foundedAt,
    name: 'Analytical Engines',
    bio: 'Engines, with "notes" & <tags>.',
    websiteUrl: 'https://engines.example',
  });
  join(world, organization, people.olive, 'admin');
  join(world, organization, people.max, 'member');
  const repositories = addRepositories(world, organization, people);
  const { issues, pulls } = fill({ world, advance, people, repositories });
  people.deleted.isDeleted = true;
  world.markChanged();
  advance(3600);
  return { world, now, advance, people, organization, repositories, issues, pulls };
}

function addCast(world: World): ContractWorld['people'] {
  const person = (login: string, described: Partial<Account> = {}): Account =>
    addAccount(world, { login, createdAt: foundedAt, emails: [`${login}@mail.example`], ...described });
  return {
    ada: person('ada-lovelace', {
      name: 'Ada Lovelace',
      bio: 'Poetical science.',
      websiteUrl: 'https://ada.example',
      emails: ['ada@mail.example', 'Ada.Lovelace@Work.Example'],
      followers: 1843,
      following: 12,
    }),
    olive: person('olive-admin', { name: 'زيتون' }),
    max: person('max-member'),
    deleted: person('gone-babbage'),
  };
}

function join(world: World, organization: Account, account: Account, role: 'admin' | 'member'): void {
  world.memberships.push({ organizationId: organization.id, accountId: account.id, role, state: 'active' });
  world.markChanged();
}

function addRepositories(
  world: World,
  { id: ownerId }: Account,
  { ada }: ContractWorld['people'],
): ContractWorld['repositories'] {
  const described = { createdAt: foundedAt, hasDiscussions: false, license: null };
  return {
    handbook: addRepository(world, {
      ...described,
      ownerId,
      name: 'handbook',
      description: 'How engines are kept',
      language: 'TypeScript',
    }),
    plans: addRepository(world, { ...described, ownerId, name: 'secret-plans', visibility: 'private' }),
    empty: addRepository(world, { ...described, ownerId, name: 'empty' }),
    fork: addRepository(world, { ...described, ownerId: ada.id, name: 'handbook', isFork: true }),
  };
}

function fill({
  world,
  advance,
  people: { ada, olive, max, deleted },
  repositories: { handbook, plans, fork },
}: Pick<ContractWorld, 'world' | 'advance' | 'people' | 'repositories'>): Pick<ContractWorld, 'issues' | 'pulls'> {
  const issues: Issue[] = [];
  const pulls: PullRequest[] = [];
  for (const [index, author] of [ada, max, deleted, ada, olive].entries()) {
    advance(600);
    issues.push(addIssue(world, handbook, { author }));
    const pull = addPullRequest(world, handbook, { author, isDraft: index === 1 });
    pulls.push(pull);
    advance(60);
    addCommit(world, handbook, {
      author: { name: author.login, email: author.emails[index % 2] ?? 'lost@mail.example' },
    });
  }
  addCommit(world, handbook, { author: { name: 'Nobody', email: 'nobody@elsewhere.example' } });
  addCommit(world, plans, { author: { name: 'Olive', email: 'olive-admin@mail.example' } });
  addIssue(world, plans, { author: max });
  const [firstIssue, secondIssue, thirdIssue] = issues;
  const [firstPull, secondPull, thirdPull] = pulls;
  if (!firstIssue || !secondIssue || !thirdIssue || !firstPull || !secondPull || !thirdPull)
    throw new Error('the world is too small');
  addReview(world, firstPull, { author: olive });
  const draft = addReview(world, firstPull, { author: max, state: 'PENDING', createdAt: firstPull.createdAt });
  submitReview(world, firstPull, draft, 'COMMENTED');
  addReview(world, firstPull, { author: deleted, state: 'CHANGES_REQUESTED' });
  const [review] = firstPull.reviews;
  addReviewComment(world, firstPull, { author: olive, ...(review && { review }) });
  requestReview(world, secondPull, ada);
  addComment(world, firstIssue, { author: max });
  addComment(world, firstPull, { author: ada });
  const comment = addComment(world, firstIssue, { author: deleted });
  for (const target of [firstIssue, firstPull, comment]) react(world, target, { by: ada, content: 'HEART' });
  react(world, firstIssue, { by: max, content: 'THUMBS_UP' });
  handbook.files.set('.plaudit/config.yaml', 'version: 0.0.1\n# Überraschung\n');
  firstPull.files = [{ path: 'guide/engines.md', additions: 5, deletions: 2 }];
  label(world, firstIssue, 'bug');
  label(world, firstPull, 'docs');
  assign(world, firstIssue, olive);
  advance(60);
  closeItem(world, firstPull, { merged: true, by: olive });
  closeItem(world, thirdPull, { by: olive });
  closeItem(world, firstIssue, { by: olive, closer: firstPull });
  closeItem(world, secondIssue, { by: max });
  for (const by of [ada, max]) star(world, handbook, by);
  star(world, fork, max);
  return { issues, pulls };
}
