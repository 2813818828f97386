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

export interface DayOfContributions {
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
