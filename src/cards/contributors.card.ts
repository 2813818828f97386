import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Envelope } from '../http/envelope.ts';
import { escapeText, fit, frame, line } from './svg.ts';

const width = 460;
const margin = 24;
const columns = 2;
const rowHeight = 44;
const nameRoom = 18;
const number = new Intl.NumberFormat('en');

/** What the picture needs of an answer's items. */
const Item = Type.Object({ name: Type.String(), display_name: Type.String(), contributions: Type.Integer() });
type Item = Static<typeof Item>;

/** Who contributed, with how much. */
export const contributorsCard = {
  draw({ data, meta_data, next_cursor }: Envelope): string {
    const people = data.map((item) => Value.Parse(Item, item));
    const rows = Math.max(1, Math.ceil(people.length / columns));
    const height = 60 + rows * rowHeight + (next_cursor === undefined ? 8 : 30);
    const told = people.map(({ name, contributions }) => `${name}: ${number.format(contributions)}`).join(', ');
    const body = [
      line({ x: margin, y: 36, class: 'title' }, 'Contributors'),
      ...people.flatMap((person, index) => row(person, index)),
      ...(people.length === 0 ? [line({ x: margin, y: 78, class: 'soft' }, 'Nobody yet')] : []),
      ...(next_cursor === undefined ? [] : [line({ x: margin, y: height - 18, class: 'soft' }, 'and more')]),
    ];
    const title = `Contributors${meta_data.complete === false ? ' (still counting)' : ''}`;
    return frame({ width, height, title, description: told || 'Nobody yet', body: body.join('\n') });
  },
};

function row({ name, display_name, contributions }: Item, index: number): string[] {
  const x = margin + (index % columns) * 218;
  const y = 58 + Math.floor(index / columns) * rowHeight;
  const [initial = '?'] = (display_name || name).trim();
  return [
    `<circle class="disc" cx="${x + 16}" cy="${y + 16}" r="16"/>`,
    `<text class="initials" x="${x + 16}" y="${y + 21}">${escapeText(initial.toUpperCase())}</text>`,
    line({ x: x + 42, y: y + 14 }, fit(display_name || name, nameRoom)),
    line({ x: x + 42, y: y + 31, class: 'soft' }, `${number.format(contributions)} contributions`),
  ];
}
