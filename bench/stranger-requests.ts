import type { OpenApi, Operation } from '../test/described/open-api.ts';
import type { ServerProcess } from './bench-service.ts';

/** A request that anyone can send. */
export interface StrangerRequest {
  /** The method and the template of the path, such as `GET /v1/{provider}/entities/{name}`. */
  route: string;
  method: string;
  /** Begins with `/`. */
  address: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The values of parameters of paths that exist in the sample. */
export type Names = Readonly<Record<string, string>>;

interface Schema {
  type?: string;
  enum?: string[];
  maxLength?: number;
  maximum?: number;
}

const wideLetter = '\u0634';
const maxAddressLength = 12_000;
const apiBodyBytes = 65_000;
const documentBytes = 250_000;
/** Parameters of windows: the longest time, the most windows, and days in a zone whose days begin at other times. */
const windows = [
  { since: '1970-01-01', until: '2026-11-14' },
  { since: '1970-01-01', until: '2026-11-14', time_zone: 'Asia/Kathmandu' },
  { period: 'last-365d', limit: '100' },
  { period: 'this-year', compare: 'previous', limit: '100' },
  { period: 'this-week', limit: '100', time_zone: 'America/St_Johns' },
];
/** Parameters of cards with which much is drawn. */
const drawings = [
  { limit: '100', columns: '6', width: '1200', animation: 'subtle' },
  { limit: '100', width: '240', locale: 'ar', title: wideLetter.repeat(100) },
  {
    limit: '100',
    title: '\u{1f469}\u200d\u{1f467}'.repeat(20),
    show: 'trend',
    period: 'this-month',
    time_zone: 'Asia/Kathmandu',
  },
  { limit: '100', scale: '4', width: '1200', canvas: 'preview' },
];

/** Lists requests of each operation of the description at the largest of its parameters, valid and invalid. */
export function describedRequests({ paths, components }: OpenApi, names: Names, token: string): StrangerRequest[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const route = `${method.toUpperCase()} ${path}`;
      const schemas = listSchemas(operation, components.parameters);
      if (method === 'head') return [];
      if (method === 'get') {
        const read = [...addresses(path, schemas, names)].map((address) => ({ route, method: 'GET', address }));
        return read.concat(asStranger(read.slice(0, 1), names, token));
      }
      return changes(route, method.toUpperCase(), path, names, token);
    }),
  );
}

function listSchemas({ parameters = [] }: Operation, shared: OpenApi['components']['parameters']): Map<string, Schema> {
  return new Map(
    parameters.flatMap((parameter) => {
      const found = '$ref' in parameter ? shared[parameter.$ref.split('/').at(-1) ?? ''] : parameter;
      return found === undefined ? [] : [[found.name, found.schema] as const];
    }),
  );
}

function* addresses(template: string, schemas: Map<string, Schema>, names: Names): Generator<string> {
  const query = (parameters: Record<string, string>): string =>
    new URLSearchParams(Object.entries(parameters).filter(([name]) => schemas.has(name))).toString();
  const formats = schemas.get('format')?.enum ?? ['json'];
  const cards = schemas.get('card')?.enum ?? [''];
  const [path = '', ...others] = listPaths(template, schemas, names);
  for (const other of others)
    yield* [`${other}?`, `${other}?${query({ limit: '100', ...windows[0] })}`, `${other}?${query({ format: 'svg' })}`];
  yield `${path}?`;
  for (const format of formats) yield `${path}?${query({ format, limit: '100' })}`;
  for (const window of windows)
    for (const format of formats.filter((name) => name !== 'png'))
      yield `${path}?${query({ limit: '100', format, ...window })}`;
  for (const card of cards)
    for (const format of formats.filter((name) => name === 'svg' || name === 'png'))
      for (const drawing of drawings) yield `${path}?${query({ format, card, ...drawing })}`;
  const largest = Object.fromEntries([...schemas].map(([name, schema]) => [name, findLargest(schema)]));
  yield `${path}?${query(largest)}`.slice(0, maxAddressLength);
  for (const [name, { maxLength = 0 }] of schemas)
    if (maxLength > 0) yield `${path}?${query({ [name]: manyWords(maxLength) })}`.slice(0, maxAddressLength);
  yield `${path}?${'limit=1&'.repeat(1400)}`;
  yield `${path}?${Array.from({ length: 1400 }, (_, index) => `p${index}=`).join('&')}`;
}

/** Fills in a template with names that exist, and each of its parameters once with the longest value. */
function listPaths(template: string, schemas: Map<string, Schema>, names: Names): Set<string> {
  const found = new Set([fillIn(template, names)]);
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g))
    found.add(fillIn(template, { ...names, [name]: wideLetter.repeat(60) }));
  for (const counter of schemas.get('counter')?.enum ?? []) found.add(fillIn(template, { ...names, counter }));
  return found;
}

function findLargest({ enum: choices, maximum, maxLength, type }: Schema): string {
  if (choices !== undefined) return choices.at(-1) ?? '';
  if (type === 'boolean') return 'true';
  return maximum === undefined ? manyWords(maxLength ?? 0) : String(maximum);
}

/** Returns a list of distinct words of up to a length. */
function manyWords(length: number): string {
  return Array.from({ length: Math.ceil(length / 3) }, (_, index) => index.toString(36).padStart(2, 'a'))
    .join(',')
    .slice(0, length);
}

function asStranger(requests: readonly StrangerRequest[], names: Names, token: string): StrangerRequest[] {
  const headers = { authorization: `Bearer ${token}` };
  return requests.flatMap((request) => [
    { ...request, headers },
    { ...request, headers, address: request.address.replace(names['name'] ?? '', names['stranger'] ?? '') },
    { ...request, headers: { authorization: `Bearer ${'e'.repeat(8000)}` } },
  ]);
}

