import {
  addCommit,
  addDiscussion,
  addIssue,
  addPullRequest,
  addRepository,
  addReview,
} from '../../simulators/world/activity.ts';
import { addComment, addDiscussionComment } from '../../simulators/world/comments.ts';
import type { Account, Discussion, Issue, PullRequest, Repository } from '../../simulators/world/model.ts';
import { closeItem } from '../../simulators/world/mutations.ts';
import type { Random } from '../../simulators/world/random.ts';
import { star } from '../../simulators/world/repository-changes.ts';
import { label } from '../../simulators/world/threads.ts';
import type { World } from '../../simulators/world/world.ts';
import { accountCalled, type Member, members, privateRepositories, repositories, toAddress } from './community.ts';
import { issueTitles, pullRequestTitles, questions } from './titles.ts';

/** Everything that happens in the sample's world, in the order of time. */

/** A change of the world at a time. */
export interface Happening {
  at: number;
  happen: () => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The days before the last one on which the first person contributes without a break. */
const streakDays = 23;

/** Plans the life of the community until a time. The world's clock has to show the time of each happening. */
export function planLife(world: World, random: Random, until: number): Happening[] {
  return plan(world, random, until, (life) => planPeople(life, until));
}

/**
 * Plans happenings until a time.
 * @param fill adds them, in any order.
 */
export function plan(world: World, random: Random, until: number, fill: (life: Life) => void): Happening[] {
  const planned: Happening[] = [];
  const add: Life['plan'] = (at, happen) => {
    if (at < until) planned.push({ at, happen });
  };
  fill({ world, random, plan: add });
  return planned.toSorted((one, other) => one.at - other.at);
}

function planPeople(life: Life, until: number): void {
  const { world } = life;
  for (const { path, createdAt, description, language } of repositories) {
    life.plan(Date.parse(createdAt), () => {
      const [owner = '', name = ''] = path.split('/');
      const license = { name: 'MIT License', spdxId: 'MIT' };
      const ownerId = accountCalled(world, owner).id;
      addRepository(world, { ownerId, name, description, language, license, createdAt: world.now() });
    });
  }
  for (const member of members) {
    for (let day = Date.parse(member.since); day < until; day += dayMs) planDay(life, member, day, until);
  }
}

export interface Life {
  world: World;
  random: Random;
  plan: (at: number, happen: () => void) => void;
}

function planDay(life: Life, member: Member, day: number, until: number): void {
  const { random } = life;
  const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
  const isHoliday = [6, 11].includes(new Date(day).getUTCMonth()) && new Date(day).getUTCDate() > 17;
  const isInStreak = member === members[0] && until - day < streakDays * dayMs;
  // People do more each year.
  const growth = 0.35 + 0.65 * Math.max(0, 1 - (until - day) / (3.2 * 365 * dayMs));
  const chance = member.energy * growth * (isWeekend ? 0.3 : 1) * (isHoliday ? 0.25 : 1);
  if (!isInStreak && !random.chance(chance)) return;
  planWork(life, member, { path: pickPlace(random, member, day), day, hasPullRequest: isInStreak });
}

interface Work {
  path: string;
  day: number;
  /** True when the person opens a pull request in any case. */
  hasPullRequest: boolean;
}

/** Plans what a person does in a repository on a day. */
export function planWork(life: Life, member: Member, { path, day, hasPullRequest }: Work): void {
  const { random } = life;
  const at = day + random.integer(7, 20) * hourMs + random.integer(0, 3599) * 1000;
  for (let commits = random.integer(0, 2); commits > 0; commits -= 1)
    planCommit(life, member, path, at + commits * 900_000);
  if (hasPullRequest || random.chance(0.35)) planPullRequest(life, member, path, at + hourMs);
  if (random.chance(0.18)) planIssue(life, member, path, at + 2 * hourMs);
  if (random.chance(0.04)) planDiscussion(life, member, path, at + 3 * hourMs);
  if (random.chance(0.05)) life.plan(at, () => star(life.world, repositoryAt(life.world, path), who(life, member)));
}

/** Picks a repository that exists on a day, the first ones more often. */
function pickPlace(random: Random, member: Member, day: number): string {
  const existing = new Set(repositories.filter(({ createdAt }) => Date.parse(createdAt) < day).map(({ path }) => path));
  const places = member.places.filter((path) => existing.has(path));
  const index = Math.min(random.integer(0, places.length - 1), random.integer(0, places.length - 1));
  return places[index] ?? '';
}

function planCommit(life: Life, member: Member, path: string, at: number): void {
  const { world, random } = life;
  const message = random.pick(pullRequestTitles);
  life.plan(at, () => addCommit(world, repositoryAt(world, path), { author: toPerson(member), message }));
}

function planPullRequest(life: Life, member: Member, path: string, at: number): void {
  const { world, random, plan } = life;
  const title = random.pick(pullRequestTitles);
  const labels = [...(random.chance(0.3) ? ['harvest'] : []), ...(random.chance(0.2) ? ['bug'] : [])];
  const others = colleagues(member, path, at);
  let pull: PullRequest | undefined;
  plan(at, () => {
    const files = [{ path: 'src/index.ts', additions: random.integer(3, 180), deletions: random.integer(0, 60) }];
    pull = addPullRequest(world, repositoryAt(world, path), { author: who(life, member), files });
    pull.title = title;
    for (const one of labels) label(world, pull, one);
  });
  let readAt = at;
  for (const reviewer of others.slice(0, random.integer(1, 2))) {
    readAt += random.integer(1, 20) * hourMs;
    const state = random.chance(0.75) ? 'APPROVED' : random.chance(0.5) ? 'COMMENTED' : 'CHANGES_REQUESTED';
    plan(readAt, () => pull && addReview(world, pull, { author: who(life, reviewer), state }));
    if (random.chance(0.3)) {
      plan(readAt + hourMs, () => pull && addComment(world, pull, { author: who(life, member), body: 'Thank you!' }));
    }
  }
  const merger = others[0];
  if (merger === undefined || random.chance(0.06)) return;
  const isMerged = random.chance(0.93);
  plan(readAt + random.integer(1, 30) * hourMs, () => {
    if (pull === undefined) return;
    closeItem(world, pull, { merged: isMerged, by: who(life, merger) });
    if (isMerged) addCommit(world, repositoryAt(world, path), { author: toPerson(member), message: title });
  });
}

function planIssue(life: Life, member: Member, path: string, at: number): void {
  const { world, random, plan } = life;
  const title = random.pick(issueTitles);
  const kind = random.pick(['bug', 'idea', 'good first issue']);
  const others = colleagues(member, path, at);
  let issue: Issue | undefined;
  plan(at, () => {
    issue = addIssue(world, repositoryAt(world, path), { author: who(life, member) });
    issue.title = title;
    label(world, issue, kind);
  });
  for (const other of others.slice(0, random.integer(0, 2))) {
    const body = 'I can have a look.';
    plan(
      at + random.integer(1, 40) * hourMs,
      () => issue && addComment(world, issue, { author: who(life, other), body }),
    );
  }
  const closer = others[random.integer(0, 2)] ?? member;
  if (random.chance(0.8)) {
    plan(at + random.integer(2, 30) * dayMs, () => issue && closeItem(world, issue, { by: who(life, closer) }));
  }
}

function planDiscussion(life: Life, member: Member, path: string, at: number): void {
  const { world, random, plan } = life;
  const title = random.pick(questions);
  const helper = colleagues(member, path, at)[random.integer(0, 1)];
  let discussion: Discussion | undefined;
  plan(at, () => {
    discussion = addDiscussion(world, repositoryAt(world, path), { author: who(life, member) });
    discussion.title = title;
  });
  if (helper === undefined) return;
  plan(at + random.integer(2, 50) * hourMs, () => {
    if (discussion === undefined) return;
    addDiscussionComment(world, discussion, { author: who(life, helper), body: 'Like this.', isAnswer: true });
  });
}

/** Returns the other people who work on a repository at a time, in an order that changes from day to day. */
export function colleagues(member: Member, path: string, at: number): Member[] {
  const others = members.filter((one) => one !== member && worksOn(one, path) && Date.parse(one.since) < at);
  const first = others.length === 0 ? 0 : Math.floor(at / dayMs) % others.length;
  return [...others.slice(first), ...others.slice(0, first)];
}

function worksOn({ login, places }: Member, path: string): boolean {
  return places.includes(path) || privateRepositories.some((one) => one.path === path && one.people.includes(login));
}

export function toPerson({ login, name }: Member): { name: string; email: string } {
  return { name, email: toAddress(login) };
}

export function who({ world }: Life, { login }: Member): Account {
  return accountCalled(world, login);
}

/**
 * Returns a repository of the world.
 * @throws {Error} when there is none.
 */
export function repositoryAt(world: World, path: string): Repository {
  const [owner = '', name = ''] = path.split('/');
  const repository = world.repository(owner, name);
  if (repository === undefined) throw new Error(`the sample has no repository ${path}`);
  return repository;
}
