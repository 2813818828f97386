import type { Static } from 'typebox';
import { isDenied } from '../../interface/denied.ts';
import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../../interface/provider.ts';
import { existing } from '../../rest/checks.ts';
import type { RestClient } from '../../rest/client.ts';
import { type Step, stepForward, stepFromOldest, type Wanted } from '../../rest/lists.ts';
import type { StreamContext } from '../../rest/streams.ts';
import { hasTokens } from '../../rest/views.ts';
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
  readBareMergeRequests,
  readDeepIssues,
  readDeepMergeRequests,
  readIssues,
  readMergeRequests,
} from './items.ts';

/** The streams that can be read with a token. Comments are read with the issue or merge request that they belong to. */
export const streams: readonly Stream[] = [
  // GitLab has no discussions, so the empty set of them is complete.
  { name: 'issues', covers: ['issue', 'discussion', 'issue_comment'] },
  { name: 'pull_requests', covers: ['pull_request', 'review', 'pull_request_comment', 'review_comment'] },
  { name: 'stars', covers: ['star'], isForInstalled: true },
];

/** The streams that can be read without a token, for which GitLab shows no comments and reviews. */
export const anonymousStreams: readonly Stream[] = [
  { name: 'issues', covers: ['issue', 'discussion'] },
  { name: 'pull_requests', covers: ['pull_request'] },
];

/** Reads a page of a stream: issues and merge requests from the oldest on, stars from the newest. */
export async function readStream(
  client: RestClient,
  stream: string,
  repository: KnownRepository,
  position: Position,
  call: Call,
): Promise<ContributionPage> {
  // The token of a member would also show a project that is no longer public.
  const project = existing(await readUnchanged(client, repository, call));
  const context = { client, repository, call };
  const page = await readPage(context, project, stream, position).catch(unlessKeptFromStrangers(client));
  return page ?? new Collector().toPage({ nextCursor: null, total: 0 });
}

/**
 * Returns a handler that turns the refusal of a part of a project into null. Without a token GitLab does not say which
 * parts only members see, and responds so for them (gitlabhq/gitlabhq, lib/api/helpers.rb, `forbidden!`). The refusals
 * of sign-in, proxies and firewalls say nothing about a project.
 */
export function unlessKeptFromStrangers(client: RestClient): (error: unknown) => null {
  return (error) => {
    if (!hasTokens(client) && isDenied(error) && error.reason === '403 Forbidden') return null;
    throw error;
  };
}

function readPage(
  context: StreamContext,
  project: ProjectPayload,
  stream: string,
  position: Position,
): Promise<ContributionPage | null> {
  switch (stream) {
    case 'issues':
      return readIssuePage(context, project, position);
    case 'pull_requests':
      return readMergeRequestPage(context, project, position);
    case 'stars':
      return readStars(context, position);
    default:
      throw new Error(`there is no stream ${stream}`);
  }
}

async function readIssuePage(
  context: StreamContext,
  project: ProjectPayload,
  position: Position,
): Promise<ContributionPage | null> {
  const step = await stepThroughIssues(context, project, position);
  if (step === null) return null;
  const isDeep = position.isDeep && hasTokens(context.client);
  const additions = isDeep ? await readDeepIssues(context, step.items) : readIssues(step.items);
  return new Collector().addAll(additions).toPageOf(step, position);
}

async function readMergeRequestPage(
  context: StreamContext,
  project: ProjectPayload,
  position: Position,
): Promise<ContributionPage | null> {
  const step = await stepThroughMergeRequests(context, project, position);
  if (step === null) return null;
  const read = position.isDeep ? readDeepMergeRequests : readMergeRequests;
  const additions = hasTokens(context.client) ? await read(context, step.items) : readBareMergeRequests(step.items);
  return new Collector().addAll(additions).toPageOf(step, position);
}

