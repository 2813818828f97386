import type { Dialect } from '../rest/dialect.ts';

/**
 * Gitea's version of REST. No header states limits or scopes; the body of a refusal names missing scopes.
 * https://docs.gitea.com/development/api-usage
 */
export const giteaDialect: Dialect = {
  apiPath: '/api/v1',
  // 50 is the default maximum of Gitea, which silently returns fewer items when a request exceeds it.
  pageSize: { parameter: 'limit', most: 50 },
  totalHeader: 'x-total-count',
  limitsEndpoints: false,
  requestHeaders: (secret) => ({
    accept: 'application/json',
    'user-agent': 'plaudit',
    ...(secret !== undefined && { authorization: `token ${secret}` }),
  }),
  // `token does not have at least one of required scope(s): [read:user read:organization]`
  missingScopes: (text) => {
    const [, scopes] = /required scope\(s\)[^[]{0,40}\[([a-z:, ]{1,200})\]/.exec(text.slice(0, 2000)) ?? [];
    return scopes?.trim().split(/[, ]+/).join(' or ');
  },
  limitReport: () => undefined,
};
