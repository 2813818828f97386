import type { Static } from 'typebox';
import { AppError } from '../../../errors.ts';
import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../../provider.ts';
import { existing } from '../../rest/checks.ts';
import type { RestClient } from '../../rest/client.ts';
import { type Step, stepForward, stepFromOldest, type Wanted } from '../../rest/lists.ts';
import { stepByTime } from '../by-time.ts';
import {
  type IssuePayload,
  IssuesPayload,
  type MergeRequestPayload,
  MergeRequestsPayload,
  type ProjectPayload,
  StarrersPayload,
} from '../payloads.ts';
import { isShown, projectPath, readUnchanged } from '../projects.ts';
import { Collector } from './collector.ts';
import {
  type Addition,
  readBareMergeRequests,
  readDeepIssues,
  readDeepMergeRequests,
  readIssues,
  readMergeRequests,
} from './items.ts';
import type { Asking } from './notes.ts';

/** What can be read with a token. Comments are told thread by thread. */
export const streams: readonly Stream[] = [
  // There are no discussions, so all of them are known.
  { name: 'issues', covers: ['issue', 'discussion', 'issue_comment'] },
  { name: 'pull_requests', covers: ['pull_request', 'review', 'pull_request_comment', 'review_comment'] },
  { name: 'stars', covers: ['star'], isForInstalled: true },
];

/** Strangers are told nothing of what was written below. */
export const anonymousStreams: readonly Stream[] = [
  { name: 'issues', covers: ['issue', 'discussion'] },
  { name: 'pull_requests', covers: ['pull_request'] },
];

/** A page of a stream: issues and merge requests from the oldest on, stars from the newest. */
export async function readStream(
  client: RestClient,
  stream: string,
  repository: KnownRepository,
  position: Position,
  call: Call,
): Promise<ContributionPage> {
  // What is public no more would be shown to a token of a member all the same.
  const project = existing(await readUnchanged(client, repository, call));
  const asking = { client, repository, call };
  const page = await readPage(asking, project, stream, position).catch(unlessKeptFromStrangers(client));
  return page ?? new Collector().toPage({ nextCursor: null, total: 0 });
}

/** Nobody who is not signed in is told what was written below something, or who reviewed. */
export function isStranger(client: RestClient): boolean {
  return client.pace.tokens.length === 0;
}

/** Which parts of a project are for its members alone strangers are not told: a part is refused, and is nothing to them. */
export function unlessKeptFromStrangers(client: RestClient): (error: unknown) => null {
  return (error) => {
    if (isStranger(client) && error instanceof AppError && error.code === 'provider_denied') return null;
    throw error;
  };
}

function readPage(
  asking: Asking,
  project: ProjectPayload,
  stream: string,
  position: Position,
): Promise<ContributionPage | null> {
  switch (stream) {
    case 'issues':
      return readIssuePage(asking, project, position);
    case 'pull_requests':
      return readMergeRequestPage(asking, project, position);
    case 'stars':
      return readStars(asking, position);
    default:
      throw new Error(`there is no stream ${stream}`);
  }
}

async function readIssuePage(
  asking: Asking,
  project: ProjectPayload,
  position: Position,
): Promise<ContributionPage | null> {
  const step = await stepThroughIssues(asking, project, position);
  if (step === null) return null;
  const isDeep = position.isDeep && !isStranger(asking.client);
  const additions = isDeep ? await readDeepIssues(asking, step.items) : readIssues(step.items);
  return toPage(additions, step, position);
}

async function readMergeRequestPage(
  asking: Asking,
  project: ProjectPayload,
  position: Position,
): Promise<ContributionPage | null> {
  const step = await stepThroughMergeRequests(asking, project, position);
  if (step === null) return null;
  const read = position.isDeep ? readDeepMergeRequests : readMergeRequests;
  const additions = isStranger(asking.client) ? readBareMergeRequests(step.items) : await read(asking, step.items);
  return toPage(additions, step, position);
}

