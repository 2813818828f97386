import { drawAvatar } from '../drawing/avatar.ts';
import { type Canvas, textStyles } from '../drawing/canvas.ts';
import { drawRing } from '../drawing/ring.ts';
import type { CardOptions } from '../options.ts';
import { measure } from '../text/measure.ts';
import type { Counter } from './content.ts';
import { drawIcon } from './counters.ts';
import type { Subject } from './header.ts';

export const compactHeightPx = 64;
const side = 16;
const ring = { size: 40, line: 4, avatar: 28 };
const gap = 16;
const iconRoom = 21;
/** The least width that a name keeps beside the counters. */
const leastName = 96;

/** Draws the card in one row: the ring, the name, and as many counters as have room. */
export function drawCompact(
  canvas: Canvas,
  { account, level: { number, level, share }, images }: Subject,
  { counters, options, widthPx }: { counters: readonly Counter[]; options: CardOptions; widthPx: number },
): void {
  const { hide, title } = options;
  const y = (compactHeightPx - ring.size) / 2;
  const name = account.display_name || account.name;
  const [hasLevel, hasAvatar] = [!hide.has('level'), !hide.has('avatar')];
  if (hasLevel) drawRing(canvas, { at: side, y, size: ring.size, line: ring.line }, share, options.palettes.style);
  const size = hasLevel ? ring.avatar : ring.size;
  const inset = (ring.size - size) / 2;
  if (hasAvatar) {
    drawAvatar(canvas, { at: side + inset, y: y + inset, size }, { name, avatarUrl: account.avatar_url }, images);
  } else if (hasLevel) {
    const place = {
      at: side + ring.size / 2,
      y: y + ring.size / 2 + 5,
      maxWidth: ring.avatar,
      anchor: 'middle',
    } as const;
    canvas.text('name', place, number);
  }
  const at = side + (hasLevel || hasAvatar ? ring.size + 12 : 0);
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

interface Placed {
  cells: { counter: Counter; at: number; text: string }[];
  /** The width of all cells with the gap before the first. */
  width: number;
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
