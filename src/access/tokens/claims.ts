/** What a token allows: to read its account's private data; to change settings, keys and links, and to erase. */
export const scopes = ['read', 'manage'] as const;
export type Scope = (typeof scopes)[number];

/** What service tokens say they are (RFC 9068). */
export const serviceTokenType = 'at+jwt';

/** How much clocks may differ. */
export const clockToleranceS = 30;

/** The scopes that a token names; of one that names none, `absent`; undefined when it names one that there is not. */
export function parseScope(scope: unknown, absent: readonly Scope[]): readonly Scope[] | undefined {
  if (scope === undefined) return absent;
  if (typeof scope !== 'string') return undefined;
  const named = scope.split(' ');
  const known = scopes.filter((name) => named.includes(name));
  return known.length === new Set(named).size ? known : undefined;
}
