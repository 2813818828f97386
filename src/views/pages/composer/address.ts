import { toPathPart } from '../../../model/account.ts';
import { findCard } from '../../cards/index.ts';
import { cardOptionParameters } from '../../cards/options.ts';
import type { Reader } from '../layout/reader.ts';

/** The fields of the form by their names. They are not checked here, because the card shows its errors itself. */
export type FieldValues = ReadonlyMap<string, string>;

/** A kind of card that can be composed, and its URL. */
interface Kind {
  card: string;
  /** Returns the name of the card. */
  label(reader: Reader): string;
  /** Returns the path below the URL of the account. */
  path(of: { repository: string; board: string }): string;
  /** Returns the parameters that select the kind at that path. */
  parameters(repository: string): Record<string, string>;
  takesRepository: boolean;
  /** The fields of the form in addition to the options of every card. */
  fields: readonly Field[];
}

/** Parameters that only some cards have. */
const windowFields = ['period', 'since', 'until', 'time_zone'] as const;
/** `board` is in the path, and `hidden` are the names in `hide` that are no parts. */
export type Field =
  | 'board'
  | 'limit'
  | 'hidden'
  | 'bots'
  | 'columns'
  | 'layout'
  | 'raw'
  | 'by'
  | 'days_off'
  | 'private'
  | (typeof windowFields)[number];
export const kindFields: readonly Field[] = [
  'limit',
  'bots',
  'columns',
  'layout',
  'raw',
  'by',
  'days_off',
  ...windowFields,
  'private',
];

/** Fields that are checkboxes. */
export const checkboxes = ['border', 'animation', 'bots', 'raw', 'private'] as const;

export const kinds: readonly [Kind, ...Kind[]] = [
  {
    card: 'contributions',
    label: ({ words }) => words.contributions,
    path: () => 'contributions',
    parameters: () => ({}),
    takesRepository: false,
    fields: ['layout', 'limit', 'columns', ...windowFields, 'private'],
  },
  {
    card: 'calendar',
    label: ({ words }) => words.composer.calendar,
    path: () => 'contributions',
    parameters: () => ({ card: 'calendar' }),
    takesRepository: false,
    fields: [...windowFields, 'private'],
  },
  {
    card: 'streak',
    label: ({ words }) => words.composer.streak,
    path: () => 'contributions',
    parameters: () => ({ card: 'streak' }),
    takesRepository: false,
    fields: ['by', 'days_off', ...windowFields, 'private'],
  },
  {
    card: 'languages',
    label: ({ language }) => language.words.languagesTitle,
    path: () => 'contributions',
    parameters: () => ({ card: 'languages' }),
    takesRepository: false,
    fields: ['limit', 'hidden', 'columns', 'period', 'since', 'until', 'private'],
  },
  {
    card: 'contributors',
    label: ({ language }) => language.words.contributorsTitle,
    path: () => 'contributors',
    parameters: (repository): Record<string, string> => (repository === '' ? {} : { repository }),
    takesRepository: true,
    fields: ['limit', 'bots', 'columns', ...windowFields],
  },
  {
    card: 'achievements',
    label: ({ language }) => language.words.achievementsTitle,
    path: () => 'achievements',
    parameters: () => ({}),
    takesRepository: false,
    fields: ['limit', 'columns', 'raw'],
  },
  {
    card: 'board',
    label: ({ words }) => words.detail.boards,
    path: ({ board }) => `boards/${segment(board)}`,
    parameters: () => ({}),
    takesRepository: false,
    fields: ['board', 'limit'],
  },
  {
    card: 'community',
    label: ({ words }) => words.composer.badge,
    path: ({ repository }) =>
      repository === '' ? 'badges/community' : `repositories/${segment(repository)}/badges/community`,
    parameters: () => ({}),
    takesRepository: true,
    fields: ['bots', ...windowFields],
  },
];

/** The values that the form sends for choices that are not made. */
const unchanged: Record<string, string> = {
  theme: 'auto',
  locale: 'en',
  animation: 'none',
  layout: 'ring',
  by: 'day',
  scale: '1',
  border: 'true',
  bots: 'false',
  raw: 'false',
  private: 'false',
};

/** Returns the names in a list with commas between. */
export function readList(value = ''): string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export function findKind(values: FieldValues): Kind {
  return kinds.find(({ card }) => card === values.get('card')) ?? kinds[0];
}

/** Returns the path of the image on this service; undefined while the form names no account, or no board where it needs one. */
export function imagePath(values: FieldValues): string | undefined {
  const name = values.get('name') ?? '';
  if (name === '') return undefined;
  const kind = findKind(values);
  const repository = kind.takesRepository ? (values.get('repository') ?? '') : '';
  const board = values.get('board') ?? '';
  if (kind.fields.includes('board') && board === '') return undefined;
  const format = values.get('format') === 'png' ? 'png' : 'svg';
  const parameters = new URLSearchParams({ format, ...kind.parameters(repository) });
  for (const parameter of new Set([...kindFields, ...Object.keys(cardOptionParameters)])) {
    const value = toValue(values, parameter, kind);
    // Fields of another kind of card are left out.
    if (kindFields.some((field) => field === parameter && !kind.fields.includes(field))) continue;
    if (value === '' || value === unchanged[parameter] || (parameter === 'scale' && format === 'svg')) continue;
    parameters.set(parameter, value);
  }
  const provider = segment(values.get('provider') ?? 'github');
  // Commas need no encoding, and are easier to read without it.
  const query = parameters.toString().replaceAll('%2C', ',');
  return `/v1/${provider}/entities/${toPathPart(name.toWellFormed())}/${kind.path({ repository, board })}?${query}`;
}

/** Returns the value of a field, without parts that only other kinds of cards have. A card with named parts checks them. */
function toValue(values: FieldValues, parameter: string, { card }: Kind): string {
  const value = values.get(parameter) ?? '';
  if (parameter !== 'hide' && parameter !== 'show') return value;
  const { hideable, showable, alsoHideable } = findCard(card).parts;
  if (parameter === 'hide' && alsoHideable !== undefined) return value;
  const parts = parameter === 'hide' ? hideable : showable;
  return value
    .split(',')
    .filter((part) => parts.includes(part))
    .join(',');
}

function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
