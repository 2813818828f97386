import type { CounterName } from '../../../model/kinds.ts';
import {
  numberDefinition as definitionInEnglish,
  definitionsOf as definitionsInEnglish,
} from '../../../model/rules.ts';
import { type Locale, toLocale } from '../../cards/languages/locales.ts';
import type { Reader } from '../reader.ts';
import { ar } from './ar.ts';
import { cs } from './cs.ts';
import { de } from './de.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { he } from './he.ts';
import { hi } from './hi.ts';
import { id } from './id.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import type { Sentences } from './sentences.ts';
import { sv } from './sv.ts';
import { tr } from './tr.ts';
import { uk } from './uk.ts';
import { zh } from './zh.ts';

/** The sentences that define numbers, in the language of a page. English ones are those of the API. */

const translated: Readonly<Record<Exclude<Locale, 'en'>, Sentences>> = {
  de,
  fr,
  es,
  pt,
  it,
  nl,
  pl,
  cs,
  sv,
  tr,
  ru,
  uk,
  ar,
  he,
  hi,
  zh,
  ja,
  ko,
  id,
};

/** A number that follows from others, or from data of another kind. */
export type NumberName = Exclude<keyof Sentences, 'ofPerson' | 'ofAll' | 'coAuthored'>;

/** Returns the sentence that defines a number. */
export function definitionOf(number: NumberName, reader: Pick<Reader, 'language'>): string {
  return sentencesOf(reader)?.[number] ?? definitionInEnglish(number);
}

/** Returns the sentences that define a counter: of a person, or of the items of all people in repositories. */
export function definitionsOf(
  counter: CounterName,
  { isOfAll }: { isOfAll: boolean },
  reader: Pick<Reader, 'language'>,
): readonly [string, ...string[]] {
  const sentences = sentencesOf(reader);
  if (sentences === undefined) return definitionsInEnglish(counter, { isOfAll });
  if (isOfAll) return [sentences.ofAll[counter]];
  return counter === 'commits' ? [sentences.ofPerson.commits, sentences.coAuthored] : [sentences.ofPerson[counter]];
}

function sentencesOf({ language }: Pick<Reader, 'language'>): Sentences | undefined {
  const locale = toLocale(language.locale);
  return locale === 'en' ? undefined : translated[locale];
}
