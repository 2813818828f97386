import { drawAvatar } from '../drawing/avatar.ts';
import type { Canvas } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';
import type { CardOptions } from '../options.ts';
import { oneLine } from '../text/fit.ts';
import type { LevelTexts } from './content.ts';
import type { Header } from './header.ts';

const avatarSize = 48;
/** On a narrower card, the way to the next level is below the bar, in a line of its own. */
const leastBar = 320;
const wayLine = 16;

/** The account with a bar of the way to the next level below it. */
export function classicHeader(options: CardOptions, widthPx: number): Header {
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
