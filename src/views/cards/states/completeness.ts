import { fill, type Language } from '../../languages/language.ts';

/** Returns how many repositories of a board are completely collected, and as of when. */
export function formatCompleteness(
  { total, complete }: { total: number; complete: number },
  asOf: Date | undefined,
  { words, number, date }: Language,
): string {
  const counts = fill(words.completeRepositories, { n: number(complete), total: number(total) });
  return asOf === undefined ? counts : `${counts}, ${fill(words.asOf, { date: date(asOf) })}`;
}
