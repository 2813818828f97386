import type { StreakUnit } from '../../../contributions/calendar/streaks.ts';
import { counterNames } from '../../../model/counters.ts';
import { toLocale } from '../../languages/texts.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { type FieldValues, findKind, kinds } from './address.ts';

/** Describes the image in its own language for readers who cannot see it. */
export function formatAltText(values: FieldValues): string {
  const { card, takesRepository, fields } = findKind(values);
  const reader = toReader({ locale: toLocale(values.get('locale') ?? 'en'), isChosen: true });
  const below = takesRepository ? values.get('repository') : fields.includes('board') ? values.get('board') : undefined;
  const of = [values.get('name') ?? '', ...(below === undefined || below === '' ? [] : [below])].join('/');
  return `${labelOfCard(card, reader)}: ${of}`;
}

/** Returns the name of a kind of card. */
export function labelOfCard(card: string, reader: Reader): string {
  return kinds.find((kind) => kind.card === card)?.label(reader) ?? card;
}

/** Returns the name of a part of a card. */
export function labelOfPart(part: string, { language, words }: Reader): string {
  const counter = counterNames.find((counter) => counter === part);
  if (counter !== undefined) return language.words[counter];
  const labels: Readonly<Record<string, string>> = {
    ...words.composer,
    next: language.words.nextAchievement,
    longest: language.words.longestStreak,
    other: language.words.otherLanguages,
    repositories: words.repositories,
    changes: words.detail.change,
    points: words.detail.points,
  };
  return labels[part] ?? part;
}

/** Returns the name of a period, such as `last-7d` or `previous-month`. */
export function labelOfPeriod(period: string, { language }: Reader): string {
  const [, days] = /^last-(\d+)d$/.exec(period) ?? [];
  if (days !== undefined) return language.days(Number(days));
  const [, relation, unit] = /^(this|previous)-(week|month|quarter|year)$/.exec(period) ?? [];
  const name = (['week', 'month', 'quarter', 'year'] as const).find((known) => known === unit);
  if (name === undefined) return period;
  const relative = new Intl.RelativeTimeFormat(language.locale, { numeric: 'auto' });
  return relative.format(relation === 'this' ? 0 : -1, name);
}

/** Returns the name of a unit of streaks. */
export function labelOfUnit(unit: StreakUnit, { language }: Reader): string {
  const field = unit === 'week' ? 'weekOfYear' : unit;
  return new Intl.DisplayNames(language.locale, { type: 'dateTimeField' }).of(field) ?? unit;
}

/** Returns the name of a language in itself. */
export function nameOfLanguage(code: string): string {
  return new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
}
