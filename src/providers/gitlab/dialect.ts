import type { Headers } from '../http/client.ts';
import type { Dialect } from '../rest/dialect.ts';

/** https://docs.gitlab.com/api/rest/ and https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ */
export const gitlabDialect: Dialect = {
  apiPath: '/api/v4',
  pageSize: { parameter: 'per_page', most: 100 },
  // https://docs.gitlab.com/security/rate_limits/: of all it says when to come back, of single ones it does not.
  limitsEndpoints: true,
  // Left out of lists of more than 10,000.
  totalHeader: 'x-total',
  // Personal, project and group access tokens and those of OAuth alike.
  requestHeaders: (secret) => ({
    accept: 'application/json',
    'user-agent': 'plaudit',
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  }),
  // {"error": "insufficient_scope", "error_description": "...", "scope": "api read_api"}
  missingScopes: (text) => {
    const told = text.slice(0, 2000);
    if (!told.includes('insufficient_scope')) return undefined;
    const [, scopes] = /"scope"\s*:\s*"([a-z_ ]{1,200})"/.exec(told) ?? [];
    return scopes?.trim().split(/ +/).join(' or ');
  },
  limitReport: (headers) => {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => numberIn(headers, name));
    if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
    return { limit, remaining, resetAt: new Date(reset * 1000) };
  },
};

function numberIn(headers: Headers, name: string): number | undefined {
  const header = headers[`ratelimit-${name}`];
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
