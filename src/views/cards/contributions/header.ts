import type { Images } from '../card.ts';
import type { Canvas } from '../drawing/canvas.ts';
import type { Content, LevelTexts } from './content.ts';

/** The account of the card. */
export interface Subject {
  account: Content['account'];
  level: LevelTexts;
  images: Images;
}

/** The upper part of the card: the account and its level. */
export interface Header {
  heightPx: number;
  draw: (canvas: Canvas, subject: Subject) => void;
}
