import type { IncomingHttpHeaders } from 'node:http';
import { type TObject, type TProperties, Type } from 'typebox';
import type { Explanation } from '../../model/errors.ts';
import type { Envelope } from './envelope.ts';

/** The data that a card is drawn from: a response, and facts that only cards show. */
export interface CardInput {
  envelope: Envelope;
  /** The number of items after those of the response. */
  further?: number;
  /** True when bots are left out of the people, whom the list as JSON has. */
  leavesOutBots?: boolean;
  /** Ids of the repositories that define images, by image URL. An image is stored as long as its repository. */
  repositoriesOfImages?: ReadonlyMap<string, string>;
  calendar?: CalendarInput;
  /** The streaks in the calendar. */
  streaks?: StreaksInput;
  languages?: LanguagesInput;
  /** The account or the repository whose people are listed. */
  of?: string;
  /** For each award of the response, the number of people who hold its achievement. The count stops at 101. */
  holders?: readonly number[];
  /** The achievement that an account is closest to: `present` of the `wanted` contributions are done. */
  next?: { name: string; icon_url: string; present: number; wanted: number };
  /** Images as data URLs, by their addresses. Drawing a card fetches nothing. */
  images?: ReadonlyMap<string, string>;
  /** The address below which this service serves avatars. It has no image where a response shows such an address. */
  avatarsUrl?: string;
  /** True when the counters hold only collected contributions, because the provider has no totals of its own. */
  countsCollected?: boolean;
}

/** The languages of the files that an account's commits change. */
export interface LanguagesInput {
  /** The most changed language first; colours are `#rrggbb`. */
  languages: readonly { name: string; colour?: string | undefined; files: number }[];
  /** The numbers of changed files of all languages, and of the languages that are not listed. */
  files: number;
  otherFiles: number;
  /** True when there are languages, and the request leaves out all of them. */
  areAllHidden: boolean;
  includesPrivate: boolean;
}

/** A calendar of contributions of at most 371 days. */
export interface CalendarInput {
  /** The provider's own calendar, or days computed from the contributions collected here. */
  source: 'provider' | 'collected';
  /** The first and the last day, `YYYY-MM-DD`. */
  from: string;
  until: string;
  /** Days with at least one contribution, oldest first. */
  days: readonly DayOfContributions[];
  /** Contributions on all days, as the source sums them. */
  total: number;
  /** True when `days` and `total` include private contributions. */
  includesPrivate: boolean;
}

/** The streak that still goes on and the longest streak of a calendar. */
export interface StreaksInput {
  unit: 'day' | 'week';
  /** Weekdays that end no streak, 1 Monday to 7 Sunday. */
  daysOff: readonly number[];
  current: StreakInput;
  longest: StreakInput;
}

export interface StreakInput {
  /** The number of days or weeks. */
  length: number;
  /** The first and the last day, `YYYY-MM-DD`; null for a length of 0. */
  from: string | null;
  until: string | null;
}

interface DayOfContributions {
  /** `YYYY-MM-DD`, in UTC or as the provider assigns contributions to days. */
  day: string;
  contributions: number;
}

export const imageFormats = ['svg', 'png'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** Parameters of a URL, parsed by their schemas or raw. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A requested card. */
export interface ImageRequest {
  card: string;
  format: ImageFormat;
  /** The parameters of the URL; the names in its lists are as the card has them. */
  query: Parameters;
  /** The canonical form of the request, so that equivalent requests share one cache key. */
  key: string;
}

/** A drawn card, ready to send. */
export interface CardImage {
  body: Buffer;
  contentType: 'image/svg+xml; charset=utf-8' | 'image/png';
  /** False while a part of the card is still being fetched, so that it has to be drawn again soon. */
  isFinal: boolean;
}

/** An error as cards show it. */
export interface CardProblem {
  status: number;
  message: string;
  /** The message in phrases of the reader's language; empty where only the English message exists. */
  explanations: readonly Explanation[];
}

/** Draws responses as cards. */
export interface CardImages {
  /** The URL parameters of card options. */
  parameters: TProperties;
  /**
   * Reads the request for a card.
   * @param query parameters of the card's URL, parsed by their schemas.
   * @throws AppError `invalid_input` when the card has no such parts.
   */
  request(card: string, format: ImageFormat, query: Parameters): ImageRequest;
  /**
   * Draws a card.
   * @param deadline the time until which the card may wait for images from other hosts.
   * @throws AppError `rate_limited` when too many cards are waiting to be drawn.
   */
  draw(request: ImageRequest, input: CardInput, deadline: Date): Promise<CardImage>;
  /** Draws a card which says that its data is being fetched. */
  drawCollecting(request: ImageRequest, resumesAt: Date | undefined): Promise<CardImage>;
  /**
   * Draws an error.
   * @param query the raw parameters, because they may be the cause of the error.
   */
  drawProblem(card: string, format: ImageFormat, query: Parameters, problem: CardProblem): Promise<CardImage>;
  /** Finds the avatar at a URL. Waits until the deadline for one that was never fetched before. */
  findAvatar(url: string, deadline: Date): Promise<Avatar>;
}

/** An avatar as JPEG or PNG. `image` is undefined without one; `isFinal` is false while the avatar is being fetched. */
export interface Avatar {
  image: Buffer | undefined;
  isFinal: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The cards that can be drawn from the route's response; the first is the default. */
    cards?: readonly [string, ...string[]];
    /** True for routes that return nothing but an image. */
    isImageOnly?: boolean;
  }
}

