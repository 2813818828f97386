import { type TProperties, Type } from 'typebox';
import { didYouMean, languagePart } from '../../http/pipeline/parameters.ts';
import { AppError } from '../../model/errors.ts';
import { nearest } from '../../model/text.ts';
import { type Language, loadLanguage } from '../languages/language.ts';
import { locales } from '../languages/texts.ts';
import {
  type Colour,
  colourPattern,
  findPalettes,
  type Palette,
  type Palettes,
  readColour,
  themeAliases,
  themeNames,
} from './drawing/themes.ts';

/** The parts of a card that can be hidden or shown. */
export interface Parts {
  hideable: readonly string[];
  showable: readonly string[];
  /** Further names that `hide` accepts, which are too many to list. */
  alsoHideable?: NamedParts;
}

/** Names such as those of languages. */
interface NamedParts {
  /** The noun for the names in error messages. */
  noun: string;
  examples: readonly string[];
  names: () => Iterable<string>;
  /** Returns the name that is meant, in any letter case; undefined where there is none. */
  find: (name: string) => string | undefined;
  /** Returns a known name that no card lists, in any letter case, and the name in its place; empty: there is none. */
  findUncounted: (name: string) => Readonly<{ name: string; group: string }> | undefined;
}

/** The options of a card that do not depend on its content. */
export interface CardOptions {
  /** Without a dark palette, the light one is used on every screen. */
  palettes: Palettes;
  language: Language;
  /** Names of parts to leave out, and of parts to add that are left out by default. */
  hide: ReadonlySet<string>;
  show: ReadonlySet<string>;
  /** Replaces the card's own title. */
  title: string | undefined;
  widthPx: number | undefined;
  columns: number | undefined;
  radiusPx: number;
  hasBorder: boolean;
  isAnimated: boolean;
  layout: Layout;
  /** True to draw the content alone, without a background. */
  isRaw: boolean;
}

/** The layouts of the card of contributions. */
export const layouts = ['ring', 'classic', 'compact'] as const;
export type Layout = (typeof layouts)[number];

export const widths = { min: 240, max: 1200 };
const defaults = {
  theme: 'auto',
  locale: 'en',
  radius: 8,
  border: true,
  animation: 'none',
  layout: 'ring',
  raw: false,
} as const;
const maxRadius = 32;
const maxScale = 4;
const maxTitleLength = 100;
const maxListLength = 300;
const colourExpectation = 'a colour in hexadecimal digits, such as 0969da';

const colour = (of: string) =>
  Type.Optional(
    Type.String({
      pattern: colourPattern,
      'x-expected': colourExpectation,
      'x-explanation': { phrase: 'colour' },
      description: `Colour of ${of}: hexadecimal digits.`,
      examples: ['0969da'],
    }),
  );

