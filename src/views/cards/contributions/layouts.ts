import { drawAvatar } from '../drawing/avatar.ts';
import { type Canvas, type TextStyleName, textStyles } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';
import { drawChip, drawRing } from '../drawing/ring.ts';
import type { CardOptions, Layout } from '../options.ts';
import { oneLine, wrap } from '../text/fit.ts';
import { measure } from '../text/measure.ts';
import { classicHeader } from './classic.ts';
import type { Header, Subject } from './header.ts';

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
