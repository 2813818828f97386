import type { TProperties } from 'typebox';
import type { Envelope } from './envelope.ts';

/** What a picture shows: an answer, and what is told of it in pictures alone. */
export interface Shown {
  answer: Envelope;
  /** How many items come after those of the answer. */
  further?: number;
  /** Contributions of each day that has any, oldest first. */
  days?: readonly DayOfContributions[];
  /** The last day that `days` could hold, `YYYY-MM-DD`. */
  until?: string;
}

export interface DayOfContributions {
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  contributions: number;
}

export type PictureFormat = 'svg' | 'png';

/** A picture that somebody asked for. */
export interface PictureRequest {
  card: string;
  format: PictureFormat;
  /** The parameters of its address, read by their schemas. */
  query: Readonly<Record<string, unknown>>;
  /** The same, told in one way, so that one picture has one name. */
  key: string;
}

/** A picture as it goes over the wire. */
export interface Picture {
  body: Buffer;
  contentType: string;
  /** False while a part of it is still being fetched: it is to be drawn anew soon. */
  isFinal: boolean;
}

/** What a picture says when there is no answer to draw. */
export type PictureState = 'collecting' | 'nothing';

/** Draws answers. */
export interface Pictures {
  /** What addresses of pictures may say of how they look. */
  parameters: TProperties;
  /**
   * @param query parameters of an address that asks for a picture, read by their schemas.
   * @throws AppError `invalid_input` where the card has no such parts.
   */
  request(card: string, format: PictureFormat, query: Readonly<Record<string, unknown>>): PictureRequest;
  /** @param deadline until when images of others may be waited for. */
  draw(request: PictureRequest, shown: Shown, deadline: Date): Promise<Picture>;
  drawState(request: PictureRequest, state: PictureState): Promise<Picture>;
}
