import { type Static, type TArray, Type } from 'typebox';
import { isDenied } from '../interface/denied.ts';
import { knownTotals } from '../interface/polls.ts';
import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../interface/provider.ts';
import { existing, readCursor } from '../rest/checks.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { type List, readPage, type Step, stepForward, stepFromOldest, toSeconds, type Wanted } from '../rest/lists.ts';
import type { StreamContext } from '../rest/streams.ts';
import { hasTokens } from '../rest/views.ts';
import {
  Collector,
  readBareMergeRequests,
  readDeepIssues,
  readDeepMergeRequests,
  readIssues,
  readMergeRequests,
} from './items.ts';
import {
  IdentifiedPayload,
  type IssuePayload,
  IssuesPayload,
  type MergeRequestPayload,
  MergeRequestsPayload,
  type ProjectPayload,
  StarrersPayload,
} from './payloads.ts';
import { isShown, projectPath, readUnchanged, toListed } from './projects.ts';

const Place = Type.Object({
  /** The page holds items that were created, or changed, at this time or later. */
  after: Type.Union([Type.String(), Type.Null()]),
  /** Number of the page after that time. It is above 1 only where a whole page of items has the same time. */
  page: Type.Integer({ minimum: 1 }),
  /** In a list of changes, the time after which changes are left to the next reading. */
  before: Type.Union([Type.String(), Type.Null()]),
  /** Length of the list when its reading began. */
  total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
});
type Place = Static<typeof Place>;

interface Dated {
  created_at: string;
  updated_at: string | null;
}

/** The items that changed last. There are few of them, because every part of an item costs a request. */
const newest = { order_by: 'updated_at', sort: 'desc', per_page: '5' };
const onePerPage = { per_page: '1' };

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
export const readStream: RestReaders['readStream'] = async (client, stream, repository, position, call) => {
  // The token of a member would also show a project that is no longer public.
  const project = existing(await readUnchanged(client, repository, call));
  const context = { client, repository, call };
  const page = await readStreamPage(context, project, stream, position).catch(unlessKeptFromStrangers(client));
  return page ?? new Collector().toPage({ nextCursor: null, total: 0 });
};

/**
 * Returns a handler that turns the refusal of a part of a project into null. Without a token GitLab does not say which
 * parts only members see, and responds so for them (gitlabhq/gitlabhq, lib/api/helpers.rb, `forbidden!`). The refusals
 * of sign-in, proxies and firewalls say nothing about a project.
 */
function unlessKeptFromStrangers(client: RestClient): (error: unknown) => null {
  return (error) => {
    if (!hasTokens(client) && isDenied(error) && error.reason === '403 Forbidden') return null;
    throw error;
  };
}

function readStreamPage(
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
  return new Collector().addAll(additions).toStepPage(step, position);
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
  return new Collector().addAll(additions).toStepPage(step, position);
}

/** Reads a page of issues. @returns null when the readers of the project may not see its issues. */
async function stepThroughIssues(
  { client, repository, call }: StreamContext,
  project: ProjectPayload,
  wanted: Wanted,
): Promise<Step<IssuePayload> | null> {
  if (!isShown(project.issues_access_level, repository.credentialName)) return null;
  const step = await stepByTime(client, issueList(repository), (issue) => issue, wanted, call);
  return step && { ...step, items: shownIssues(repository, step.items) };
}

/** Leaves out confidential issues of a public project, which a host may list although the request excludes them. */
function shownIssues({ credentialName }: KnownRepository, issues: readonly IssuePayload[]): IssuePayload[] {
  return issues.filter(({ confidential }) => !confidential || credentialName !== null);
}

/** Returns the list of issues. Confidential ones of a public project are left out: a member's token would show them. */
function issueList(repository: KnownRepository) {
  const query = { scope: 'all', state: 'all', ...(repository.credentialName === null && { confidential: 'false' }) };
  return { path: `${projectPath(repository)}/issues`, query, items: IssuesPayload };
}

/** Reads a page of merge requests. @returns null when the readers of the project may not see them. */
async function stepThroughMergeRequests(
  { client, repository, call }: StreamContext,
  project: ProjectPayload,
  wanted: Wanted,
): Promise<Step<MergeRequestPayload> | null> {
  if (!areMergeRequestsShown(project, repository)) return null;
  return stepByTime(client, mergeRequestList(repository), (mergeRequest) => mergeRequest, wanted, call);
}

function areMergeRequestsShown(project: ProjectPayload, { credentialName }: KnownRepository): boolean {
  return (
    isShown(project.merge_requests_access_level, credentialName) &&
    isShown(project.repository_access_level, credentialName)
  );
}

function mergeRequestList(repository: KnownRepository) {
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
  const step = await stepFromOldest(context.client, toStarrersList(context), wanted, context.call);
  if (step === null) return null;
  if (step.total === null) return readStarsForward(context, { ...position, cursor: null });
  // The first request is for page 1, which holds the oldest stars: an old star there does not end the reading.
  const isKnown = cursor !== null && step.items.some(({ starred_since: at }) => isBefore(at, since));
  const nextCursor = isKnown || step.nextCursor === null ? null : `${fromEnd}${step.nextCursor}`;
  return collectStars(step.items).toPage({ nextCursor, total: null });
}

