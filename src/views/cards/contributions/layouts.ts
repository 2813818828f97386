import type { Images } from '../card.ts';
import { drawAvatar } from '../drawing/avatar.ts';
import { type Canvas, type TextStyleName, textStyles } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';
import { drawChip, drawRing } from '../drawing/ring.ts';
import type { CardOptions, Layout } from '../options.ts';
import { oneLine, wrap } from '../text/fit.ts';
import { measure } from '../text/measure.ts';
import type { Content, Counter, LevelTexts } from './content.ts';
import { drawIcon } from './counters.ts';

/** The account of the card. */
interface Subject {
  account: Content['account'];
  level: LevelTexts;
  images: Images;
}

/** The upper part of the card: the account and its level. */
export interface Header {
  heightPx: number;
  draw: (canvas: Canvas, subject: Subject) => void;
}

export const compactHeightPx = 64;
const side = 16;
const compactRing = { size: 40, line: 4, avatar: 28 };
const gap = 16;
const iconRoom = 21;
/** The least width that a name keeps beside the counters. */
const leastName = 96;

interface Placed {
  cells: { counter: Counter; at: number; text: string }[];
  /** The width of all cells with the gap before the first. */
  width: number;
}

const avatarSize = 48;
/** On a narrower card, the way to the next level is below the bar, in a line of its own. */
const leastBar = 320;
const wayLine = 16;

const ring = { size: 92, line: 7, avatar: 70, room: 18 };
const besideRing = padding + ring.size + ring.room;
/** Fonts of readers can be a fifth wider than the measured one. */
const besideLevel = 22;
/** With less room for texts beside it, the ring stands above them. */
const leastBeside = 168;
const chip = { least: 30, beside: 16 };

export const headers: Readonly<Record<Exclude<Layout, 'compact'>, (options: CardOptions, widthPx: number) => Header>> =
  {
    ring: (options, widthPx) => {
      const { hide } = options;
      if (hide.has('level') && hide.has('avatar')) return classicHeader(options, widthPx);
      return widthPx - besideRing - padding < leastBeside ? ringAbove(options, widthPx) : ringBeside(options, widthPx);
    },
    classic: classicHeader,
  };

/** Draws the avatar in the ring of the level, and the level on the ring; the level alone where the avatar is hidden. */
function drawSignature(
  canvas: Canvas,
  { account, level: { number, share }, images }: Subject,
  { hide, palettes }: CardOptions,
  at: number,
): void {
  const middle = at + ring.size / 2;
  if (!hide.has('level')) drawRing(canvas, { at, y: padding, size: ring.size, line: ring.line }, share, palettes.style);
  if (hide.has('avatar')) {
    const place = { at: middle, y: padding + ring.size / 2 + 10, maxWidth: ring.avatar - 4, anchor: 'middle' } as const;
    canvas.text(measure(number, textStyles.big.sizePx, 'bold') <= place.maxWidth ? 'big' : 'name', place, number);
    return;
  }
  const inset = hide.has('level') ? 0 : (ring.size - ring.avatar) / 2;
  const person = { name: account.display_name || account.name, avatarUrl: account.avatar_url };
  drawAvatar(canvas, { at: at + inset, y: padding + inset, size: ring.avatar }, person, images);
  if (hide.has('level')) return;
  const width = Math.max(chip.least, measure(number, textStyles.chip.sizePx, 'bold') + chip.beside);
  drawChip(canvas, { at: middle, y: padding + ring.size - ring.line / 2 }, number, width);
}

interface Line {
  style: TextStyleName | 'headline';
  text: string;
  /** The distance to the baseline of the line before. */
  step: number;
  /** True for words of the card's language. */
  isProse?: boolean;
}

/**
 * Returns the lines about the account: its name, its login and its level, as far as they are shown.
 * @param maxWidth the room in which the way to the next level stands beside the level, or below it; undefined: each has
 * a line of its own.
 */
