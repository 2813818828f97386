import { cardOf } from '../index.ts';
import { lookParameters } from '../look.ts';

/** What somebody wants to compose: words from a form, by their names. Nothing of it is checked: pictures say what is wrong. */
export type Wanted = ReadonlyMap<string, string>;

/** A kind of picture that can be composed, and where it is found. */
export interface Kind {
  card: string;
  label: string;
  /** Below the account's address. */
  path(repository: string): string;
  /** Parameters that choose the kind at that path. */
  parameters(repository: string): Record<string, string>;
  /** What the picture is, for those who cannot see it. */
  altText(of: string): string;
  takesRepository: boolean;
  /** What a form has for it besides the look of every picture. */
  fields: readonly Field[];
}

/** Parameters that not every picture has. */
export type Field = 'limit' | 'bots' | 'columns' | 'raw';
export const kindFields: readonly Field[] = ['limit', 'bots', 'columns', 'raw'];

export const kinds: readonly [Kind, ...Kind[]] = [
  {
    card: 'contributions',
    label: 'Contributions',
    path: () => 'contributions',
    parameters: () => ({}),
    altText: (of) => `Contributions of ${of}`,
    takesRepository: false,
    fields: ['columns'],
  },
  {
    card: 'calendar',
    label: 'Calendar',
    path: () => 'contributions',
    parameters: () => ({ card: 'calendar' }),
    altText: (of) => `Contributions of ${of}, day by day`,
    takesRepository: false,
    fields: [],
  },
  {
    card: 'contributors',
    label: 'Contributors',
    path: () => 'contributors',
    parameters: (repository): Record<string, string> => (repository === '' ? {} : { repository }),
    altText: (of) => `Contributors to ${of}`,
    takesRepository: true,
    fields: ['limit', 'bots', 'columns'],
  },
  {
    card: 'achievements',
    label: 'Achievements',
    path: () => 'achievements',
    parameters: () => ({}),
    altText: (of) => `Achievements of ${of}`,
    takesRepository: false,
    fields: ['limit', 'columns', 'raw'],
  },
  {
    card: 'community',
    label: 'Community badge',
    path: (repository) =>
      repository === '' ? 'badges/community' : `repositories/${segment(repository)}/badges/community`,
    parameters: () => ({}),
    altText: (of) => `Community of ${of}`,
    takesRepository: true,
    fields: ['bots'],
  },
];

/** What a form sends of a choice that is not made. */
const unchanged: Record<string, string> = {
  theme: 'auto',
  locale: 'en',
  animation: 'none',
  scale: '1',
  border: 'true',
  bots: 'false',
  raw: 'false',
};

export function kindOf(wanted: Wanted): Kind {
  return kinds.find(({ card }) => card === wanted.get('card')) ?? kinds[0];
}

/** The path of the picture on this service; undefined while nobody is named. */
export function picturePath(wanted: Wanted): string | undefined {
  const name = wanted.get('name') ?? '';
  if (name === '') return undefined;
  const kind = kindOf(wanted);
  const repository = kind.takesRepository ? (wanted.get('repository') ?? '') : '';
  const format = wanted.get('format') === 'png' ? 'png' : 'svg';
  const parameters = new URLSearchParams({ format, ...kind.parameters(repository) });
  for (const parameter of new Set([...kindFields, ...Object.keys(lookParameters)])) {
    const value = valueOf(wanted, parameter, kind);
    // What another kind was composed with is left out.
    if (kindFields.some((field) => field === parameter && !kind.fields.includes(field))) continue;
    if (value === '' || value === unchanged[parameter] || (parameter === 'scale' && format === 'svg')) continue;
    parameters.set(parameter, value);
  }
  const provider = segment(wanted.get('provider') ?? 'github');
  // Commas are as good as their codes, and can be read.
  const query = parameters.toString().replaceAll('%2C', ',');
  return `/v1/${provider}/entities/${segment(name)}/${kind.path(repository)}?${query}`;
}

/** Parts that another kind has are left out. */
function valueOf(wanted: Wanted, parameter: string, { card }: Kind): string {
  const value = wanted.get(parameter) ?? '';
  if (parameter !== 'hide' && parameter !== 'show') return value;
  const { hideable, showable } = cardOf(card).parts;
  const known = parameter === 'hide' ? hideable : showable;
  return value
    .split(',')
    .filter((part) => known.includes(part))
    .join(',');
}

/** What the picture is, for those who cannot see it. */
export function altTextOf(wanted: Wanted): string {
  const kind = kindOf(wanted);
  const repository = kind.takesRepository ? (wanted.get('repository') ?? '') : '';
  const name = wanted.get('name') ?? '';
  return kind.altText(repository === '' ? name : `${name}/${repository}`);
}

function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
