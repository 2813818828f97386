/** A range of a condition's text, in UTF-16 units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** An error or a warning at one place of a condition. */
export interface Fault extends Span {
  /** `warning` means that the condition works, but probably not as its author intends. */
  severity: 'error' | 'warning';
  message: string;
  /** A description of the text that is valid there. */
  expected: string | undefined;
  /** The text that the author probably meant. */
  suggestion: string | undefined;
  /** True for a key that has no effect, because no such key exists. */
  isUnknownKey?: boolean;
}

/** Creates a fault, by default an error. */
export function newFault(
  { start, end }: Span,
  message: string,
  { expected, suggestion, severity = 'error' }: Partial<Pick<Fault, 'expected' | 'suggestion' | 'severity'>> = {},
): Fault {
  return { start, end, severity, message, expected, suggestion };
}

/** Joins names like `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}
