import type { WindowMeaning } from '../../../model/windows/window.ts';
import type { Language } from '../../languages/language.ts';
import { type Canvas, textStyles } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';
import { formatFirstDay, formatLastDay } from '../states/coverage.ts';
import { measure } from '../text/measure.ts';

/** The numbers of windows that follow one another. */
export interface Trend {
  /** The oldest first; at least two. Null: not known. */
  values: readonly (number | null)[];
  /** True for sums of the host's own calendar. */
  isOfHost: boolean;
  oldest: WindowMeaning;
  newest: WindowMeaning;
}

const heightPx = 68;
const daysBelowPx = 15;
/** The height of another line, and the least distance between the two days in one line. */
const dayLinePx = 14;
const dayGapPx = 8;
const barsHeight = 40;
/** The most room of a bar, and the part of it that is drawn, so that a few bars stand side by side. */
const maxRoom = 72;
const drawnShare = 2 / 3;
const leastHeight = 2;

/** Returns the height of a trend with its days and the room below it, in pixels. */
export function trendHeight(trend: Trend, language: Pick<Language, 'date'>, widthPx: number): number {
  return heightPx + (haveRoomInLine(formatEnds(trend, language), widthPx) ? 0 : dayLinePx);
}

function formatEnds({ oldest, newest }: Trend, { date }: Pick<Language, 'date'>): readonly [string, string] {
  return [formatFirstDay(oldest, date), formatLastDay(newest, date)];
}

function haveRoomInLine([first, last]: readonly [string, string], widthPx: number): boolean {
  const { sizePx } = textStyles.small;
  return measure(first, sizePx) + dayGapPx + measure(last, sizePx) <= widthPx - 2 * padding;
}

/**
 * Draws one bar for each window of a series, the oldest first, and the first and the last day below them, in
 * two lines where they have no room in one. The highest bar is the greatest number; a dash stands for one that is not known.
 */
export function drawTrend(
  canvas: Canvas,
  trend: Trend,
  language: Pick<Language, 'date'>,
  { y, widthPx }: { y: number; widthPx: number },
): void {
  const { values } = trend;
  const width = widthPx - 2 * padding;
  // The last bar ends at the side of the card.
  const room = Math.min(maxRoom, width / (values.length - 1 + drawnShare));
  const barWidth = Math.max(1, room * drawnShare);
  const greatest = Math.max(1, ...values.map((value) => value ?? 0));
  for (const [index, value] of values.entries()) {
    if (value === null) {
      const dashY = y + barsHeight;
      canvas.text(
        'small',
        { at: padding + index * room + barWidth / 2, y: dashY, maxWidth: room, anchor: 'middle' },
        '–',
      );
      continue;
    }
    const height = value === 0 ? leastHeight : Math.max(leastHeight, (value / greatest) * barsHeight);
    const at = padding + index * room;
    canvas.rect(
      { at, y: y + barsHeight - height, width: barWidth, height, radius: Math.min(2, height / 2) },
      value === 0 ? 'class="t"' : 'class="a f"',
    );
  }
  const days = formatEnds(trend, language);
  const firstY = y + barsHeight + daysBelowPx;
  const lastY = firstY + (haveRoomInLine(days, widthPx) ? 0 : dayLinePx);
  canvas.text('small', { at: padding, y: firstY, maxWidth: width }, days[0]);
  canvas.text('small', { at: widthPx - padding, y: lastY, maxWidth: width, anchor: 'end' }, days[1]);
}
