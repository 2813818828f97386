import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Envelope } from '../http/envelope.ts';
import { fit, frame, line } from './svg.ts';

const width = 460;
const height = 214;
const margin = 24;
const nameRoom = 40;
const number = new Intl.NumberFormat('en');

/** In the order in which they stand, two in a row. */
const labels = [
  ['commits', 'Commits'],
  ['pull_requests', 'Pull requests'],
  ['pull_requests_merged', 'Merged'],
  ['reviews', 'Reviews'],
  ['issues', 'Issues'],
  ['issues_closed', 'Closed issues'],
  ['discussions', 'Discussions'],
  ['discussions_answered', 'Accepted answers'],
  ['contributed_to', 'Contributed to'],
  ['stars', 'Stars earned'],
] as const;

/** What the picture needs of an answer's item. */
const Item = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  experience: Type.Integer(),
  level: Type.Integer(),
  contributions: Type.Record(Type.String(), Type.Integer()),
});
type Item = Static<typeof Item>;

/** Lifetime counters, and the level with the way to the next one. */
export const contributionsCard = {
  draw({ data, meta_data }: Envelope): string {
    const item = Value.Parse(Item, data[0]);
    const counters = labels.map(([name, label]) => ({ label, value: item.contributions[name] ?? 0 }));
    const who = fit(item.display_name || item.name, nameRoom);
    const missing = meta_data.missing ?? [];
    const told = counters.map(({ label, value }) => `${label}: ${number.format(value)}`).join(', ');
    const coverage = meta_data.includes_private ? 'public and private' : 'public';
    return frame({
      width,
      height,
      title: `Contributions of ${who}`,
      description: `Level ${item.level}. ${told}. Counted is what is ${coverage}.`,
      body: [
        line({ x: margin, y: 36, class: 'title' }, who),
        line(
          { x: margin, y: 55, class: 'soft' },
          `${item.name} · ${coverage}${missing.length > 0 ? ' · still counting' : ''}`,
        ),
        ...level(item),
        ...counters.flatMap(({ label, value }, index) => counter(label, value, index)),
      ].join('\n'),
    });
  },
};

function counter(label: string, value: number, index: number): string[] {
  const column = index % 2;
  const x = margin + column * 218;
  const y = 98 + Math.floor(index / 2) * 23;
  return [line({ x, y, class: 'soft' }, label), line({ x: x + 194, y, class: 'number' }, number.format(value))];
}

/** Progress runs linearly from 100·(level−1)² to 100·level². */
function level({ experience, level: reached }: Item): string[] {
  const from = 100 * Math.max(0, reached - 1) ** 2;
  const to = 100 * Math.max(1, reached) ** 2;
  const share = Math.min(1, Math.max(0, (experience - from) / (to - from)));
  const right = width - margin;
  return [
    line({ x: right, y: 36, class: 'number' }, `Level ${reached}`),
    `<rect class="track" x="${right - 120}" y="46" width="120" height="6" rx="3"/>`,
    `<rect class="bar" x="${right - 120}" y="46" width="${(120 * share).toFixed(1)}" height="6" rx="3"/>`,
  ];
}
