import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Extracts from GitHub's OpenAPI description the parts that the simulator serves:
 *   node scripts/trim-openapi.ts PATH/TO/@octokit/openapi/generated/api.github.com.json VERSION
 * The package is too large (385 MB) to be a dependency.
 */

/** The paths that the simulator serves, with method and status where these are not GET and 200. */
const paths = [
  '/rate_limit',
  '/user',
  '/user/{account_id}',
  '/users/{username}',
  '/users/{username}/repos',
  '/orgs/{org}',
  '/orgs/{org}/members',
  '/orgs/{org}/teams/{team_slug}/members',
  '/repos/{owner}/{repo}',
  '/repos/{owner}/{repo}/issues',
  '/repos/{owner}/{repo}/issues/comments',
  '/repos/{owner}/{repo}/pulls/comments',
  '/repos/{owner}/{repo}/contents/{path}',
  '/repos/{owner}/{repo}/commits',
  '/repos/{owner}/{repo}/collaborators/{username}/permission',
  '/repos/{owner}/{repo}/stargazers',
  '/search/issues',
  '/user/memberships/orgs/{org}',
  '/app',
  '/app/installations',
  '/app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens 201',
  '/app/hook/deliveries',
  '/app/hook/deliveries/{delivery_id}',
  'POST /app/hook/deliveries/{delivery_id}/attempts 202',
  '/installation/repositories',
  '/repos/{owner}/{repo}/installation',
  '/orgs/{org}/installation',
  '/users/{username}/installation',
];

/** Only in this list does GitHub describe the account that installed an App as a user and an enterprise at once. */
const corrections: Record<string, unknown> = {
  '/app/installations': { type: 'array', items: { $ref: '#/components/schemas/installation' } },
};

interface Description {
  info: object;
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
}

const [source = '', version = ''] = process.argv.slice(2);
if (version === '') throw new Error('name the description and the version of the package that it is from');
const description = JSON.parse(readFileSync(source, 'utf8')) as Description;

/** Schemas of successful responses by path, with the method before it where it is not GET. */
const answers: Record<string, unknown> = {};
const schemas: Record<string, unknown> = {};
for (const line of paths) {
  const [method = '', path = '', status = ''] = line.startsWith('/') ? ['GET', line, '200'] : line.split(' ');
  const responses = description.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const success = resolve(responses[status]) as { content: Record<string, { schema: unknown }> };
  const name = method === 'GET' ? path : `${method} ${path}`;
  answers[name] = corrections[name] ?? withoutProse(success.content['application/json']?.schema);
  collect(answers[name]);
}
const output = {
  source: `@octokit/openapi ${version}, api.github.com.json; made by scripts/trim-openapi.ts`,
  answers,
  components: { schemas },
};
writeFileSync(
  fileURLToPath(new URL('../simulators/github/generated/openapi.json', import.meta.url)),
  `${JSON.stringify(output, null, 1)}\n`,
);

/** Resolves a reference, because some responses are described once for many paths. */
function resolve(response: unknown): unknown {
  const { $ref: reference } = Object(response) as { $ref?: string };
  return reference === undefined
    ? response
    : description.components.responses[reference.replace('#/components/responses/', '')];
}

/** Collects every schema that another one refers to. */
function collect(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === '$ref' && typeof value === 'string') collectNamed(value);
    else collect(value);
  }
}

function collectNamed(reference: string): void {
  const name = reference.replace('#/components/schemas/', '');
  if (name in schemas) return;
  schemas[name] = withoutProse(description.components.schemas[name]);
  collect(schemas[name]);
}

/** Removes examples and explanations, which make nine tenths of the size and check nothing. */
function withoutProse(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutProse);
  if (typeof part !== 'object' || part === null) return part;
  const isProperties = Object.values(part).every((value) => typeof value === 'object' && value !== null);
  const kept = Object.entries(part).filter(
    ([key]) => isProperties || !['description', 'example', 'examples', 'title', 'default'].includes(key),
  );
  const { nullable, ...rest } = Object.fromEntries(kept.map(([key, value]) => [key, withoutProse(value)]));
  // OpenAPI's `nullable` has a meaning in JSON Schema only beside a type.
  if (nullable === true && !('type' in rest)) return { anyOf: [rest, { type: 'null' }] };
  // `nullable` does not extend a list of values either.
  const values = rest['enum'];
  const widened = nullable === true && Array.isArray(values) && { enum: [...new Set([...values, null])] };
  return { ...rest, ...widened, ...(nullable !== undefined && { nullable }) };
}
