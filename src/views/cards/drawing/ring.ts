import { type Canvas, px } from './canvas.ts';
import type { ThemeStyle } from './themes.ts';

/** The position of a ring and its outer side, in pixels. */
interface RingPlace {
  at: number;
  y: number;
  size: number;
  /** The width of its line, in pixels. */
  line: number;
}

/** Rings in segments: their numbers, and the part of each that is drawn. */
const usualSegments = 24;
const smallSegments = 16;
const smallSize = 60;
const segmentShare = 0.72;

/**
 * Draws the ring of a level, the signature of cards and pages: its arc is the share of the way to the next level.
 * @param share from 0 to 1.
 */
export function drawRing(canvas: Canvas, place: RingPlace, share: number, style: ThemeStyle): void {
  const { at, y, size } = place;
  const line = Math.max(2, place.line * style.weight);
  const middle = { x: px(canvas.left(at, size) + size / 2), y: px(y + size / 2) };
  const radius = (size - line) / 2;
  const length = 2 * Math.PI * radius;
  const circle = `cx="${middle.x}" cy="${middle.y}" r="${px(radius)}" stroke-width="${px(line)}"`;
  const turned = `transform="rotate(-90 ${middle.x} ${middle.y})"`;
  const part = Math.min(1, share);
  if (style.ring === 'segments') {
    const count = size < smallSize ? smallSegments : usualSegments;
    const dash = [segmentShare, 1 - segmentShare].map((of) => px((of * length) / count)).join(' ');
    canvas.add(`<circle class="r" ${circle} stroke-dasharray="${dash}" ${turned}/>`);
    const done = part > 0 ? Math.max(1, Math.round(part * count)) : 0;
    if (done === 0) return;
    const dashes = [...Array.from({ length: done }, () => dash), `0 ${px(length)}`].join(' ');
    canvas.add(`<circle class="k f" ${circle} stroke-dasharray="${dashes}" ${turned}/>`);
    return;
  }
  canvas.add(`<circle class="r" ${circle}/>`);
  if (part <= 0) return;
  const arc = `stroke-dasharray="${px(length * part)} ${px(length)}"${style.ring === 'round' ? ' stroke-linecap="round"' : ''}`;
  canvas.add(`<circle class="k f" ${circle} ${arc} ${turned}/>`);
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
