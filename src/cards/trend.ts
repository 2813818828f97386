import type { Canvas } from './canvas.ts';
import { padding } from './frame.ts';

/** The height of a trend with the room below it, in pixels. */
export const trendHeightPx = 52;
const barsHeight = 40;
/** The most room of a bar, and the part of it that is drawn, so that a few bars stand side by side. */
const maxRoom = 72;
const drawnShare = 2 / 3;
const leastHeight = 2;

/** Draws one bar for each window of a series, the oldest first; the highest bar is the greatest number. */
export function drawTrend(
  canvas: Canvas,
  values: readonly number[],
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
}
