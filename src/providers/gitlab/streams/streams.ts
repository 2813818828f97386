import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../../provider.ts';
import { existing } from '../../rest/checks.ts';
import type { RestClient } from '../../rest/client.ts';
import { type Step, stepForward, type Wanted } from '../../rest/lists.ts';
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
  const page = await readPage(asking, project, stream, position);
  return page ?? new Collector().toPage({ nextCursor: null, total: 0 });
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
  const additions = position.isDeep ? await readDeepIssues(asking, step.items) : readIssues(step.items);
  return toPage(additions, step, position);
}

async function readMergeRequestPage(
  asking: Asking,
  project: ProjectPayload,
  position: Position,
): Promise<ContributionPage | null> {
  const step = await stepThroughMergeRequests(asking, project, position);
  if (step === null) return null;
  const isStranger = asking.client.pace.tokens.length === 0;
  const read = position.isDeep ? readDeepMergeRequests : readMergeRequests;
  const additions = isStranger ? readBareMergeRequests(step.items) : await read(asking, step.items);
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

/** Who starred, the last first; whoever keeps their profile to themselves is not among them. */
async function readStars({ client, repository, call }: Asking, position: Position): Promise<ContributionPage | null> {
  const list = { path: `${projectPath(repository)}/starrers`, items: StarrersPayload };
  const step = await stepForward(client, list, { cursor: position.cursor, since: null }, call);
  if (step === null) return null;
  const collector = new Collector();
  for (const { starred_since: at, user } of step.items) {
    const author = collector.mention(user);
    if (author !== null) collector.add('star', author, { id: user.id, created_at: at, updated_at: at });
  }
  const { since } = position;
  const isKnown = since !== null && step.items.some(({ starred_since: at }) => Date.parse(at) < since.getTime());
  const nextCursor = isKnown ? null : step.nextCursor;
  return collector.toPage({ nextCursor, total: since === null ? step.total : null });
}
