import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { WindowMeaning } from '../../../model/windows/window.ts';
import { fill } from '../../languages/language.ts';
import { defineCard, type Images } from '../card.ts';
import { avatarClip, drawAvatar } from '../drawing/avatar.ts';
import { Canvas, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import { type Grid, inWords, toGrid, toWall } from '../drawing/grid.ts';
import type { CardOptions } from '../options.ts';
import {
  asOfResponse,
  type Coverage,
  coverageLinePx,
  drawCoverage,
  formatCoverage,
  formatDays,
  formatReason,
  readResumesAt,
  resumesText,
} from '../states/coverage.ts';
import { joinParts, oneLine } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

const defaultWidthPx = 480;
const avatarSize = 36;
const gap = 16;
const rowHeight = 52;
const titleHeight = 34;
const bareGap = 8;
const moreHeight = 28;
const summaryLine = 18;
/** The room between the people and the lines about the coverage. */
const below = 22;
/** The width of an avatar with some letters of a name, in pixels. */
const leastWidth = 100;

const Item = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  avatar_url: Type.String(),
  contributions: Type.Integer(),
});
type Item = Static<typeof Item>;
const compiledItem = Compile(Item);

interface Content {
  people: Item[];
  /** The number of contributors that are not in `people`. */
  others: number;
  leavesOutBots: boolean;
  isCounting: boolean;
  /** The account or the repository that they contributed to. */
  of: string;
  window: WindowMeaning | undefined;
  coverage: Coverage;
}

/** The card of contributors: the first with names and the numbers of their contributions, the others as avatars. */
export const contributorsCard = defineCard<Content>({
  parts: { hideable: ['title', 'summary', 'names', 'counts', 'more', 'coverage'], showable: [] },
  nothingOf: 'contributors',
  explainNothing: ({ envelope }, language) => {
    const { window, complete } = envelope.meta_data;
    const resumesAt = readResumesAt(envelope);
    if (resumesAt !== undefined) return resumesText(resumesAt, language);
    return formatReason({ window, asOf: asOfResponse(envelope), isCollecting: complete === false }, language);
  },
  emptySize: (options) => ({
    widthPx: options.widthPx ?? defaultWidthPx,
    heightPx: padding + headerHeight(options, 1) + 2 * rowHeight + padding - gap,
  }),
  read: ({ envelope, further = 0, leavesOutBots = false, of = '' }) => {
    const { data, meta_data } = envelope;
    const people = data.filter((item) => compiledItem.Check(item));
    if (people.length === 0) return undefined;
    return {
      people,
      others: further,
      leavesOutBots,
      isCounting: meta_data.complete === false,
      of,
      window: meta_data.window,
      coverage: {
        includesPrivate: meta_data.includes_private === true,
        isCollected: false,
        // The title says it.
        isIncomplete: false,
        resumesAt: readResumesAt(envelope),
        asOf: asOfResponse(envelope),
      },
    };
  },
  images: ({ people }) => people.map(({ avatar_url }) => avatar_url),
  draw: (content, options, images) => {
    const { people, others } = content;
    const { language, hide } = options;
    const { words } = language;
    const width = options.widthPx ?? defaultWidthPx;
    const canvas = new Canvas(width, language);
    const isCountingBeside =
      content.isCounting && hasRoomBesideTitle(words.stillCounting, options, width - 2 * padding);
    const summary = [
      ...formatSummary(content, options),
      ...(content.isCounting && !isCountingBeside ? [words.stillCounting] : []),
    ];
    const lines = joinParts(summary, width - 2 * padding, textStyles.label.sizePx);
    drawHeader(canvas, options, { lines, isCountingBeside });
    const named = countNamed(people.length, options);
    let bottom = padding + headerHeight(options, lines.length);
    if (named > 0) bottom = drawList(canvas, people.slice(0, named), options, images, bottom);
    if (people.length > named) {
      bottom = drawWall(canvas, people.slice(named), options, images, bottom + (named > 0 ? gap : 0));
    }
    const more = others > 0 && !hide.has('more') ? fill(words.more, { n: language.number(others) }) : '';
    canvas.text('label', { at: padding, y: bottom + 26, maxWidth: width - 2 * padding }, more);
    if (more !== '') bottom += moreHeight;
    const coverage = formatCoverage(content.coverage, language);
    const height = drawFooter(canvas, coverage, options, bottom);
    return frame(options, {
      width,
      height,
      title: toTitle(options),
      description: [
        ...(hide.has('summary') || summary.length === 0 ? [] : [`${summary.join(' · ')}. `]),
        [
          ...people.map((person) => `${person.name}: ${language.number(person.contributions)}`),
          ...(more === '' ? [] : [more]),
        ].join(', '),
        `. ${coverage.join(' · ')}.`,
      ].join(''),
      body: `${avatarClip}\n${canvas.body()}`,
    });
  },
});

