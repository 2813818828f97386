import { type Static, Type } from 'typebox';
import { v5 as uuidv5 } from 'uuid';
import type { RouteServices } from '../../../../accounts/resolve.ts';
import { formatTimestamp, TimestampSchema } from '../../../../http/pipeline/envelope.ts';
import { addEndpoint } from '../../../../http/pipeline/pipeline.ts';
import type { App } from '../../../../http/server/app.ts';
import { toPathPart } from '../../../../model/account.ts';
import { counted } from '../../../../model/text.ts';
import type { StoredBoard } from '../../board-store.ts';
import { findSeasons, type Season } from '../../seasons/season-store.ts';
import { BoardPath, boardDetails, boardPageUrl, boardUrl, readProvider, withBoard } from '../board-json.ts';
import { awaitRanking, findReadableBoard, mayReadSeason } from '../load-board.ts';
import { type FeedEvent, findFeedEvents, type Ranking } from '../view-store.ts';

/** An entry of a feed. */
interface FeedEntry {
  /** Unique and permanent. */
  id: string;
  title: string;
  text: string;
  /** The address of a page. */
  url: string;
  at: Date;
}

/** Characters that XML 1.0 does not allow (section 2.2) are replaced. */
const notAllowed = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const FeedItem = Type.Object(
  {
    id: Type.String(),
    title: Type.String({ examples: ['octocat leads'] }),
    text: Type.String({ examples: ['octocat came to lead with 43 points.'] }),
    url: Type.String({ format: 'uri' }),
    occurred_dttm: TimestampSchema(),
  },
  { title: 'BoardFeedEntry' },
);

const Query = Type.Object({
  format: Type.Optional(
    Type.Enum(['atom', 'json'], { description: '`atom` (RFC 4287), or the same entries as JSON.', default: 'atom' }),
  ),
});

const maxEntries = 50;

interface Loaded {
  stored: StoredBoard;
  ranking: Ranking;
  events: FeedEvent[];
  seasons: Season[];
}

/** Registers the feeds of boards. */
export function feedRoutes(app: App, services: RouteServices): void {
  const { connection, resolver, now } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards/:slug/feed',
    operationId: 'getBoardFeed',
    tag: 'Boards',
    summary: 'New leaders, newcomers and frozen seasons of a board, newest first',
    readers: 'public',
    params: BoardPath,
    query: Query,
    dataType: 'unknown',
    item: FeedItem,
    details: boardDetails,
    documents: ['application/atom+xml'],
    load: async (context): Promise<Loaded | undefined> => {
      const stored = await findReadableBoard(services, context, context.params.slug);
      const ranking = await awaitRanking(services, stored);
      if (ranking === undefined) return undefined;
      const events = await findFeedEvents(connection, { boardId: stored.id, limit: maxEntries });
      const seasons = await findSeasons(connection, stored.id, { limit: maxEntries });
      return { stored, ranking, events, seasons: seasons.filter((season) => mayReadSeason(season, context)) };
    },
    present: (loaded, { account, isOwner, query }) => {
      const { board, id } = loaded.stored;
      const url = boardUrl(services, account, board.slug);
      const page = boardPageUrl(services, account, board.slug);
      const entries = toEntries(loaded, page);
      const envelope = withBoard(board, loaded.ranking, isOwner, { data: entries.map(toItem) });
      const { coverage, asOf, since, builtAt, progress } = loaded.ranking;
      const updatedAt = entries[0]?.at ?? since ?? new Date(0);
      // Entries of the past appear with a ranking, and those of seasons between two.
      const modifiedAt = new Date(Math.max(builtAt.getTime(), updatedAt.getTime()));
      const result = { envelope, staleAt: resolver.staleAt(now()), isWithdrawable: board.isPrivate, modifiedAt };
      if (query.format === 'json') return result;
      const known = asOf === null ? '' : ` as of ${formatTimestamp(asOf)}`;
      const subtitle = `${coverage.complete} of ${coverage.repositories} repositories are complete${known}${formatWait(progress)}`;
      const self = `${url}/feed`;
      const body = toAtom({ id: `urn:uuid:${id}`, title: board.name, subtitle, self, page, updatedAt, entries });
      return { ...result, document: { contentType: 'application/atom+xml; charset=utf-8', body } as const };
    },
  });
}

