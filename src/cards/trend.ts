import type { Canvas } from './canvas.ts';
import { padding } from './frame.ts';

/** The height of a trend with the room below it, in pixels. */
export const trendHeightPx = 52;
const barsHeight = 40;
const maxBarWidth = 24;
const minGap = 2;
const leastHeight = 2;

/** Draws one bar for each window of a series, the oldest first; the highest bar is the greatest number. */
export function drawTrend(
  canvas: Canvas,
  values: readonly number[],
  { y, widthPx }: { y: number; widthPx: number },
): void {
  const width = widthPx - 2 * padding;
  const room = width / values.length;
  const barWidth = Math.max(1, Math.min(maxBarWidth, room - minGap));
  const greatest = Math.max(1, ...values);
  for (const [index, value] of values.entries()) {
    const height = value === 0 ? leastHeight : Math.max(leastHeight, (value / greatest) * barsHeight);
    const at = padding + index * room + (room - barWidth) / 2;
    canvas.rect(
      { at, y: y + barsHeight - height, width: barWidth, height, radius: Math.min(2, height / 2) },
      value === 0 ? 'class="t"' : 'class="a f"',
    );
  }
}
