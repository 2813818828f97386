import { Temporal } from 'temporal-polyfill';
import { type Static, Type } from 'typebox';
import type { CalendarInput, StreaksInput } from '../../http/pipeline/images.ts';
import { streaksOf, streakUnits, weekdays } from './streaks.ts';

const dayOff = `(${weekdays.join('|')})`;

/** The parameters of streaks in URLs. */
export const StreakParameters = Type.Object({
  by: Type.Optional(
    Type.Enum([...streakUnits], {
      description: 'Streaks of days or of weeks, on the card of streaks.',
      default: 'day',
    }),
  ),
  days_off: Type.Optional(
    Type.String({
      pattern: `^${dayOff}(,${dayOff}){0,6}$`,
      maxLength: 27,
      'x-expected': `days of the week with commas between, of ${weekdays.join(', ')}`,
      'x-explanation': { phrase: 'oneOf', values: { choices: weekdays.join(', ') } },
      description: 'Days that do not end a streak, on the card of streaks.',
      examples: ['sat,sun'],
    }),
  ),
});

type Query = Static<typeof StreakParameters>;

/**
 * Finds the streaks in a calendar, by the parameters of a URL.
 * @param at.isCut true for the days of a window, at whose end the current streak is found.
 */
export function streaksIn(
  calendar: CalendarInput,
  query: Query,
  { present, isCut }: { present: Temporal.PlainDate; isCut: boolean },
): StreaksInput {
  const isOver = isCut && calendar.until < present.toString();
  const off = (query.days_off ?? '').split(',');
  return streaksOf(
    calendar.days.map(({ day }) => day),
    {
      from: calendar.from,
      end: isOver ? Temporal.PlainDate.from(calendar.until) : present,
      isOver,
      unit: query.by ?? 'day',
      daysOff: new Set(weekdays.flatMap((name, index) => (off.includes(name) ? [index + 1] : []))),
    },
  );
}
