import type { Canvas } from './canvas.ts';
import { px } from './markup.ts';

/** The place of a ring: its outer side in pixels. */
export interface RingPlace {
  at: number;
  y: number;
  size: number;
  /** The width of its line. */
  line: number;
}

/**
 * Draws the ring of a level, the signature of cards and pages: its arc is the share of the way to the next level.
 * @param share from 0 to 1.
 */
export function drawRing(canvas: Canvas, { at, y, size, line }: RingPlace, share: number): void {
  const middle = { x: px(canvas.left(at, size) + size / 2), y: px(y + size / 2) };
  const radius = (size - line) / 2;
  const circle = `cx="${middle.x}" cy="${middle.y}" r="${px(radius)}" stroke-width="${px(line)}"`;
  canvas.add(`<circle class="r" ${circle}/>`);
  if (share <= 0) return;
  const length = 2 * Math.PI * radius;
  const arc = `stroke-dasharray="${px(length * Math.min(1, share))} ${px(length)}" stroke-linecap="round"`;
  canvas.add(`<circle class="k f" ${circle} ${arc} transform="rotate(-90 ${middle.x} ${middle.y})"/>`);
}

const chipHeight = 20;

/** Draws a text on the accent, around a point. */
export function drawChip(canvas: Canvas, { at, y }: { at: number; y: number }, text: string, width: number): void {
  canvas.rect(
    { at: at - width / 2, y: y - chipHeight / 2, width, height: chipHeight, radius: chipHeight / 2 },
    'class="a"',
  );
  canvas.text('chip', { at, y: y + 4.5, maxWidth: width - 8, anchor: 'middle' }, text);
}