function toPage(
  additions: readonly Addition[],
  { nextCursor, total }: Step<unknown>,
  { since }: Pick<Position, 'since'>,
): ContributionPage {
  const collector = new Collector();
  for (const add of additions) add(collector);
  // Of what changed since a time, the count says nothing about all.
  return collector.toPage({ nextCursor, total: since === null ? total : null });
}

/** Null: there are none for those for whom it is read. */
export async function stepThroughIssues(
  { client, repository, call }: Asking,
  project: ProjectPayload,
  wanted: Wanted,
): Promise<Step<IssuePayload> | null> {
  if (!isShown(project.issues_access_level, repository.access)) return null;
  return stepByTime(client, issueList(repository), (issue) => issue, wanted, call);
}

/** Confidential issues of a public project are shown to its members, whom a token may be one of. */
export function issueList(repository: KnownRepository) {
  const query = { scope: 'all', state: 'all', ...(repository.access === null && { confidential: 'false' }) };
  return { path: `${projectPath(repository)}/issues`, query, items: IssuesPayload };
}

/** Null: there are none for those for whom it is read. */
export async function stepThroughMergeRequests(
  { client, repository, call }: Asking,
  project: ProjectPayload,
  wanted: Wanted,
): Promise<Step<MergeRequestPayload> | null> {
  if (!areMergeRequestsShown(project, repository)) return null;
  return stepByTime(client, mergeRequestList(repository), (mergeRequest) => mergeRequest, wanted, call);
}

export function areMergeRequestsShown(project: ProjectPayload, { access }: KnownRepository): boolean {
  return isShown(project.merge_requests_access_level, access) && isShown(project.repository_access_level, access);
}

export function mergeRequestList(repository: KnownRepository) {
  const query = { scope: 'all', state: 'all' };
  return { path: `${projectPath(repository)}/merge_requests`, query, items: MergeRequestsPayload };
}

/** How a place begins in a list that is read from its end. */
const fromEnd = 'from-end ';

/**
 * Who starred, the first first, so that new ones are looked for from the end; whoever keeps their profile to themselves is
 * not among them. A list that does not tell how long it is has no end to begin at, and is read whole.
 */
async function readStars(asking: Asking, position: Position): Promise<ContributionPage | null> {
  const { cursor, since } = position;
  if (cursor === null ? since === null : !cursor.startsWith(fromEnd)) return readStarsForward(asking, position);
  const wanted = { cursor: cursor === null ? null : cursor.slice(fromEnd.length), since: null };
  const step = await stepFromOldest(asking.client, starrersOf(asking), wanted, asking.call);
  if (step === null) return null;
  if (step.total === null) return readStarsForward(asking, { ...position, cursor: null });
  // The page on which the way begins is the first: it says nothing of what is new.
  const isKnown = cursor !== null && step.items.some(({ starred_since: at }) => isBefore(at, since));
  const nextCursor = isKnown || step.nextCursor === null ? null : `${fromEnd}${step.nextCursor}`;
  return starsPage(step.items, { nextCursor, total: null });
}

async function readStarsForward(asking: Asking, { cursor, since }: Position): Promise<ContributionPage | null> {
  const step = await stepForward(asking.client, starrersOf(asking), { cursor, since: null }, asking.call);
  return step && starsPage(step.items, { nextCursor: step.nextCursor, total: since === null ? step.total : null });
}

function starrersOf({ repository }: Asking) {
  return { path: `${projectPath(repository)}/starrers`, items: StarrersPayload };
}

function isBefore(at: string, since: Date | null): boolean {
  return since !== null && Date.parse(at) < since.getTime();
}

function starsPage(
  starrers: readonly Static<typeof StarrersPayload>[number][],
  end: Pick<ContributionPage, 'nextCursor' | 'total'>,
): ContributionPage {
  const collector = new Collector();
  for (const { starred_since: at, user } of starrers) {
    const author = collector.mention(user);
    if (author !== null) collector.add('star', author, { id: user.id, created_at: at, updated_at: at });
  }
  return collector.toPage(end);
}
