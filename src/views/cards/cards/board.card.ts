import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { fill, type Language } from '../../languages/language.ts';
import { defineCard, type Images } from '../card.ts';
import { avatarClip, drawAvatar } from '../drawing/avatar.ts';
import { Canvas, px, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import type { CardOptions } from '../options.ts';
import { formatCompleteness, formatReason, readResumesAt, resumesText } from '../states/coverage.ts';
import { wrap } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

const defaultWidthPx = 480;
const gap = 16;
const titleHeight = 34;
const titleLine = 18;
const completenessHeight = 24;
const lineHeight = 17;
const moreHeight = 28;
const podiumHeight = 156;
const podiumAvatar = 44;
const rowHeight = 40;
const rowAvatar = 28;
const changeWidth = 34;
/** The width of a column of points with their unit, unless they are longer. */
const usualPoints = 96;
/** The least width of a name in a row beside points with their unit, or beside changes. */
const leastName = 80;
/** The width and the height of the sign of a change, in pixels. */
const triangle = 7;
/** The heights of the steps of the podium by rank, so that equal ranks stand equally high. */
const stepHeights = [50, 38, 28];
/** The places of the steps from the left, in the order of people. */
const stepPlaces = [1, 0, 2];

const Item = Type.Object({
  rank: Type.Integer(),
  points: Type.Number(),
  change: Type.Union([Type.Null(), Type.Integer()]),
  newcomer: Type.Boolean(),
  person: Type.Object({ name: Type.String(), display_name: Type.String(), avatar_url: Type.String() }),
});
type Item = Static<typeof Item>;
const compiledItem = Compile(Item);
const Instant = Type.Union([Type.Null(), Type.String()]);
const Board = Type.Object({
  name: Type.String(),
  as_of: Instant,
  ranked_dttm: Instant,
  window: Type.Object({ since: Instant, until: Instant, time_zone: Type.String() }),
  repositories: Type.Object({
    total: Type.Integer(),
    complete: Type.Integer(),
    incomplete: Type.Array(Type.Object({ state: Type.String() })),
  }),
});
const compiledBoard = Compile(Board);

interface Content {
  board: Static<typeof Board>;
  people: Item[];
  /** The number of people that are not in `people`. */
  others: number;
  /** The time at which collecting the repositories goes on. */
  resumesAt: Date | undefined;
}

/** The card of a board: how complete it is, a podium of the first three, and rows of the others. */
export const boardCard = defineCard<Content>({
  parts: { hideable: ['title', 'podium', 'changes', 'points', 'more'], showable: [] },
  nothingOf: 'board',
  explainNothing: ({ envelope }, language) => {
    const { board } = envelope.meta_data;
    if (!compiledBoard.Check(board)) return undefined;
    const { repositories, ranked_dttm: rankedAt, window } = board;
    const reason = formatReason(
      {
        window,
        asOf: rankedAt === null ? undefined : new Date(rankedAt),
        isCollecting: repositories.incomplete.some(({ state }) => state === 'collecting'),
      },
      language,
    );
    const complete = formatBoardCompleteness(board, readResumesAt(envelope), language);
    return `${complete} · ${reason ?? language.words.nothing.board.detail}`;
  },
  emptySize: (options) => ({
    widthPx: options.widthPx ?? defaultWidthPx,
    heightPx: padding + toTitleHeight(options) + completenessHeight + podiumHeight + padding,
  }),
  read: ({ envelope, further = 0 }) => {
    const people = envelope.data.filter((item) => compiledItem.Check(item));
    const { board } = envelope.meta_data;
    if (people.length === 0 || !compiledBoard.Check(board)) return undefined;
    return { board, people, others: further, resumesAt: readResumesAt(envelope) };
  },
  images: ({ people }) => people.map(({ person }) => person.avatar_url),
  imageSize: () => 'large',
  draw: (content, options, images) => {
    const { board, people, others } = content;
    const { language, hide } = options;
    const width = options.widthPx ?? defaultWidthPx;
    const maxWidth = width - 2 * padding;
    const canvas = new Canvas(width, language);
    const title = options.title ?? board.name;
    const below = padding + (hide.has('title') ? 0 : drawTitle(canvas, title, maxWidth));
    const complete = formatBoardCompleteness(board, content.resumesAt, language);
    const lines = wrap(complete, { maxWidth, maxLines: 3, ...textStyles.label });
    canvas.lines('label', { at: padding, y: below + 8, step: lineHeight, maxWidth, isProse: true }, lines);
    let y = below + completenessHeight + (lines.length - 1) * lineHeight;
    const hasPodium = !hide.has('podium') && people[0]?.rank === 1;
    const first = hasPodium ? people.slice(0, stepPlaces.length) : [];
    if (hasPodium) y = drawPodium(canvas, first, options, images, y);
    const rows = people.slice(first.length);
    if (rows.length > 0) y = drawRows(canvas, rows, options, images, hasPodium ? y + gap : y);
    const more = others > 0 && !hide.has('more') ? fill(language.words.more, { n: language.number(others) }) : '';
    canvas.text('label', { at: padding, y: y + 26, maxWidth }, more);
    return frame(options, {
      width,
      height: y + (more === '' ? 0 : moreHeight) + padding,
      title,
      description: [
        complete,
        ...people.map((row) => `${row.rank}. ${row.person.name}: ${formatPoints(row, options)}`),
      ].join(', '),
      body: `${avatarClip}\n${canvas.body()}`,
    });
  },
});

/** Returns how complete a board is, and when collecting goes on. */
function formatBoardCompleteness(
  { repositories, as_of: asOf }: Static<typeof Board>,
  resumesAt: Date | undefined,
  language: Language,
): string {
  const complete = formatCompleteness(repositories, asOf === null ? undefined : new Date(asOf), language);
  return resumesAt === undefined ? complete : `${complete} · ${resumesText(resumesAt, language)}`;
}

function toTitleHeight({ hide }: CardOptions): number {
  return hide.has('title') ? 0 : titleHeight;
}

/** Draws a title in up to two lines. @returns its height with the room below it. */
function drawTitle(canvas: Canvas, title: string, maxWidth: number): number {
  const place = { at: padding, y: padding + 15, maxWidth };
  const { sizePx, weight } = textStyles.heading;
  if (measure(title, sizePx, weight) <= maxWidth) {
    canvas.headline(place, title);
    return titleHeight;
  }
  const lines = wrap(title, { maxWidth, maxLines: 2, ...textStyles.name });
  canvas.lines('name', { ...place, step: titleLine }, lines);
  return titleHeight + (lines.length - 1) * titleLine;
}

function formatPoints({ points }: Item, { language }: CardOptions): string {
  return language.plural('points', points);
}

/** @returns the y coordinate of the lower end. */
function drawPodium(
  canvas: Canvas,
  people: readonly Item[],
  options: CardOptions,
  images: Images,
  top: number,
): number {
  const width = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const column = (width - 2 * gap) / stepPlaces.length;
  const haveRoom = people.every((item) => measure(formatPoints(item, options), textStyles.label.sizePx) <= column);
  for (const [index, item] of people.entries()) {
    const height = stepHeights[item.rank - 1] ?? 0;
    const at = padding + (stepPlaces[index] ?? 0) * (column + gap);
    const floor = top + podiumHeight - gap;
    const y = floor - height;
    canvas.add(
      `<rect class="t" x="${px(canvas.left(at, column))}" y="${px(y)}" width="${px(column)}" height="${height}" rx="4"/>`,
    );
    const middle = { at: at + column / 2, maxWidth: column, anchor: 'middle' } as const;
    canvas.text('number', { ...middle, y: y + height / 2 + 6.5 }, options.language.number(item.rank));
    const { person } = item;
    const name = person.display_name || person.name;
    const hasPoints = !options.hide.has('points');
    const points = haveRoom ? formatPoints(item, options) : options.language.number(item.points);
    if (hasPoints) canvas.text('label', { ...middle, y: y - 6 }, points);
    const nameY = y - (hasPoints ? 22 : 8);
    canvas.text('name', { ...middle, y: nameY }, name);
    const place = { at: at + (column - podiumAvatar) / 2, y: nameY - 18 - podiumAvatar, size: podiumAvatar };
    drawAvatar(canvas, place, { name, avatarUrl: person.avatar_url }, images);
  }
  return top + podiumHeight - gap;
}

/** @returns the y coordinate of the lower end. */
function drawRows(canvas: Canvas, people: readonly Item[], options: CardOptions, images: Images, top: number): number {
  const { language } = options;
  const width = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const rankWidth = 34;
  const room = width - rankWidth - rowAvatar - 10;
  const { pointsWidth, pointsText, hasChanges } = toColumns(people, options, room);
  for (const [index, item] of people.entries()) {
    const y = top + index * rowHeight;
    const { person } = item;
    const name = person.display_name || person.name;
    canvas.text('label', { at: padding, y: y + 19, maxWidth: rankWidth }, language.number(item.rank));
    const at = padding + rankWidth;
    drawAvatar(canvas, { at, y, size: rowAvatar }, { name, avatarUrl: person.avatar_url }, images);
    const nameAt = at + rowAvatar + 10;
    const nameWidth = room - pointsWidth - (hasChanges ? changeWidth : 0);
    canvas.text('name', { at: nameAt, y: y + 19, maxWidth: nameWidth }, name);
    if (hasChanges) drawChange(canvas, { end: padding + width - pointsWidth, y: y + 19 }, item, options);
    if (pointsWidth > 0)
      canvas.text(
        'label',
        { at: padding + width, y: y + 19, maxWidth: pointsWidth - 8, anchor: 'end' },
        pointsText(item),
      );
  }
  return top + people.length * rowHeight - (rowHeight - rowAvatar);
}

/**
 * Returns the columns beside the names of rows. Where a name would have less than `leastName`, the points lose their unit,
 * then the changes are left out.
 */
function toColumns(
  people: readonly Item[],
  options: CardOptions,
  room: number,
): { pointsWidth: number; pointsText: (item: Item) => string; hasChanges: boolean } {
  const { language, hide } = options;
  const changes = hide.has('changes') ? 0 : changeWidth;
  const formatNumber = ({ points }: Item): string => language.number(points);
  const measureWidest = (toText: (item: Item) => string): number =>
    8 + Math.max(...people.map((item) => measure(toText(item), textStyles.label.sizePx)));
  if (hide.has('points')) return { pointsWidth: 0, pointsText: formatNumber, hasChanges: changes > 0 };
  const withUnit = (item: Item): string => formatPoints(item, options);
  const unitWidth = Math.max(usualPoints, measureWidest(withUnit));
  if (room - unitWidth - changes >= leastName) {
    return { pointsWidth: unitWidth, pointsText: withUnit, hasChanges: changes > 0 };
  }
  const pointsWidth = measureWidest(formatNumber);
  return {
    pointsWidth,
    pointsText: formatNumber,
    hasChanges: changes > 0 && room - pointsWidth - changes >= leastName,
  };
}

/** Draws the ranks gained or lost. The triangle is a shape, because the bundled fonts have no such letter. */
function drawChange(
  canvas: Canvas,
  { end, y }: { end: number; y: number },
  { change }: Item,
  { language }: CardOptions,
): void {
  if (change === null || change === 0) return;
  const width = canvas.text(
    'small',
    { at: end, y, maxWidth: changeWidth - triangle - 4, anchor: 'end' },
    language.compactNumber(Math.abs(change)),
  );
  const left = canvas.left(end - width - triangle - 4, triangle);
  const [foot, tip] = change > 0 ? [y - 1, y - triangle] : [y - triangle, y - 1];
  canvas.add(`<path class="s" d="M${px(left)} ${foot}h${triangle}L${px(left + triangle / 2)} ${tip}z"/>`);
}
