/** The scopes of a token: to read its account's private data; to change settings, keys and links, and to erase. */
export const scopes = ['read', 'manage'] as const;
export type Scope = (typeof scopes)[number];

/** The `typ` of service tokens (RFC 9068). */
export const serviceTokenType = 'at+jwt';

/** The largest difference between the clocks of an owner and of this service that is tolerated, in seconds. */
export const clockToleranceS = 30;

/** The ids (`jti`) that tokens may have: visible ASCII characters. */
export const tokenIdPattern = /^[\x21-\x7e]{1,100}$/;

/** Returns the scopes that a token names: `absent` when it names none, undefined when it names an unknown one. */
export function parseScope(scope: unknown, absent: readonly Scope[]): readonly Scope[] | undefined {
  if (scope === undefined) return absent;
  if (typeof scope !== 'string') return undefined;
  const named = scope.split(' ');
  const known = scopes.filter((name) => named.includes(name));
  return known.length === new Set(named).size ? known : undefined;
}