/** The query parameters of every card. */
export const cardOptionParameters = {
  theme: Type.Optional(
    Type.Enum([...themeNames, ...Object.keys(themeAliases)], {
      description:
        'Colours; `auto` is light or dark as the screen is. Names with `_` and without `-` are those of other services.',
      default: defaults.theme,
    }),
  ),
  background_color: colour('the background; eight digits let through what is behind'),
  border_color: colour('the border'),
  text_color: colour('the text'),
  muted_color: colour('what is said in passing'),
  accent_color: colour('what is pointed out'),
  hide: Type.Optional(
    Type.String({
      maxLength: maxListLength,
      description:
        'Parts to leave out, with commas between. On the card of languages, names of languages too, in any letter case.',
    }),
  ),
  show: Type.Optional(Type.String({ maxLength: maxListLength, description: 'Parts to add, with commas between.' })),
  title: Type.Optional(Type.String({ maxLength: maxTitleLength, description: 'Text in the place of the title.' })),
  width: Type.Optional(Type.Integer({ minimum: widths.min, maximum: widths.max, description: 'Pixels.' })),
  layout: Type.Optional(
    Type.Enum([...layouts], {
      description:
        'On the card of contributions: a ring of the way to the next level, a bar in its place, or a single row.',
      default: defaults.layout,
    }),
  ),
  columns: Type.Optional(Type.Integer({ minimum: 1, maximum: 6, description: 'Columns of a list.' })),
  radius: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxRadius,
      default: defaults.radius,
      description: 'Radius of the corners, in pixels.',
    }),
  ),
  border: Type.Optional(Type.Boolean({ default: defaults.border, description: 'Draw the border.' })),
  locale: Type.Optional(
    Type.Enum([...locales], {
      'x-language': true,
      default: defaults.locale,
      description: 'Language of words, numbers and dates; a region behind it, as in `pt-BR`, has no effect.',
    }),
  ),
  animation: Type.Optional(
    Type.Enum(['none', 'subtle'], {
      description: 'Nothing moves for readers whose system is set to reduced motion.',
      default: defaults.animation,
    }),
  ),
  scale: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxScale, default: 1, description: 'PNG pixels for each pixel.' }),
  ),
  canvas: Type.Optional(
    Type.Enum(['preview'], {
      description: 'PNG of 1200 × 630 pixels with the card in its middle, for previews of links.',
    }),
  ),
} satisfies TProperties;

/** The values of these parameters, as their schemas read them. */
export type CardOptionsQuery = Readonly<Record<string, unknown>>;

/**
 * Reads the options of a card.
 * @throws AppError `invalid_input` for parts that the card does not have.
 */
export function readCardOptions(query: CardOptionsQuery, parts: Parts): CardOptions {
  return {
    palettes: findPalettes(choice(toTheme(query['theme']), themeNames, defaults.theme), changedColours(query)),
    language: loadLanguage(choice(query['locale'], locales, defaults.locale)),
    hide: readParts('hide', query['hide'], parts),
    show: readParts('show', query['show'], parts),
    title: typeof query['title'] === 'string' ? query['title'] : undefined,
    widthPx: integer(query['width']),
    columns: integer(query['columns']),
    radiusPx: integer(query['radius']) ?? defaults.radius,
    hasBorder: query['border'] !== false,
    isAnimated: query['animation'] === 'subtle',
    layout: layouts.find((layout) => layout === query['layout']) ?? defaults.layout,
    isRaw: query['raw'] === true,
  };
}

/**
 * Reads the options for an error in the place of a card: those of the request, as far as they are valid.
 * @param query the unchecked query of the request.
 */
export function readCardOptionsLoosely(query: CardOptionsQuery): CardOptions {
  return readCardOptions(
    {
      ...query,
      locale: typeof query['locale'] === 'string' ? languagePart(query['locale']) : undefined,
      hide: undefined,
      show: undefined,
      title: undefined,
      columns: undefined,
      radius: looseNumber(query['radius'], 0, maxRadius),
      width: looseNumber(query['width'], widths.min, widths.max),
      border: query['border'] !== 'false' && query['border'] !== false,
      raw: query['raw'] === 'true' || query['raw'] === true,
    },
    { hideable: [], showable: [] },
  );
}

/** Returns the scale of an image whose other parameters may be wrong; undefined: the default. */
export function looseScale(query: CardOptionsQuery): number | undefined {
  return looseNumber(query['scale'], 1, maxScale);
}

function looseNumber(value: unknown, min: number, max: number): number | undefined {
  const number =
    typeof value === 'number' || (typeof value === 'string' && /^\d{1,4}$/.test(value)) ? Number(value) : -1;
  return number >= min && number <= max ? number : undefined;
}

const colourNames: Record<string, keyof Palette> = {
  background_color: 'background',
  border_color: 'border',
  text_color: 'text',
  muted_color: 'muted',
  accent_color: 'accent',
};