/** The property of a parameter schema that says whether its URLs lead to images always, or where `format` says so. */
export const imagesKey = Symbol('images');

/**
 * Returns the parameters of a route whose response can be drawn: those of the route, and those of card options. The
 * type shows the route only its own.
 */
export function withImages<Properties extends TProperties>(
  properties: Properties,
  { parameters }: CardImages,
  images: 'always' | 'by format',
): TObject<Properties> {
  return Object.assign(Type.Object({ ...parameters, ...properties }), { [imagesKey]: images });
}

export const FormatParameter = Type.Optional(
  Type.Enum(['json', ...imageFormats], { description: '`svg` and `png` draw the response.', default: 'json' }),
);

export function isImageFormat(format: unknown): format is ImageFormat {
  return imageFormats.some((known) => known === format);
}

/**
 * Decides by the headers of a request whether its image is for people. Image proxies show only status 200, so an image
 * for people has it also when it shows an error; a program would take the image for the right one.
 *
 * The rule fits what these send, read in their sources:
 * - go-camo, which GitLab and Gitea recommend: `Accept: image/*, image/svg+xml` (pkg/camo/proxy.go).
 * - atmos/camo, which GitHub runs: the browser's `Accept` or `image/*`, and `User-Agent` and `Via` that name it
 *   (server.coffee); an operator may give it another name, which both headers then have.
 * - imgproxy and programs in Go send no `Accept` at all.
 * - Browsers name `image/` types where they load an image (Firefox before 65 does not), and `Mozilla` everywhere.
 * - curl, Wget, undici and libraries of Python, Java and Ruby: no image type but `*` in `Accept`, and their own name.
 */

/** A part of the name of a browser, an image proxy, or a program that shows previews of links. */
const nameOfReader = /mozilla|opera|proxy|bot\b|camo|image|img|thumb|preview|whatsapp|https?:/i;
/** An entry that a reverse proxy adds, such as `1.1 Caddy`. It starts with a version, other than the names of camo. */
const addedByReverseProxy = /^\s*(?:\w+\/)?\d(?:\.\d)?\s/;

/** The headers that `isFromProgram` reads. */
const readerHeaders = ['accept', 'referer', 'sec-fetch-dest', 'user-agent', 'via'] as const;

/** Returns whether a request for an image is from a program. One that could be either counts as an image proxy's. */
export function isFromProgram(headers: IncomingHttpHeaders): boolean {
  const { accept, referer, 'sec-fetch-dest': destination, 'user-agent': name = '', via = '' } = headers;
  if (accept === undefined || /\bimage\//i.test(accept) || referer !== undefined) return false;
  if (destination !== undefined && destination !== 'empty') return false;
  if (name === '' || nameOfReader.test(name) || nameOfReader.test(via)) return false;
  return via === '' || addedByReverseProxy.test(via);
}

/** Returns the headers of a request that decide about the status, for a request within this process on its behalf. */
export function toReaderHeaders(given: IncomingHttpHeaders): Record<string, string> {
  const known = readerHeaders.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  // Without a name, the request would have that of the library that makes it.
  return { 'user-agent': '', ...Object.fromEntries(known) };
}

/**
 * Returns the headers of an image that shows an error or that its data is being collected. No cache may serve it to
 * readers of the other kind, who get another status.
 * @param code the code of the JSON error; 0: its data is being collected.
 */
export function unfinishedImageHeaders(code: number): Record<string, string> {
  return {
    'cache-control': 'no-store',
    vary: ['authorization', ...readerHeaders].join(', '),
    'x-error-code': String(code),
  };
}
