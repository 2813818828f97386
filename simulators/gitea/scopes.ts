import { recorded } from './recordings.ts';
import type { Reply } from './responses.ts';

/** Returns the refusal for a token that lacks a scope. */
export function lacksScope(scope: string): Reply {
  const { status, body } = recorded('scope-missing-repo');
  return {
    status,
    body: { ...Object(body), message: `token does not have at least one of required scope(s): [${scope}]` },
  };
}

/**
 * Returns the scopes of an endpoint, in the words of the refusal of a token that lacks one of them; undefined when the
 * token has all (go-gitea/gitea, routers/api/v1/api.go, tokenRequiresScopes).
 * @param granted undefined: all.
 */
export function lackedScopes(granted: readonly string[] | undefined, path: string): string | undefined {
  const [, categories] = scopesOfPaths.find(([pattern]) => pattern.test(path)) ?? [];
  const required = (categories ?? []).map((category) => `read:${category}`);
  return granted === undefined || required.every((scope) => granted.includes(scope)) ? undefined : required.join(' ');
}

const scopesOfPaths: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/user\/orgs$/, ['user', 'organization']],
  [/^\/users\/\{username\}\/repos$/, ['user', 'repository']],
  [/^\/users\/\{username\}\/orgs\//, ['user', 'organization']],
  [/^\/users?(\/|$)/, ['user']],
  [/^\/orgs\//, ['organization']],
  [/^\/repos\/(issues\/search$|.*\/issues)/, ['issue']],
  [/^\/repos\//, ['repository']],
];
