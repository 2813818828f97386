import { Canvas } from './canvas.ts';
import type { Card } from './card.ts';
import { drawBadge } from './community.card.ts';
import { type Drawing, frame, padding } from './frame.ts';
import type { Look } from './look.ts';
import { wrap } from './text/fit.ts';

/** Where a picture has nothing to show, what it says of that. */
export interface State {
  title: string;
  /** A sentence or two; empty: there is nothing more to say. */
  detail: string;
  isError: boolean;
}

const lineHeight = 17;
const maxLines = 4;
/** Pictures lower than this are badges, which have room for a word alone. */
const badgeHeight = 20;
const error = '#b3261e';

/** Says in the place and size of a picture why it is not there. */
export function drawState(card: Pick<Card, 'emptySize'>, state: State, look: Look): Drawing {
  const { widthPx: width, heightPx: height } = card.emptySize(look);
  if (height <= badgeHeight)
    return drawBadge(look, look.title ?? look.language.words.community, state.title, state.isError ? error : undefined);
  const canvas = new Canvas(width, look.language);
  const room = width - 2 * padding;
  const lines = state.detail === '' ? [] : wrap(state.detail, room, maxLines, 12);
  const middle = { at: width / 2, room, anchor: 'middle' } as const;
  const y = Math.max(padding + 15, height / 2 + 4 - (lines.length * lineHeight) / 2);
  canvas.text('heading', { ...middle, y }, state.title);
  for (const [index, line] of lines.entries())
    canvas.text('label', { ...middle, y: y + 6 + lineHeight * (index + 1) }, line);
  return frame(look, {
    width,
    height: Math.max(height, y + 6 + lineHeight * lines.length + padding),
    title: state.title,
    description: state.detail || state.title,
    body: canvas.body(),
  });
}