/** Returns the reason for which repositories are not complete, and until when. */
function formatWait(progress: Ranking['progress']): string {
  if (progress === undefined) return '';
  const { reason, resumesAt } = progress;
  return ` (${reason}${resumesAt === undefined ? '' : ` until ${formatTimestamp(resumesAt)}`})`;
}

function toEntries({ stored: { id, board }, events, seasons }: Loaded, page: string): FeedEntry[] {
  const entries = events.map((event) => toEntry(event, { id, page, provider: readProvider(board) }));
  for (const { number, version, frozenAt, reason } of seasons) {
    entries.push({
      id: toUrn(id, `season:${number}:${version}`),
      title: version === 1 ? `Season ${number} is frozen` : `Season ${number} has version ${version}`,
      text: reason,
      url: `${page}?season=${number}`,
      at: frozenAt,
    });
  }
  return entries.toSorted((one, other) => other.at.getTime() - one.at.getTime()).slice(0, maxEntries);
}

function toItem({ at, ...entry }: FeedEntry): Static<typeof FeedItem> {
  return { ...entry, occurred_dttm: formatTimestamp(at) };
}

/**
 * Returns the permanent name of an event of a board: a UUID made of both (RFC 9562, section 5.5), because nothing may follow
 * the UUID in a `urn:uuid:` (section 4), and an address of this service changes with its host.
 */
function toUrn(boardId: string, event: string): string {
  return `urn:uuid:${uuidv5(event, boardId)}`;
}

function toEntry(event: FeedEvent, board: { id: string; page: string; provider: string }): FeedEntry {
  const { kind, at, accountId, name, provider, points } = event;
  const login = provider === board.provider ? name : `${provider}/${name}`;
  // Readers of feeds show an entry again when its id changes, as names do. A person is new once, but may lead again.
  const place = kind === 'leader' ? `${accountId}:${at.getTime()}` : accountId;
  return {
    id: toUrn(board.id, `${kind}:${place}`),
    title: kind === 'leader' ? `${name} leads` : `${name} is new`,
    text: `${name} ${kind === 'leader' ? 'came to lead with' : 'has'} ${counted(points, 'point')}.`,
    url: `${board.page}/people/${toPathPart(login)}`,
    at,
  };
}

/** Writes a feed in the Atom format (RFC 4287). */
function toAtom(feed: {
  id: string;
  title: string;
  subtitle: string;
  /** The address of the feed. */
  self: string;
  /** The address of the page with the same contents. */
  page: string;
  updatedAt: Date;
  entries: readonly FeedEntry[];
}): string {
  const { id, title, subtitle, self, page, updatedAt, entries } = feed;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(id)}</id>
<title>${escapeXml(title)}</title>
<subtitle>${escapeXml(subtitle)}</subtitle>
<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(page)}"/>
<updated>${formatTimestamp(updatedAt)}</updated>
<author><name>Plaudit</name></author>
${entries.map(toAtomEntry).join('')}</feed>
`;
}

function toAtomEntry({ id, title, text, url, at }: FeedEntry): string {
  return `<entry><id>${escapeXml(id)}</id><title>${escapeXml(title)}</title><link rel="alternate" type="text/html" href="${escapeXml(url)}"/><updated>${formatTimestamp(at)}</updated><content>${escapeXml(text)}</content></entry>
`;
}

function escapeXml(text: string): string {
  return text
    .replace(notAllowed, '\ufffd')
    .replace(/[&<>"]/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign]};`);
}