function toLines(
  { account, level: { level, way } }: Subject,
  { hide, title }: CardOptions,
  maxWidth: number | undefined,
): Line[] {
  const { sizePx } = textStyles.label;
  const heading = title ?? (account.display_name || account.name);
  const used = measure(level, textStyles.name.sizePx, 'bold') + measure(way, sizePx) + besideLevel;
  const ofWay = maxWidth === undefined ? [way] : used <= maxWidth ? [] : wrap(way, { maxWidth, maxLines: 2, sizePx });
  return [
    { style: 'headline', text: heading, step: 0 },
    ...(oneLine(heading) === account.name ? [] : [{ style: 'label', text: account.name, step: 18 } as const]),
    ...(hide.has('level') ? [] : [{ style: 'name', text: level, step: 25, isProse: true } as const]),
    ...(hide.has('level') || way === ''
      ? []
      : ofWay.map((text) => ({ style: 'label', text, step: 17, isProse: true }) as const)),
  ];
}

function ringBeside(options: CardOptions, widthPx: number): Header {
  const maxWidth = widthPx - besideRing - padding;
  return {
    heightPx: padding + ring.size + 22,
    draw: (canvas, subject) => {
      drawSignature(canvas, subject, options, padding);
      const lines = toLines(subject, options, maxWidth);
      const block = lines.reduce((sum, { step }) => sum + step, 0);
      let y = padding + ring.size / 2 - block / 2 + 5;
      const place = { at: besideRing, maxWidth };
      for (const { style, text, step } of lines) {
        y += step;
        const used =
          style === 'headline' ? canvas.headline({ ...place, y }, text) : canvas.text(style, { ...place, y }, text);
        if (style !== 'name' || lines.at(-1)?.style !== 'name') continue;
        canvas.text(
          'label',
          { at: besideRing + used + besideLevel, y, maxWidth: maxWidth - used - besideLevel, isProse: true },
          subject.level.way,
        );
      }
    },
  };
}

function ringAbove(options: CardOptions, widthPx: number): Header {
  const maxWidth = widthPx - 2 * padding;
  const top = padding + ring.size + 32;
  const ofLevel = options.hide.has('level') ? 0 : 42;
  return {
    heightPx: top + 18 + ofLevel + 22,
    draw: (canvas, subject) => {
      drawSignature(canvas, subject, options, (widthPx - ring.size) / 2);
      let y = top;
      const place = { at: widthPx / 2, maxWidth, anchor: 'middle' } as const;
      for (const { style, text, step, isProse = false } of toLines(subject, options, undefined)) {
        y += step;
        if (style === 'headline') canvas.headline({ ...place, y }, text);
        else canvas.text(style, { ...place, y, isProse }, text);
      }
    },
  };
}

/** The account with a bar of the way to the next level below it. */
function classicHeader(options: CardOptions, widthPx: number): Header {
  const { hide } = options;
  const hasAvatar = !hide.has('avatar');
  const ofName = padding + (hasAvatar ? avatarSize : 40) + 18;
  return {
    heightPx: ofName + (hide.has('level') ? 0 : 48 + (widthPx < leastBar ? wayLine : 0)),
    draw: (canvas, { account, level, images }) => {
      const name = account.display_name || account.name;
      const person = { name, avatarUrl: account.avatar_url };
      if (hasAvatar) drawAvatar(canvas, { at: padding, y: padding, size: avatarSize }, person, images);
      const at = padding + (hasAvatar ? avatarSize + 14 : 0);
      const maxWidth = widthPx - at - padding;
      const top = padding + (hasAvatar ? 4 : 0);
      const heading = options.title ?? name;
      const isNameEnough = oneLine(heading) === account.name;
      canvas.headline({ at, y: top + (isNameEnough ? 26 : 17), maxWidth }, heading);
      if (!isNameEnough) canvas.text('label', { at, y: top + 36, maxWidth }, account.name);
      if (!hide.has('level')) drawBar(canvas, level, { y: ofName, width: widthPx - 2 * padding });
    },
  };
}

