/** The driver declares no types for this file. */
declare module 'pg/lib/utils.js' {
  /** Returns a value of a statement as the driver sends it. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
