/** A stretch of a condition's text, in UTF-16 units from its beginning; `end` is behind the last one. */
export interface Span {
  start: number;
  end: number;
}

/** What is wrong at one place of a condition. */
export interface Fault extends Span {
  /** A warning: the condition works, but probably not as it is meant. */
  severity: 'error' | 'warning';
  message: string;
  /** What would be right there. */
  expected: string | undefined;
  /** What was probably meant, as it would be written. */
  suggestion: string | undefined;
}

/** Makes a fault of an error; what is not known of it may be left out. */
export function newFault(
  { start, end }: Span,
  message: string,
  { expected, suggestion, severity = 'error' }: Partial<Pick<Fault, 'expected' | 'suggestion' | 'severity'>> = {},
): Fault {
  return { start, end, severity, message, expected, suggestion };
}

/** `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}