function changes(route: string, method: string, template: string, names: Names, token: string): StrangerRequest[] {
  const own = { ...names, name: names['stranger'] ?? '' };
  const size = /boards/.test(template) ? documentBytes : apiBodyBytes;
  const authorization = `Bearer ${token}`;
  const requests: StrangerRequest[] = [];
  for (const body of bodies(size)) {
    const request = { route, method, address: fillIn(template, names), body };
    requests.push(request, { ...request, headers: { authorization } });
    // A stranger who erases their own account has no token any more.
    if (method !== 'DELETE') requests.push({ ...request, headers: { authorization }, address: fillIn(template, own) });
  }
  return requests;
}

/** Returns bodies of a size: what parsers and checks of JSON, YAML and boards take longest for. */
function bodies(size: number): string[] {
  const fill = (part: (index: number) => string, before = '', after = ''): string => {
    let text = before;
    for (let index = 0; text.length + 200 < size; index += 1) text += part(index);
    return text + after;
  };
  const rule = (index: number): string =>
    `{points: 1, per: issue, when: 'label == "${index}" and (title matches "a")'}`;
  return [
    '[[['.repeat(size / 6) + ']]]'.repeat(size / 6),
    fill((index) => `"${index}":0,`, '{', '"a":0}'),
    JSON.stringify(fill(() => wideLetter).slice(0, size / 2)),
    fill((index) => `- &a${index} [*a${Math.max(0, index - 1)}, *a${Math.max(0, index - 1)}]\n`),
    fill(
      (index) => `  b${index}: {title: B, people: [1, 2], rules: [${rule(index)}, ${rule(index + 1)}]}\n`,
      'boards:\n',
    ),
    fill((index) => `  - slug: b${index}\n    title: B\n    rules: [${rule(index)}]\n`, 'version: 1\nboards:\n'),
    fill((index) => `k${index}: {\n`),
  ];
}

function fillIn(template: string, names: Names): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? 'none'));
}

const maxPages = 400;
const perRoute = 6;
const searches = [
  'e s t a o i n r l d',
  'configuration window authorities zzzzzz',
  wideLetter.repeat(500),
  'a'.repeat(5000),
];

/** Finds the pages by their links, begun at the start page, and adds what a form or an image takes. */
export async function pageRequests(service: ServerProcess, names: Names): Promise<StrangerRequest[]> {
  const first = [
    '/',
    `/github/${names['name']}`,
    `/github/${names['login']}`,
    '/gallery',
    '/cards',
    '/docs',
    '/docs/reference',
    '/sign-in',
    '/settings',
  ];
  const waiting = [...first];
  const seen = new Set(waiting);
  const byRoute = new Map<string, number>();
  const found: StrangerRequest[] = [];
  for (const address of waiting) {
    const route = `GET ${pageRoute(address, names)}`;
    const count = (byRoute.get(route) ?? 0) + 1;
    byRoute.set(route, count);
    if (count > perRoute) continue;
    found.push({ route, method: 'GET', address, headers: { accept: 'text/html,*/*' } });
    const response = await fetch(`${service.url}${address}`, { redirect: 'manual', headers: { accept: 'text/html' } });
    const text = await response.text();
    if (!(response.headers.get('content-type') ?? '').includes('html')) continue;
    for (const [, link = ''] of text.matchAll(/\b(?:href|src|action)="([^"#]*)/g)) {
      const target = link.replaceAll('&amp;', '&').replace(service.url, '');
      if (!/^\/(?!\/|v1\/)/.test(target) || seen.has(target) || seen.size > maxPages * perRoute) continue;
      seen.add(target);
      waiting.push(target);
    }
  }
  return [...found, ...widened(found)];
}

/** Returns the template of the address of a page. */
function pageRoute(address: string, names: Names): string {
  const [path = ''] = address.split('?');
  if (path.startsWith('/docs/') && path !== '/docs/search') return '/docs/*';
  const segments = path.split('/').map((segment, index) => {
    if (/^(?:github|v1|avatars|sign-in|gallery|cards|docs|settings)$/.test(segment)) return segment;
    if (/^[\da-f]{8}-[\da-f-]{27}$/.test(segment)) return '{id}';
    if (Object.entries(names).some(([name, value]) => name === 'counter' && value === segment)) return '{counter}';
    return index >= 2 &&
      path.startsWith('/github/') &&
      !/^(contribut|achievements|boards|people|progress|definitions|seasons)/.test(segment)
      ? '{name}'
      : segment;
  });
  return segments.join('/');
}

/** Adds the same pages with searches, long windows, and long or many parameters. */
function widened(pages: readonly StrangerRequest[]): StrangerRequest[] {
  const queries = [
    ...searches.map((query) =>
      `q=${encodeURIComponent(query)}&name=${encodeURIComponent(query)}`.slice(0, maxAddressLength),
    ),
    ...windows.map((window) => new URLSearchParams({ limit: '100', ...window }).toString()),
    ...drawings.map((drawing) => new URLSearchParams(drawing).toString().slice(0, maxAddressLength)),
    'title=x&'.repeat(1400),
    Array.from({ length: 1400 }, (_, index) => `part=${index}`).join('&'),
  ];
  const routes = new Map(pages.map((page) => [page.route, page]));
  return [...routes.values()].flatMap((page) =>
    queries.map((query) => toAddress(page, `${page.address.split('?')[0]}?${query}`)),
  );
}

function toAddress(request: StrangerRequest, address: string): StrangerRequest {
  return { ...request, address };
}
