import type { CounterName } from '../../model/kinds.ts';
import { loadTexts, type Texts } from '../languages/texts.ts';
import type { Reader } from './reader.ts';

/** The sentences that define numbers, in the language of a page. English ones are those of the API. */

/** A number that follows from others, or from data of another kind. */
export type NumberName = Exclude<keyof Texts['definitions'], 'ofPerson' | 'ofAll' | 'coAuthored'>;

/** Returns the sentence that defines a number. */
export function defineNumber(number: NumberName, reader: Pick<Reader, 'language'>): string {
  return loadTexts(reader.language.locale).definitions[number];
}

/** Returns the sentences that define a counter: of a person, or of the items of all people in repositories. */
export function defineCounter(
  counter: CounterName,
  { isOfAll }: { isOfAll: boolean },
  reader: Pick<Reader, 'language'>,
): readonly [string, ...string[]] {
  const { ofAll, ofPerson, coAuthored } = loadTexts(reader.language.locale).definitions;
  if (isOfAll) return [ofAll[counter]];
  return counter === 'commits' ? [ofPerson.commits, coAuthored] : [ofPerson[counter]];
}