async function readStarsForward(context: StreamContext, position: Position): Promise<ContributionPage | null> {
  const wanted = { cursor: position.cursor, since: null };
  const step = await stepForward(context.client, toStarrersList(context), wanted, context.call);
  return step && collectStars(step.items).toStepPage(step, position);
}

function toStarrersList({ repository }: StreamContext) {
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

/** Reads a repository with the items that changed last, and their reactions, which are in no list of changes. */
export const readTip: RestReaders['readTip'] = async (client, repository, call) => {
  const now = await readUnchanged(client, repository, call);
  // A lookup by name determines the repository's new state.
  if (now === null) return null;
  const context = { client, repository, call };
  const issues: readonly IssuePayload[] = isShown(now.issues_access_level, repository.credentialName)
    ? shownIssues(repository, (await readShown(client, withQuery(issueList(repository), newest), call))?.items ?? [])
    : [];
  const mergeRequests: readonly MergeRequestPayload[] = areMergeRequestsShown(now, repository)
    ? ((await readShown(client, withQuery(mergeRequestList(repository), newest), call))?.items ?? [])
    : [];
  const additions = hasTokens(client)
    ? [...(await readDeepIssues(context, issues)), ...(await readDeepMergeRequests(context, mergeRequests))]
    : [...readIssues(issues), ...readBareMergeRequests(mergeRequests)];
  const page = new Collector().addAll(additions).toPage({ nextCursor: null, total: null });
  const [listed] = await toListed(client, [now], repository.credentialName, call);
  return listed === undefined ? null : { repository: listed, page };
};

/**
 * Reads the totals of the streams that can be compared with stored ones. GitLab does not count comments, and counts
 * commits only for members.
 */
export const readTotals: RestReaders['readTotals'] = async (client, repository, call) => {
  const path = projectPath(repository);
  const project = existing(await readUnchanged(client, repository, call, { withStatistics: true }));
  const readTotal = async (list: Pick<List<typeof IdentifiedPayload>, 'path' | 'query'>) =>
    (await readShown(client, withQuery({ ...list, items: IdentifiedPayload }, onePerPage), call))?.total;
  const hasIssues = isShown(project.issues_access_level, repository.credentialName);
  const hasMergeRequests = areMergeRequestsShown(project, repository);
  const starrers = withQuery({ path: `${path}/starrers`, items: Type.Array(Type.Unknown()) }, onePerPage);
  return knownTotals({
    commits: project.empty_repo === true ? 0 : project.statistics?.commit_count,
    issues: hasIssues ? await readTotal(issueList(repository)) : 0,
    pull_requests: hasMergeRequests ? await readTotal(mergeRequestList(repository)) : 0,
    stars: hasTokens(client) ? (await readPage(client, starrers, 1, call))?.total : undefined,
  });
};

/** Reads the first page of a list; null when the readers of the project may not see it. */
function readShown<Items extends TArray>(client: RestClient, list: List<Items>, call: Call) {
  return readPage(client, list, 1, call).catch(unlessKeptFromStrangers(client));
}

function withQuery<Items extends TArray>(list: List<Items>, more: Record<string, string>): List<Items> {
  return { ...list, query: { ...list.query, ...more } };
}

/**
 * Reads the next page of issues or merge requests by the time of their creation or, in a list of changes, of their last
 * change: each page begins at the time at which the last one ended. Added items come later, and removed ones move no
 * others, so no item is missed. The length of the list, which GitLab does not report above 10,000, is not needed.
 */
async function stepByTime<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  readDates: (item: Static<Items>[number]) => Dated,
  { cursor, since }: Wanted,
  call: Call,
): Promise<Step<Static<Items>[number]> | null> {
  const place = cursor === null ? null : readCursor(Place, cursor);
  const by = since === null ? 'created' : 'updated';
  const after = place?.after ?? since?.toISOString() ?? null;
  const query = {
    ...list.query,
    order_by: `${by}_at`,
    sort: 'asc',
    ...(after !== null && { [`${by}_after`]: after }),
    ...(place !== null && place.before !== null && { [`${by}_before`]: place.before }),
  };
  const read = await readPage(client, { ...list, query }, place?.page ?? 1, call);
  if (read === null) return null;
  const { items } = read;
  const last = items.map((item) => readDates(item)[`${by}_at`]).findLast((at) => at !== null);
  const hasMoved = last !== undefined && (after === null || Date.parse(last) > Date.parse(after));
  const next: Place = {
    // An instance may send times with the offset of its own time zone.
    after: hasMoved ? new Date(last).toISOString() : after,
    page: hasMoved ? 1 : (place?.page ?? 1) + 1,
    before: since === null ? null : (place?.before ?? toSeconds(read.respondedAt)),
    total: place === null ? read.total : place.total,
  };
  const isEnd = read.lastPage <= (place?.page ?? 1);
  return { items, total: next.total, nextCursor: isEnd ? null : JSON.stringify(next) };
}