/** Reads a page of issues. @returns null when the readers of the project may not see its issues. */
export async function stepThroughIssues(
  { client, repository, call }: StreamContext,
  project: ProjectPayload,
  wanted: Wanted,
): Promise<Step<IssuePayload> | null> {
  if (!isShown(project.issues_access_level, repository.credentialName)) return null;
  const step = await stepByTime(client, issueList(repository), (issue) => issue, wanted, call);
  return step && { ...step, items: shownIssues(repository, step.items) };
}

/** Leaves out confidential issues of a public project, which a host may list although the request excludes them. */
export function shownIssues({ credentialName }: KnownRepository, issues: readonly IssuePayload[]): IssuePayload[] {
  return issues.filter(({ confidential }) => !confidential || credentialName !== null);
}

/** Returns the list of issues. Confidential ones of a public project are left out: a member's token would show them. */
export function issueList(repository: KnownRepository) {
  const query = { scope: 'all', state: 'all', ...(repository.credentialName === null && { confidential: 'false' }) };
  return { path: `${projectPath(repository)}/issues`, query, items: IssuesPayload };
}

/** Reads a page of merge requests. @returns null when the readers of the project may not see them. */
export async function stepThroughMergeRequests(
  { client, repository, call }: StreamContext,
  project: ProjectPayload,
  wanted: Wanted,
): Promise<Step<MergeRequestPayload> | null> {
  if (!areMergeRequestsShown(project, repository)) return null;
  return stepByTime(client, mergeRequestList(repository), (mergeRequest) => mergeRequest, wanted, call);
}

export function areMergeRequestsShown(project: ProjectPayload, { credentialName }: KnownRepository): boolean {
  return (
    isShown(project.merge_requests_access_level, credentialName) &&
    isShown(project.repository_access_level, credentialName)
  );
}

export function mergeRequestList(repository: KnownRepository) {
  const query = { scope: 'all', state: 'all' };
  return { path: `${projectPath(repository)}/merge_requests`, query, items: MergeRequestsPayload };
}

/** The beginning of a cursor in a list that is read from its end. */
const fromEnd = 'from-end ';

/**
 * Reads a page of stars. The list has the oldest first, so that new ones are read from its end, and lacks users with a
 * private profile. A list whose length GitLab does not report is read as a whole.
 */
async function readStars(context: StreamContext, position: Position): Promise<ContributionPage | null> {
  const { cursor, since } = position;
  if (cursor === null ? since === null : !cursor.startsWith(fromEnd)) return readStarsForward(context, position);
  const wanted = { cursor: cursor === null ? null : cursor.slice(fromEnd.length), since: null };
  const step = await stepFromOldest(context.client, starrersOf(context), wanted, context.call);
  if (step === null) return null;
  if (step.total === null) return readStarsForward(context, { ...position, cursor: null });
  // The first request is for page 1, which holds the oldest stars: an old star there does not end the reading.
  const isKnown = cursor !== null && step.items.some(({ starred_since: at }) => isBefore(at, since));
  const nextCursor = isKnown || step.nextCursor === null ? null : `${fromEnd}${step.nextCursor}`;
  return collectStars(step.items).toPage({ nextCursor, total: null });
}

async function readStarsForward(context: StreamContext, position: Position): Promise<ContributionPage | null> {
  const wanted = { cursor: position.cursor, since: null };
  const step = await stepForward(context.client, starrersOf(context), wanted, context.call);
  return step && collectStars(step.items).toPageOf(step, position);
}

function starrersOf({ repository }: StreamContext) {
  return { path: `${projectPath(repository)}/starrers`, items: StarrersPayload };
}

function isBefore(at: string, since: Date | null): boolean {
  return since !== null && Date.parse(at) < since.getTime();
}

function collectStars(starrers: Readonly<Static<typeof StarrersPayload>>): Collector {
  const collector = new Collector();
  for (const { starred_since: at, user } of starrers) {
    const author = collector.mention(user);
    if (author !== null) collector.add('star', author, { id: user.id, created_at: at, updated_at: at });
  }
  return collector;
}
