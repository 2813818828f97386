import { languageNamed, languageNames, uncountedNamed } from '../../../contributions/languages/linguist.ts';
import type { LanguagesInput } from '../../../http/pipeline/images.ts';
import type { WindowMeaning } from '../../../model/windows/window.ts';
import { defineCard, nameIn } from '../card.ts';
import { Canvas, px, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import { type Grid, toGrid } from '../drawing/grid.ts';
import type { CardOptions } from '../options.ts';
import {
  asOfResponse,
  type Coverage,
  coverageLinePx,
  drawCoverage,
  formatCoverage,
  formatDays,
  readResumesAt,
} from '../states/coverage.ts';
import { joinParts } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

const defaultWidthPx = 480;
const titleHeight = 34;
const summaryLine = 18;
const bar = { height: 12, gap: 2, least: 3, below: 20 };
const dot = { radius: 5, room: 20 };
const rowHeight = 26;
const columnGap = 32;
/** The room between the rows and the lines about the coverage. */
const below = 22;
const usualLanguages = 6;
/** The widths of a column, with a name and a share, in pixels. */
const column = { usual: 190, least: 180 };

interface Content {
  who: string;
  languages: LanguagesInput;
  window: WindowMeaning | undefined;
  coverage: Coverage;
}

interface Row {
  name: string;
  /** `#rrggbb`; undefined: that of the track. */
  colour: string | undefined;
  share: number;
}

/** The card of languages, by the files that the commits of an account change. */
export const languagesCard = defineCard<Content>({
  parts: {
    hideable: ['title', 'summary', 'bar', 'shares', 'other', 'coverage'],
    showable: [],
    alsoHideable: {
      noun: 'languages',
      examples: ['HTML', 'CSS'],
      names: languageNames,
      find: languageNamed,
      findUncounted: uncountedNamed,
    },
  },
  nothingOf: 'languages',
  explainNothing: ({ languages }, { words }) =>
    languages?.areAllHidden === true ? words.allLanguagesHidden : undefined,
  emptySize: (options) => {
    const { widthPx = defaultWidthPx } = options;
    const lines = toLines([options.language.words.inCollected], options, options.hide.has('coverage'));
    return { widthPx, heightPx: placeParts(options, { rows: usualLanguages, summary: 1, lines: lines.length }).height };
  },
  read: ({ envelope, languages }) => {
    const { meta_data } = envelope;
    const who = nameIn(envelope);
    if (languages === undefined || languages.files === 0 || who === undefined) return undefined;
    return {
      who,
      languages,
      window: meta_data.window,
      coverage: {
        includesPrivate: languages.includesPrivate,
        isCollected: true,
        isIncomplete: meta_data.complete === false,
        resumesAt: readResumesAt(envelope),
        asOf: asOfResponse(envelope),
      },
    };
  },
  draw: (content, options) => {
    const { language, hide, title = content.who, widthPx = defaultWidthPx } = options;
    const { words } = language;
    const rows = toRows(content.languages, options);
    const counted = [
      words.languagesTitle,
      language.plural('changedFiles', content.languages.files),
      ...(content.window === undefined ? [] : [formatDays(content.window, language.date)]),
    ];
    const summary = toLines(counted, options, hide.has('summary'));
    const coverage = formatCoverage(content.coverage, language);
    const lines = toLines(coverage, options, hide.has('coverage'));
    const places = placeParts(options, { rows: rows.length, summary: summary.length, lines: lines.length });
    const canvas = new Canvas(widthPx, language);
    const maxWidth = widthPx - 2 * padding;
    if (!hide.has('title')) canvas.headline({ at: padding, y: padding + 15, maxWidth }, title);
    canvas.lines('label', { at: padding, y: places.summary + 12, step: summaryLine, maxWidth, isProse: true }, summary);
    if (!hide.has('bar')) drawBar(canvas, rows, { y: places.bar, width: maxWidth });
    const style = styleOfNames(rows, options, places.grid);
    for (const [index, row] of rows.entries()) drawRow(canvas, row, options, { ...places, index, style });
    drawCoverage(canvas, lines, { height: places.height, maxWidth });
    const description = rows.map(({ name, share }) => `${name} ${formatShare(share, language)}`).join(', ');
    return frame(options, {
      width: widthPx,
      height: places.height,
      title: `${content.who} · ${words.languagesTitle}`,
      description: `${description}. ${[...counted.slice(1), ...coverage].join(' · ')}.`,
      body: canvas.body(),
    });
  },
});

/** Returns the listed languages, and the others as the last row. */
function toRows({ languages, files, otherFiles }: LanguagesInput, { hide, language }: CardOptions): Row[] {
  const rows = languages.map((one): Row => ({ name: one.name, colour: one.colour, share: one.files / files }));
  if (otherFiles === 0 || hide.has('other')) return rows;
  return [...rows, { name: language.words.otherLanguages, colour: undefined, share: otherFiles / files }];
}

/** Shares that would be shown as none are less than the least that is shown. */
function formatShare(share: number, language: CardOptions['language']): string {
  const least = 0.001;
  return share < least / 2 ? `<${language.share(least)}` : language.share(share);
}

function toLines(parts: readonly string[], { widthPx = defaultWidthPx }: CardOptions, isHidden: boolean): string[] {
  return isHidden ? [] : joinParts(parts, widthPx - 2 * padding, textStyles.label.sizePx);
}

interface Places {
  summary: number;
  bar: number;
  rows: number;
  grid: Grid;
  height: number;
}

/** Places the parts from the top, by the numbers of their lines. */
function placeParts(
  { hide, columns, widthPx = defaultWidthPx }: CardOptions,
  count: { rows: number; summary: number; lines: number },
): Places {
  const grid = toGrid({ at: padding, maxWidth: widthPx - 2 * padding, gap: columnGap, columns, ...column, most: 4 });
  const summary = padding + (hide.has('title') ? 0 : titleHeight - 8);
  const barAt = summary + (count.summary === 0 ? 8 : count.summary * summaryLine + 8);
  const rows = barAt + (hide.has('bar') ? 0 : bar.height + bar.below);
  const end = rows + grid.countRows(count.rows) * rowHeight;
  const ofLines = count.lines === 0 ? 8 : below + count.lines * coverageLinePx;
  return { summary, bar: barAt, rows, grid, height: end + ofLines };
}

/** Draws a bar with a part for each language. */
function drawBar(canvas: Canvas, rows: readonly Row[], { y, width }: { y: number; width: number }): void {
  const left = canvas.left(padding, width);
  canvas.add(
    `<clipPath id="b"><rect x="${px(left)}" y="${px(y)}" width="${px(width)}" height="${bar.height}" rx="${bar.height / 2}"/></clipPath>
<g clip-path="url(#b)">`,
  );
  canvas.rect({ at: padding, y, width, height: bar.height }, 'class="t"');
  const parts = rows.map(({ share }) => Math.max(bar.least, share * width));
  // Small languages that are drawn larger than they are take their room from all.
  const scale = width / parts.reduce((sum, part) => sum + part, 0);
  let at = padding;
  for (const [index, { colour }] of rows.entries()) {
    const part = (parts[index] ?? 0) * scale;
    const gap = index === rows.length - 1 ? 0 : bar.gap;
    if (colour !== undefined) {
      canvas.rect({ at, y, width: Math.max(1, part - gap), height: bar.height }, `class="f" fill="${colour}"`);
    }
    at += part;
  }
  canvas.add('</g>');
}

/** Returns the width of the share of a language with the room before it. */
function shareWidth({ share }: Row, { hide, language }: CardOptions): number {
  return hide.has('shares') ? 0 : measure(formatShare(share, language), textStyles.label.sizePx) + 8;
}

/** Returns the largest style in which all names have room beside their shares. */
function styleOfNames(rows: readonly Row[], options: CardOptions, { itemWidth }: Grid): 'name' | 'label' | 'small' {
  const style = (['name', 'label', 'small'] as const).find((styleName) => {
    const { sizePx, weight } = textStyles[styleName];
    const room = itemWidth - dot.room;
    return rows.every((row) => measure(row.name, sizePx, weight) <= room - shareWidth(row, options));
  });
  return style ?? 'small';
}

/** Draws a dot in the colour of a language, its name and its share. */
function drawRow(
  canvas: Canvas,
  item: Row,
  options: CardOptions,
  { rows, grid, index, style }: Places & { index: number; style: 'name' | 'label' | 'small' },
): void {
  const { name, colour, share } = item;
  const { at, row } = grid.toPlace(index);
  const y = rows + row * rowHeight;
  const fill = colour === undefined ? 'class="t"' : `fill="${colour}"`;
  canvas.add(`<circle ${fill} cx="${px(canvas.left(at + dot.radius))}" cy="${px(y + 9)}" r="${dot.radius}"/>`);
  const room = shareWidth(item, options);
  canvas.text(style, { at: at + dot.room, y: y + 14, maxWidth: grid.itemWidth - dot.room - room }, name);
  if (room === 0) return;
  const place = { at: at + grid.itemWidth, y: y + 14, maxWidth: room, anchor: 'end' } as const;
  canvas.text('label', place, formatShare(share, options.language));
}
