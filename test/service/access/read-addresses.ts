import assert from 'node:assert/strict';
import type { OpenApi, Operation } from '../../described/open-api.ts';
import type { TestService } from '../../e2e/service.ts';

/** Values of parameters with which an address is requested once more, where it has them. */
const variants: readonly [name: string, value: string][] = [
  ['period', '2026'],
  ['compare', 'previous'],
  ['excluded', 'true'],
  ['private', 'true'],
  ['raw', 'true'],
  ['repository', '{repository}'],
  ['repositories', '{repository}'],
  ['exclude_repositories', 'empty,{repository}'],
];

/** Counters of each source: histories, items, repositories and stars. */
const countersOfEachSource = ['commits', 'issues_closed', 'contributed_to', 'stars'];

/** Addresses of pages and images, which the description of the API does not have. */
const pages = [
  '/{provider}/{name}',
  '/{provider}/{name}?period=2026',
  '/{provider}/{name}?private=true',
  '/{provider}/{name}/{repository}',
  '/{provider}/{name}/{repository}?period=2026',
  '/{provider}/{name}/contributions/commits',
  '/{provider}/{name}/contributions/commits?private=true',
  '/{provider}/{name}/contributors/{login}',
  '/{provider}/{name}/{repository}/contributors/{login}',
  '/{provider}/{name}/{repository}/contributions/commits',
  '/{provider}/{name}/boards/{slug}',
  '/{provider}/{name}/boards/{slug}/people/{login}',
  '/{provider}/{name}/achievements/{award_id}',
  '/{provider}/{name}/{repository}/achievements/{achievement_id}',
  '/avatars/{provider}/{name}',
];

/** Returns every address below an account that is read, in each format and with each parameter that selects other data. */
export async function readAddresses(service: TestService): Promise<string[]> {
  const { paths, components } = JSON.parse((await service.get('/openapi.json')).text) as OpenApi;
  const listParameters = ({ parameters = [] }: Operation) =>
    parameters.map((parameter) =>
      '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
    );
  const described = Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || !path.startsWith('/v1/{provider}/entities/{name}')) return [];
    const schemas = new Map<string | undefined, { enum?: string[] } | undefined>(
      listParameters(get).map((parameter) => [parameter?.name, parameter?.schema]),
    );
    const listValues = (name: string): string[] => schemas.get(name)?.enum ?? [];
    const queries = [
      '',
      // A PNG is drawn from the SVG.
      ...listValues('format').flatMap((format) => (format === 'png' ? [] : [`format=${format}`])),
      ...listValues('card').map((card) => `format=svg&card=${card}`),
      ...variants.flatMap(([name, value]) => (schemas.has(name) ? [`${name}=${value}`] : [])),
    ];
    const counters = schemas.has('counter') ? countersOfEachSource : [''];
    return counters.flatMap((counter) => queries.map((query) => `${path.replace('{counter}', counter)}?${query}`));
  });
  assert.ok(described.length > 100, 'the description has the addresses');
  return [...described, ...pages];
}

/** Fills in the names of an address. */
export function fillIn(address: string, names: Readonly<Record<string, string>>): string {
  return address.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? assert.fail(name)));
}

/** Headers that differ between any two responses. */
const incidental = new Set(['date', 'keep-alive', 'connection', 'x-request-id', 'ratelimit']);

let requests = 0;

/** Requests an address as a stranger. @returns everything that they receive, as text. */
export async function receive(service: TestService, address: string): Promise<string> {
  requests += 1;
  const { status, headers, text } = await service.get(address, {
    headers: {
      // Each request is from another address, so that no limit is met; needs TRUST_PROXY.
      'x-forwarded-for': `10.6.${requests >> 8}.${requests & 255}`,
      accept: address.startsWith('/v1/') ? '*/*' : 'text/html',
    },
  });
  const sent = [...headers].filter(([name]) => !incidental.has(name)).map(([name, value]) => `${name}: ${value}`);
  return [status, ...sent, '', text].join('\n');
}
