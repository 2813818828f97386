import { didYouMean } from '../../../http/pipeline/parameters.ts';
import { AppError } from '../../../model/errors.ts';
import { nearest } from '../../../model/text/nearest.ts';

/** The parts of a card that can be hidden or shown. */
export interface Parts {
  hideable: readonly string[];
  showable: readonly string[];
  /** Further names that `hide` accepts, which are too many to list. */
  alsoHideable?: NamedParts;
}

/** Names such as those of languages. */
export interface NamedParts {
  /** The noun for the names in error messages. */
  noun: string;
  examples: readonly string[];
  names: () => Iterable<string>;
  /** Returns the name that is meant, in any letter case; undefined where there is none. */
  find: (name: string) => string | undefined;
  /** Returns a known name that no card lists, in any letter case, and the name in its place; empty: there is none. */
  findUncounted: (name: string) => Readonly<{ name: string; group: string }> | undefined;
}

/**
 * Reads a list of parts with commas between.
 * @throws AppError `invalid_input` for parts that the card does not have; it names the nearest one.
 */
export function readParts(
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
