import { type TObject, type TProperties, Type } from 'typebox';
import type { Envelope } from './envelope.ts';

/** What a picture shows: an answer, and what is told of it in pictures alone. */
export interface Shown {
  answer: Envelope;
  /** How many items come after those of the answer. */
  further?: number;
  /** Ids of the repositories that images come from, by the images' addresses: they are kept as long as these. */
  repositoriesOfImages?: ReadonlyMap<string, string>;
  calendar?: ShownCalendar;
  /** Counters are of what is collected, and there is nobody to ask for more. */
  countsCollected?: boolean;
}

/** Contributions of at most 371 days. */
export interface ShownCalendar {
  /** The provider's own calendar, or days of what is collected here. */
  source: 'provider' | 'collected';
  /** The first and the last day, `YYYY-MM-DD`. */
  from: string;
  until: string;
  /** Days with at least one contribution, oldest first. */
  days: readonly DayOfContributions[];
  /** Contributions on all days, as the source sums them. */
  total: number;
  /** Private contributions are among them. */
  includesPrivate: boolean;
}

export interface DayOfContributions {
  /** `YYYY-MM-DD`, in UTC or as the provider assigns contributions to days. */
  day: string;
  contributions: number;
}

export const pictureFormats = ['svg', 'png'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** Parameters of an address, read by their schemas or as they came. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A picture that somebody asked for. */
export interface PictureRequest {
  card: string;
  format: PictureFormat;
  query: Parameters;
  /** The same, told in one way, so that one picture has one name. */
  key: string;
}

/** A picture as it goes over the wire. */
export interface Picture {
  body: Buffer;
  contentType: 'image/svg+xml; charset=utf-8' | 'image/png';
  /** False while a part of it is still being fetched: it is to be drawn anew soon. */
  isFinal: boolean;
}

/** An error as pictures tell it. */
export interface PictureProblem {
  status: number;
  message: string;
}

/** Draws answers. */
export interface Pictures {
  /** What addresses of pictures may say of how they look. */
  parameters: TProperties;
  /**
   * @param query parameters of an address that asks for a picture, read by their schemas.
   * @throws AppError `invalid_input` where the card has no such parts.
   */
  request(card: string, format: PictureFormat, query: Parameters): PictureRequest;
  /**
   * @param deadline until when images of others may be waited for.
   * @throws AppError `unavailable` when too many pictures are waiting to be drawn.
   */
  draw(request: PictureRequest, shown: Shown, deadline: Date): Promise<Picture>;
  /** Says that what is to be shown is being asked for. */
  drawCollecting(request: PictureRequest): Promise<Picture>;
  /** @param query as it came: it may be what is wrong. */
  drawProblem(card: string, format: PictureFormat, query: Parameters, problem: PictureProblem): Promise<Picture>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The cards that the route's answer can be drawn as; the first one unless the address says otherwise. */
    cards?: readonly [string, ...string[]];
    /** For addresses that answer with a picture and nothing else. */
    isPicture?: boolean;
  }
}

/** Parameters of a route whose answer can be drawn. They are all read; a route itself knows its own. */
export function withPictures<Properties extends TProperties>(
  properties: Properties,
  { parameters }: Pictures,
): TObject<Properties> {
  return Type.Object({ ...parameters, ...properties });
}

export const FormatParameter = Type.Optional(
  Type.Enum(['json', ...pictureFormats], { description: '`svg` and `png` draw the answer.' }),
);

export function isPictureFormat(format: unknown): format is PictureFormat {
  return pictureFormats.some((known) => known === format);
}
