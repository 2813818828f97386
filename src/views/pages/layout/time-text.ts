/** Returns a moment as readers of a language write it, in UTC, to the minute. */
export function timeText(time: Date, locale: string): string {
  const fields = { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(locale, { ...fields, timeZone: 'UTC', timeZoneName: 'short' }).format(time);
}