function changedColours(query: CardOptionsQuery): Partial<Palette> {
  const changed: Partial<Record<keyof Palette, Colour>> = {};
  for (const [name, of] of Object.entries(colourNames)) {
    const given = query[name];
    const read = typeof given === 'string' ? readColour(given) : undefined;
    if (read !== undefined) changed[of] = read;
  }
  return changed;
}

/** Returns a theme by its own name. */
function toTheme(given: unknown): unknown {
  return typeof given === 'string' ? (themeAliases[given] ?? given) : given;
}

function choice(given: unknown, names: readonly string[], otherwise: string): string {
  return names.find((name) => name === given) ?? otherwise;
}

function integer(given: unknown): number | undefined {
  return typeof given === 'number' ? given : undefined;
}

/** Returns the parameters that change the card, in one canonical form. */
export function normalize(query: CardOptionsQuery): string {
  const entries = Object.entries(query)
    .filter(([name, value]) => value !== undefined && value !== findDefault(name))
    .map(([name, value]): [string, string] => [name, normalizeValue(name, value)])
    .filter(([, value]) => value !== '')
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new URLSearchParams(entries).toString();
}

function findDefault(name: string): unknown {
  return Object.entries(defaults).find(([one]) => one === name)?.[1];
}

function normalizeValue(name: string, value: unknown): string {
  if (name === 'theme') return String(toTheme(value));
  if (name === 'hide' || name === 'show') {
    const names = String(value).split(',');
    return [...new Set(names.map((part) => part.trim()))]
      .filter((part) => part !== '')
      .toSorted()
      .join(',');
  }
  return name.endsWith('_color') ? (readColour(String(value)) ?? '') : String(value);
}

/**
 * Reads a list of parts with commas between.
 * @throws AppError `invalid_input` for parts that the card does not have; it names the nearest one.
 */
function readParts(
  parameter: 'hide' | 'show',
  given: unknown,
  { hideable, showable, alsoHideable }: Parts,
): ReadonlySet<string> {
  const [known, named] = parameter === 'hide' ? [hideable, alsoHideable] : [showable, undefined];
  const written = typeof given === 'string' ? given.split(',').filter((name) => name.trim() !== '') : [];
  return new Set(
    written.map((name) => {
      const part = name.trim();
      const found = known.includes(part) ? part : named && findNamed(name, named);
      if (found === undefined) throw noSuchPart(parameter, part, known, named);
      return found;
    }),
  );
}

/** A plus that was not encoded arrives as a space: `c++` as `c` and two spaces. */
function findNamed(written: string, { find }: NamedParts): string | undefined {
  return find(written.replaceAll(' ', '+')) ?? find(written.trim());
}

function noSuchPart(
  parameter: 'hide' | 'show',
  part: string,
  known: readonly string[],
  named: NamedParts | undefined,
): AppError {
  if (known.length === 0) {
    return new AppError('invalid_input', `${parameter} must be left out: this card has no such parts.`);
  }
  const uncounted = named?.findUncounted(part);
  if (uncounted?.group === '') return notCounted(parameter, uncounted.name);
  const meant = uncounted?.group ?? nearest(part, [...known, ...(named?.names() ?? [])]);
  const hint = meant === undefined ? '' : `${parameter}: did you mean ${meant}? `;
  const listed = known.join(', ');
  const choices = named === undefined ? listed : `${listed}, ${named.examples.join(', ')}, …`;
  return new AppError(
    'invalid_input',
    `${hint}${parameter} must be of ${named === undefined ? listed : `${listed} and names of ${named.noun}`}.`,
    {
      explanations: [
        ...(meant === undefined ? [] : [didYouMean(parameter, meant)]),
        { phrase: 'oneOf', values: { name: parameter, choices } },
      ],
    },
  );
}

function notCounted(parameter: string, language: string): AppError {
  return new AppError('invalid_input', `${parameter}: ${language} is data or prose, which is not counted.`, {
    explanations: [{ phrase: 'notCounted', values: { language } }],
  });
}
