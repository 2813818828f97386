import type { WindowMeaning } from '../windows/window.ts';
import type { Canvas } from './canvas.ts';
import { padding } from './frame.ts';
import type { Language } from './languages/language.ts';
import { firstDayOf, lastDayOf } from './window-days.ts';

/** The numbers of windows that follow one another. */
export interface Trend {
  /** The oldest first; at least two. */
  values: readonly number[];
  oldest: WindowMeaning;
  newest: WindowMeaning;
}

/** The height of a trend with its days and the room below it, in pixels. */
export const trendHeightPx = 68;
const daysBelowPx = 15;
const barsHeight = 40;
/** The most room of a bar, and the part of it that is drawn, so that a few bars stand side by side. */
const maxRoom = 72;
const drawnShare = 2 / 3;
const leastHeight = 2;

/**
 * Draws one bar for each window of a series, the oldest first, and the first and the last day below them. The highest bar
 * is the greatest number.
 */
export function drawTrend(
  canvas: Canvas,
  { values, oldest, newest }: Trend,
  { date }: Pick<Language, 'date'>,
  { y, widthPx }: { y: number; widthPx: number },
): void {
  const width = widthPx - 2 * padding;
  // The last bar ends at the side of the card.
  const room = Math.min(maxRoom, width / (values.length - 1 + drawnShare));
  const barWidth = Math.max(1, room * drawnShare);
  const greatest = Math.max(1, ...values);
  for (const [index, value] of values.entries()) {
    const height = value === 0 ? leastHeight : Math.max(leastHeight, (value / greatest) * barsHeight);
    const at = padding + index * room;
    canvas.rect(
      { at, y: y + barsHeight - height, width: barWidth, height, radius: Math.min(2, height / 2) },
      value === 0 ? 'class="t"' : 'class="a f"',
    );
  }
  const days = { y: y + barsHeight + daysBelowPx, maxWidth: width / 2 };
  canvas.text('small', { ...days, at: padding }, firstDayOf(oldest, date));
  canvas.text('small', { ...days, at: widthPx - padding, anchor: 'end' }, lastDayOf(newest, date));
}