/** Returns what the people contributed to, their number, and the window, as far as they are known. */
function formatSummary({ people, others, leavesOutBots, of, window }: Content, { language }: CardOptions): string[] {
  return [
    ...(of === '' ? [] : [of]),
    language.plural('contributors', people.length + others),
    ...(leavesOutBots ? [language.words.withoutBots] : []),
    ...(window === undefined ? [] : [formatDays(window, language.date)]),
  ];
}

/** @returns the height of the card. */
function drawFooter(canvas: Canvas, coverage: readonly string[], options: CardOptions, bottom: number): number {
  if (options.hide.has('coverage')) return bottom + padding;
  const maxWidth = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const lines = joinParts(coverage, maxWidth, textStyles.small.sizePx);
  const height = bottom + below + lines.length * coverageLinePx + 4;
  drawCoverage(canvas, lines, { height, maxWidth });
  return height;
}

function headerHeight({ hide }: CardOptions, lines: number): number {
  const summary = hide.has('summary') || lines === 0 ? 0 : lines * summaryLine + (hide.has('title') ? 8 : 0);
  return (hide.has('title') ? 0 : titleHeight) + summary;
}

/** Returns whether a text has room in the line of the title. */
function hasRoomBesideTitle(text: string, options: CardOptions, maxWidth: number): boolean {
  if (options.hide.has('title')) return false;
  const { sizePx, weight } = textStyles.heading;
  const title = oneLine(toTitle(options));
  return measure(title, sizePx, weight) + gap + measure(text, textStyles.label.sizePx) <= maxWidth;
}

function toTitle({ title, language }: CardOptions): string {
  return title ?? language.words.contributorsTitle;
}

function drawHeader(
  canvas: Canvas,
  options: CardOptions,
  { lines, isCountingBeside }: { lines: readonly string[]; isCountingBeside: boolean },
): void {
  const { hide, language } = options;
  const width = options.widthPx ?? defaultWidthPx;
  const maxWidth = width - 2 * padding;
  if (!hide.has('title')) {
    const used = canvas.headline({ at: padding, y: padding + 15, maxWidth }, toTitle(options));
    const place = { at: padding + maxWidth, y: padding + 15, maxWidth: maxWidth - used - gap, anchor: 'end' } as const;
    if (isCountingBeside) canvas.text('label', place, language.words.stillCounting);
  }
  if (hide.has('summary')) return;
  const first = padding + (hide.has('title') ? 10 : titleHeight);
  canvas.lines('label', { at: padding, y: first, step: summaryLine, maxWidth, isProse: true }, lines);
}

/** Returns the display names of people, and the logins of those whose display names are equal. */
function toNames(people: readonly Item[]): string[] {
  const names = people.map(({ name, display_name }) => oneLine(display_name) || name);
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return people.map(({ name }, index) => ((times.get(names[index] ?? '') ?? 0) > 1 ? name : (names[index] ?? name)));
}

function gridOfNames({ widthPx = defaultWidthPx, columns }: CardOptions): Grid {
  return toGrid({ at: padding, maxWidth: widthPx - 2 * padding, gap, columns, usual: 184, least: leastWidth, most: 4 });
}

/** Returns how many people have names. */
function countNamed(count: number, options: CardOptions): number {
  return options.hide.has('names') ? 0 : inWords(count, gridOfNames(options));
}

/** @returns the y coordinate of the lower end. */
function drawList(canvas: Canvas, people: readonly Item[], options: CardOptions, images: Images, top: number): number {
  const { language, hide } = options;
  const grid = gridOfNames(options);
  const hasCounts = !hide.has('counts');
  const names = toNames(people);
  for (const [index, person] of people.entries()) {
    const { at, row } = grid.toPlace(index);
    const y = top + row * rowHeight;
    const name = names[index] ?? person.name;
    drawAvatar(canvas, { at, y, size: avatarSize }, { name, avatarUrl: person.avatar_url }, images);
    const place = { at: at + avatarSize + 10, maxWidth: grid.itemWidth - avatarSize - 10 };
    canvas.text('name', { ...place, y: y + (hasCounts ? 15 : 23) }, name);
    if (!hasCounts) continue;
    const count = language.plural('contributions', person.contributions);
    const hasRoom = measure(count, textStyles.label.sizePx) <= place.maxWidth;
    canvas.text('label', { ...place, y: y + 31 }, hasRoom ? count : language.number(person.contributions));
  }
  return top + grid.countRows(people.length) * rowHeight - (rowHeight - avatarSize);
}

function drawWall(canvas: Canvas, people: readonly Item[], options: CardOptions, images: Images, top: number): number {
  const maxWidth = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const size = avatarSize;
  const columns = options.hide.has('names') ? options.columns : undefined;
  const wall = toWall(people.length, { at: padding, maxWidth, size, gap: bareGap, columns });
  for (const [index, person] of people.entries()) {
    const { at, row } = wall.toPlace(index);
    const name = person.display_name || person.name;
    drawAvatar(canvas, { at, y: top + row * (size + bareGap), size }, { name, avatarUrl: person.avatar_url }, images);
  }
  return top + wall.heightPx;
}
