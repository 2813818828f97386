/** What Gitea says when it refuses: no header tells of limits or scopes, only the body does. */

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The scopes of which a token needs one more, as Gitea names them; undefined when that is not why it refused.
 * `token does not have at least one of required scope(s): [read:user read:organization]`
 */
export function missingScopes(text: string): string | undefined {
  const [, scopes] = /required scope\(s\)[^[]{0,40}\[([a-z:, ]{1,200})\]/.exec(text.slice(0, 2000)) ?? [];
  return scopes?.trim().split(/[, ]+/).join(' or ');
}

/** Whether it, or a proxy before it, was asked too much. */
export function isLimited(status: number, headers: Headers): boolean {
  return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

/** When to come back (RFC 9110, 10.2.3: seconds or a date); undefined when it does not say. */
export function retryTime(headers: Headers, now: Date): Date | undefined {
  const after = headers['retry-after'];
  if (typeof after !== 'string') return undefined;
  if (/^\d{1,6}$/.test(after)) return new Date(now.getTime() + Math.max(1, Number(after)) * 1000);
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : new Date(Math.max(at, now.getTime() + 1000));
}
