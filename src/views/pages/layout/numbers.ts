import type { CounterName } from '../../../model/kinds.ts';
import { fill } from '../../languages/language.ts';
import { loadTexts, type Texts } from '../../languages/texts.ts';
import { html, type Markup } from './html.ts';
import type { Reader } from './reader.ts';

/** The sentences that define numbers, in the language of a page. English ones are those of the API. */

/** A number that follows from others, or from data of another kind. */
export type NumberName = Exclude<keyof Texts['definitions'], 'ofPerson' | 'ofAll' | 'coAuthored'>;

/** Facts about numbers, which `script.js` shows while a pointer or the focus is on one of them. */
export interface NumberFacts {
  /** The id of the text, by which numbers name it as their description. */
  id: string;
  /** The definition, in the language of the page. */
  means: string;
  /** The name of the window, or the condition that has its own. */
  window: string;
  asOf: Date | undefined;
}

/** Renders the facts about one number, beside it in an element of the class `tipped`. */
export function tip(facts: NumberFacts, reader: Reader): Markup {
  return html`<span class="tip" role="tooltip" id="${facts.id}" popover>${renderFacts(facts, reader)}</span>`;
}

/**
 * Renders the facts about all numbers of a list, of the class `number`, once, below it. Where there is no pointer
 * that hovers, it is shown there at all times.
 */
export function sharedTip(facts: NumberFacts, reader: Reader): Markup {
  return html`<p class="tip shared" role="tooltip" id="${facts.id}" popover>${renderFacts(facts, reader)}</p>`;
}

function renderFacts({ means, window, asOf }: NumberFacts, reader: Reader): Markup {
  return html`${means} <bdi>${window}</bdi>${asOfText(asOf, reader)}`;
}

/** Returns the text that follows facts: the time as of which a number is known, if it is. */
export function asOfText(asOf: Date | undefined, { language }: Pick<Reader, 'language'>): string {
  return asOf === undefined ? '' : ` · ${fill(language.words.asOf, { date: language.date(asOf) })}`;
}

/** Renders a number that leads to its items. */
export function numberLink(path: string, number: string, { id }: Pick<NumberFacts, 'id'>): Markup {
  return html`<a href="${path}" class="number" aria-describedby="${id}">${number}</a>`;
}

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
