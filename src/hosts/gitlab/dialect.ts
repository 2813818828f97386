import type { Dialect } from '../rest/dialect.ts';
import { readLimit } from '../transport/headers.ts';

/** https://docs.gitlab.com/api/rest/ and https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ */
export const gitlabDialect: Dialect = {
  apiPath: '/api/v4',
  pageSize: { parameter: 'per_page', most: 100 },
  // https://docs.gitlab.com/security/rate_limits/: general limits name the time of the next request, those of endpoints
  // do not.
  limitsEndpoints: true,
  // GitLab leaves it out for lists of more than 10,000 items.
  totalHeader: 'x-total',
  // The header is the same for personal, project, group and OAuth tokens.
  requestHeaders: (secret) => ({
    accept: 'application/json',
    'user-agent': 'plaudit',
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  }),
  // {"error": "insufficient_scope", "error_description": "...", "scope": "api read_api"}
  missingScopes: (text) => {
    const excerpt = text.slice(0, 2000);
    if (!excerpt.includes('insufficient_scope')) return undefined;
    const [, scopes] = /"scope"\s*:\s*"([a-z_ ]{1,200})"/.exec(excerpt) ?? [];
    return scopes?.trim().split(/ +/).join(' or ');
  },
  limitReport: (headers) => readLimit(headers, 'ratelimit'),
};