/** Draws the level with a bar of the way to the next one. */
function drawBar(canvas: Canvas, { level, way, share }: LevelTexts, { y, width }: { y: number; width: number }): void {
  const used = canvas.text('name', { at: padding, y: y + 11, maxWidth: width * 0.6 }, level);
  const beside = { at: padding + width, y: y + 11, maxWidth: width - used - 6, anchor: 'end' } as const;
  const below = { at: padding, y: y + 42, maxWidth: width };
  canvas.text('label', { ...(width + 2 * padding < leastBar ? below : beside), isProse: true }, way);
  canvas.rect({ at: padding, y: y + 20, width, height: 6, radius: 3 }, 'class="t"');
  if (share > 0)
    canvas.rect({ at: padding, y: y + 20, width: Math.max(6, width * share), height: 6, radius: 3 }, 'class="a f"');
}

/** Draws the card in one row: the ring, the name, and as many counters as have room. */
export function drawCompact(
  canvas: Canvas,
  { account, level: { number, level, share }, images }: Subject,
  { counters, options, widthPx }: { counters: readonly Counter[]; options: CardOptions; widthPx: number },
): void {
  const { hide, title } = options;
  const y = (compactHeightPx - compactRing.size) / 2;
  const name = account.display_name || account.name;
  const [hasLevel, hasAvatar] = [!hide.has('level'), !hide.has('avatar')];
  if (hasLevel)
    drawRing(canvas, { at: side, y, size: compactRing.size, line: compactRing.line }, share, options.palettes.style);
  const size = hasLevel ? compactRing.avatar : compactRing.size;
  const inset = (compactRing.size - size) / 2;
  if (hasAvatar) {
    drawAvatar(canvas, { at: side + inset, y: y + inset, size }, { name, avatarUrl: account.avatar_url }, images);
  } else if (hasLevel) {
    const place = {
      at: side + compactRing.size / 2,
      y: y + compactRing.size / 2 + 5,
      maxWidth: compactRing.avatar,
      anchor: 'middle',
    } as const;
    canvas.text('name', place, number);
  }
  const at = side + (hasLevel || hasAvatar ? compactRing.size + 12 : 0);
  const heading = title ?? name;
  const nameWidth = Math.min(measure(heading, textStyles.name.sizePx, 'bold'), widthPx - at - side);
  const placed = placeCounters(counters, options, widthPx - at - side - Math.max(leastName, Math.min(nameWidth, 180)));
  const maxWidth = widthPx - at - side - placed.width;
  canvas.text('name', { at, y: hasLevel ? 30 : 37, maxWidth }, heading);
  if (hasLevel) canvas.text('label', { at, y: 47, maxWidth }, level);
  for (const { counter, at: from, text } of placed.cells) {
    const left = widthPx - side - placed.width + from;
    if (!hide.has('icons')) drawIcon(canvas, counter.name, left, (compactHeightPx - 16) / 2);
    const textAt = left + (hide.has('icons') ? 0 : iconRoom);
    canvas.text('name', { at: textAt, y: compactHeightPx / 2 + 5, maxWidth: 80 }, text);
  }
}

/** Returns the first counters that have room in a row, with short numbers. */
function placeCounters(counters: readonly Counter[], { language, hide }: CardOptions, room: number): Placed {
  const cells: Placed['cells'] = [];
  let width = 0;
  for (const counter of counters) {
    const text = counter.full === '–' ? counter.full : language.compactNumber(counter.value);
    const cell = (hide.has('icons') ? 0 : iconRoom) + Math.ceil(measure(text, textStyles.name.sizePx, 'bold'));
    if (width + gap + cell > room) break;
    cells.push({ counter, at: width + gap, text });
    width += gap + cell;
  }
  return { cells, width };
}
