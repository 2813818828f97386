import { counted } from '../../model/text/counted.ts';

/** Returns a time to the minute: `2026-11-21 14:05 UTC`. */
export function utc(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const spans: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** Returns a length of time in its largest unit, rounded down: `3 hours`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [size, unit] = spans.find(([least]) => seconds >= least) ?? [1, 'second'];
  return counted(Math.floor(seconds / size), unit);
}

/** Returns the time since a moment: `3 hours ago`. */
export function ago(time: Date, now: Date): string {
  return `${lasting(now.getTime() - time.getTime())} ago`;
}

/** Joins words: `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const maxQuoted = 300;

/** Returns the first line of a text from a host, without characters that could move a terminal's cursor. */
export function quoted(text: string): string {
  const [line = ''] = text.trim().split(/[\r\n]/, 1);
  const plain = line.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ').trim();
  return plain.length > maxQuoted ? `${plain.slice(0, maxQuoted)}…` : plain;
}
