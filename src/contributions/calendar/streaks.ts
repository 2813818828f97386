import { Temporal } from 'temporal-polyfill';
import { type Static, Type } from 'typebox';
import type { CalendarInput, StreakInput, StreaksInput } from '../../http/pipeline/images.ts';

export const streakUnits = ['day', 'week'] as const;
export type StreakUnit = (typeof streakUnits)[number];

const none: StreakInput = { length: 0, from: null, until: null };

/** Names of weekdays in URLs, by their numbers: 1 Monday to 7 Sunday (ISO 8601). */
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

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
 * Finds the streaks in a calendar. A day off without contributions neither ends a streak nor counts; the present day
 * or week does not end one, because it is not over; the last one of a past window is.
 * @param days `YYYY-MM-DD`, with at least one contribution each.
 * @param rules.from the first day of the calendar.
 * @param rules.end the present day, or the last day of a past window.
 * @param rules.isOver true for a past window.
 * @param rules.daysOff numbers of weekdays, 1 Monday to 7 Sunday.
 */
export function toStreaks(
  days: readonly string[],
  rules: { from: string; end: Temporal.PlainDate; isOver: boolean; unit: StreakUnit; daysOff: ReadonlySet<number> },
): StreaksInput {
  const { unit, daysOff, isOver } = rules;
  const active = new Set(days.map((day) => toUnit(Temporal.PlainDate.from(day), unit)));
  const length = unit === 'day' ? { days: 1 } : { days: 7 };
  let [streak, longest] = [none, none];
  // A calendar has at most 371 days; the host's last day may be later than the present one.
  const end = days.reduce((last, day) => (day > last ? day : last), rules.end.toString());
  const unfinished = isOver ? undefined : toUnit(rules.end, unit);
  for (let day = unitStart(Temporal.PlainDate.from(rules.from), unit); ; day = day.add(length)) {
    if (day.toString() > end) break;
    if (active.has(day.toString())) {
      const until = unit === 'day' ? day.toString() : day.add({ days: 6 }).toString();
      streak = { length: streak.length + 1, from: streak.from ?? day.toString(), until };
      if (streak.length > longest.length) longest = streak;
    } else if (endsStreak(day, { unit, unfinished, daysOff })) streak = none;
  }
  return { unit, daysOff: [...daysOff], current: streak, longest };
}

function endsStreak(
  day: Temporal.PlainDate,
  { unit, unfinished, daysOff }: { unit: StreakUnit; unfinished: string | undefined; daysOff: ReadonlySet<number> },
): boolean {
  if (unfinished !== undefined && day.toString() >= unfinished) return false;
  return unit === 'week' || !daysOff.has(day.dayOfWeek);
}

function toUnit(day: Temporal.PlainDate, unit: StreakUnit): string {
  return unitStart(day, unit).toString();
}

/** Returns the day itself, or the Monday of its week. */
function unitStart(day: Temporal.PlainDate, unit: StreakUnit): Temporal.PlainDate {
  return unit === 'day' ? day : day.subtract({ days: day.dayOfWeek - 1 });
}

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
  return toStreaks(
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
