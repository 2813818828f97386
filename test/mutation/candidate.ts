/** The properties and list positions that lead to a place in a response. */
export type Path = readonly (string | number)[];

/** Marks a property that the response leaves out. */
export const absent = Symbol('absent');

/** A change of one place in a response. */
export interface Candidate {
  path: Path;
  /** Names the change, such as `null` or `2^53`. */
  change: string;
  /** The value that replaces the original one, or `absent`. */
  value: unknown;
}

const unreadableText = (text: string): string => `${text.slice(0, 1)}\u0000\ud800${text.slice(1)}`;

/** Lists changes of a text without a format. */
export function textChanges(path: Path, value: string): Candidate[] {
  return [
    ...(value === '' ? [] : [{ path, change: 'empty', value: '' }]),
    { path, change: 'NUL and lone surrogate', value: unreadableText(value) },
  ];
}

/** Lists changes of a time: the second and third match a pattern of digits, but no calendar has the day. */
export function timeChanges(path: Path): Candidate[] {
  return [
    { path, change: 'empty', value: '' },
    { path, change: 'no such day', value: '2026-13-45T25:61:61Z' },
    { path, change: 'year 0', value: '0000-01-01T00:00:00Z' },
  ];
}

/** Lists changes of a value of a closed set. */
export function enumChanges(path: Path): Candidate[] {
  return [{ path, change: 'unknown value', value: 'SOMETHING_NEW' }];
}

/** Lists changes of a whole number; an id may have any value up to the largest safe integer. */
export function integerChanges(path: Path): Candidate[] {
  const large = { path, change: '2^53', value: 2 ** 53 };
  return isId(path.at(-1)) ? [large] : [large, { path, change: '2^31', value: 2 ** 31 }];
}

function isId(name: string | number | undefined): boolean {
  return /(?:^id|_id|Id)$/.test(String(name));
}

/** Writes a place without positions in lists and numbers of aliases, so that places of one kind are equal. */
export function toPlace(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? '*' : step.replace(/^([a-z])\d+$/, '$1*'))).join('.');
}

/** Returns a copy of a response that differs in one place alone. */
export function withChange(body: unknown, { path, value }: Pick<Candidate, 'path' | 'value'>): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(body)) {
    const copy: unknown[] = [...body];
    copy[Number(step)] = withChange(copy[Number(step)], { path: rest, value });
    return copy;
  }
  if (typeof body !== 'object' || body === null) return body;
  const copy: Record<string, unknown> = { ...body };
  if (rest.length === 0 && value === absent) delete copy[step];
  else copy[step] = withChange(copy[step], { path: rest, value });
  return copy;
}

/** Returns the values at each step of a path, from the whole response to the place itself. */
export function alongPath(body: unknown, path: Path): unknown[] {
  const values: unknown[] = [body];
  for (const step of path) values.push((Object(values.at(-1)) as Record<string | number, unknown>)[step]);
  return values;
}
