import { defineCard } from '../card.ts';
import {
  type Content,
  type Counter,
  formatContentCoverage,
  formatLevel,
  further,
  readContent,
  shownCounters,
  toCounter,
  usual,
} from '../contributions/content.ts';
import { counterGrid } from '../contributions/counters.ts';
import { compactHeightPx, drawCompact, type Header, headers } from '../contributions/layouts.ts';
import { drawTrend, type Trend, trendHeight } from '../contributions/trend.ts';
import { avatarClip } from '../drawing/avatar.ts';
import { Canvas, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import type { CardOptions } from '../options.ts';
import { formatFirstDay, formatLastDay } from '../states/coverage.ts';
import { joinParts } from '../text/fit.ts';

const defaultWidthPx = 480;
const footer = { firstPx: 24, linePx: 16, belowPx: 12 };

/** The card of counters, the level with the progress to the next one, and the coverage of the numbers. */
export const contributionsCard = defineCard<Content>({
  parts: { hideable: ['avatar', 'level', 'coverage', 'icons', ...usual], showable: [...further, 'trend'] },
  nothingOf: 'contributions',
  emptySize: (options) => {
    const counters = shownCounters(options).map((name) => ({ name }));
    const coverage = [options.language.words.publicOnly];
    const { widthPx, heightPx } = placeParts(options, { shown: counters, trend: undefined, coverage });
    return { widthPx, heightPx };
  },
  read: readContent,
  images: ({ account }, { hide }) => (hide.has('avatar') ? [] : [account.avatar_url]),
  imageSize: () => 'large',
  draw: (content, options, images) => {
    const { language, hide, show, layout } = options;
    const level = formatLevel(content, language);
    const subject = { account: content.account, level, images };
    const shown = shownCounters(options).map((name) => toCounter(content, name, language));
    const trend = show.has('trend') ? content.trend : undefined;
    const coverage = [
      ...formatContentCoverage(content, language),
      ...(trend?.isOfHost === true ? [language.words.trendOfHost] : []),
    ];
    const parts = placeParts(options, { shown, trend, coverage });
    const { widthPx, heightPx, header, grid } = parts;
    const canvas = new Canvas(widthPx, language);
    if (layout === 'compact') drawCompact(canvas, subject, { counters: shown, options, widthPx });
    header?.draw(canvas, subject);
    grid?.draw(canvas, shown, header?.heightPx ?? 0);
    drawFooter(canvas, trend, language, parts);
    return frame(options, {
      width: widthPx,
      height: heightPx,
      ...describe(content.account, options, { shown, trend, coverage, level: level.level }),
      body: hide.has('avatar') ? canvas.body() : `${avatarClip}\n${canvas.body()}`,
    });
  },
});

interface Shown<One> {
  shown: readonly One[];
  trend: Trend | undefined;
  coverage: readonly string[];
}

/** Returns the title and the description for readers who do not see the card. */
function describe(
  account: Content['account'],
  { title, hide, language: { words, number, date } }: CardOptions,
  { shown, trend, coverage, level }: Shown<Counter> & { level: string },
): { title: string; description: string } {
  const parts = [
    hide.has('level') ? '' : level,
    shown.map(({ name, full }) => `${words[name]}: ${full}`).join(', '),
    trend === undefined
      ? ''
      : `${formatFirstDay(trend.oldest, date)} – ${formatLastDay(trend.newest, date)}: ${trend.values.map((value) => (value === null ? '–' : number(value))).join(', ')}`,
    hide.has('coverage') ? '' : coverage.join(' · '),
  ];
  return {
    title: title ?? `${account.display_name || account.name} · ${words.publicOnly}`,
    description: parts.flatMap((part) => (part === '' ? [] : [`${part}.`])).join(' '),
  };
}

/** The parts of a card and its size. */
interface Parts {
  widthPx: number;
  heightPx: number;
  header?: Header;
  grid?: ReturnType<typeof counterGrid>;
  /** The lines about the coverage. */
  lines: readonly string[];
}

function placeParts(options: CardOptions, { shown, trend, coverage }: Shown<Pick<Counter, 'name'>>): Parts {
  const { widthPx = defaultWidthPx, layout, hide } = options;
  if (layout === 'compact') return { widthPx, heightPx: compactHeightPx, lines: [] };
  const header = headers[layout](options, widthPx);
  const grid = counterGrid(shown, options, widthPx);
  const lines = hide.has('coverage') ? [] : joinParts(coverage, widthPx - 2 * padding, textStyles.small.sizePx);
  const ofTrend = trend === undefined ? 0 : trendHeight(trend, options.language, widthPx);
  const heightPx = header.heightPx + grid.heightPx + ofTrend + coverageHeight(lines) + footer.belowPx;
  return { widthPx, heightPx, header, grid, lines };
}

function coverageHeight({ length }: readonly string[]): number {
  return length === 0 ? 0 : footer.firstPx + (length - 1) * footer.linePx;
}

function drawFooter(
  canvas: Canvas,
  trend: Trend | undefined,
  language: CardOptions['language'],
  { widthPx, heightPx, grid, lines }: Parts,
): void {
  if (grid !== undefined && trend !== undefined) {
    drawTrend(canvas, trend, language, {
      y: heightPx - footer.belowPx - coverageHeight(lines) - trendHeight(trend, language, widthPx),
      widthPx,
    });
  }
  const y = heightPx - 20 - (lines.length - 1) * footer.linePx;
  canvas.lines('small', { at: padding, y, step: footer.linePx, maxWidth: widthPx - 2 * padding }, lines);
}
