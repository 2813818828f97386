import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Takes out of GitHub's OpenAPI description what the simulator serves:
 *   node scripts/trim-openapi.ts PATH/TO/@octokit/openapi/generated/api.github.com.json VERSION
 * The package is too large (385 MB) to be a dependency.
 */

/** What the simulator answers, by path of the description. */
const paths = [
  '/rate_limit',
  '/user',
  '/user/{account_id}',
  '/users/{username}',
  '/users/{username}/repos',
  '/orgs/{org}',
  '/repos/{owner}/{repo}',
  '/repos/{owner}/{repo}/issues',
  '/repos/{owner}/{repo}/issues/comments',
  '/repos/{owner}/{repo}/pulls/comments',
  '/repos/{owner}/{repo}/contents/{path}',
  '/repos/{owner}/{repo}/commits',
  '/search/issues',
  '/user/memberships/orgs/{org}',
];

interface Description {
  info: object;
  paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
}

const [source = '', version = ''] = process.argv.slice(2);
if (version === '') throw new Error('name the description and the version of the package that it is from');
const description = JSON.parse(readFileSync(source, 'utf8')) as Description;

/** By path: the schema of what a successful GET answers. */
const answers: Record<string, unknown> = {};
const schemas: Record<string, unknown> = {};
for (const path of paths) {
  const responses = description.paths[path]?.get.responses ?? {};
  const success = responses['200'] as { content: Record<string, { schema: unknown }> };
  answers[path] = withoutProse(success.content['application/json']?.schema);
  collect(answers[path]);
}
const output = {
  source: `@octokit/openapi ${version}, api.github.com.json; made by scripts/trim-openapi.ts`,
  answers,
  components: { schemas },
};
writeFileSync(
  fileURLToPath(new URL('../test/github/generated/openapi.json', import.meta.url)),
  `${JSON.stringify(output, null, 1)}\n`,
);

/** Every schema that another one refers to. */
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

/** Examples and explanations make nine tenths of the size, and check nothing. */
function withoutProse(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutProse);
  if (typeof part !== 'object' || part === null) return part;
  const isProperties = Object.values(part).every((value) => typeof value === 'object' && value !== null);
  const kept = Object.entries(part).filter(
    ([key]) => isProperties || !['description', 'example', 'examples', 'title', 'default'].includes(key),
  );
  const { nullable, ...rest } = Object.fromEntries(kept.map(([key, value]) => [key, withoutProse(value)]));
  // JSON Schema knows OpenAPI's `nullable` only beside a type.
  if (nullable === true && !('type' in rest)) return { anyOf: [rest, { type: 'null' }] };
  // Nor does `nullable` widen a list of values.
  const values = rest['enum'];
  const widened = nullable === true && Array.isArray(values) && { enum: [...new Set([...values, null])] };
  return { ...rest, ...widened, ...(nullable !== undefined && { nullable }) };
}
