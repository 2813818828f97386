import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { shareStoredService } from '../http/stored-service.ts';

const asReader = { headers: { accept: 'text/html' } };

/** Returns the addresses in an attribute of a page. */
function listAddresses(text: string, attribute: 'href' | 'src'): string[] {
  return [...text.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
}

describe('documentation pages', () => {
  const shared = shareStoredService();
  const page = async (path: string): Promise<{ status: number; text: string }> => shared.service.get(path, asReader);

  it('lead to every document, and no link of them is broken', async () => {
    const pages = new Map<string, string>();
    const linked: [from: string, to: URL][] = [];
    const waiting = ['/docs'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const { status, text } = await page(path);
      assert.equal(status, 200, path);
      pages.set(path, text);
      for (const source of listAddresses(text, 'src')) {
        assert.match(source, /^\/docs\//);
        assert.equal((await shared.service.get(source)).status, 200, source);
      }
      for (const address of listAddresses(text.slice(text.indexOf('<main')), 'href')) {
        if (/^https?:/.test(address)) continue;
        const to = new URL(address, `${shared.service.url}${path}`);
        linked.push([path, to]);
        if (to.pathname.startsWith('/docs') && !/\.\w+$/.test(to.pathname)) waiting.push(to.pathname);
      }
    }
    for (const [from, { pathname, hash }] of linked) {
      const text = pages.get(pathname);
      if (text === undefined) assert.equal((await shared.service.get(pathname)).status, 200, `${from}: ${pathname}`);
      else if (hash !== '') assert.ok(text.includes(` id="${decodeURIComponent(hash.slice(1))}"`), `${from}: ${hash}`);
    }
    const missing = globSync('docs/**/*.md')
      .map((file) => `/${file.replace(/(?:\/README)?\.md$/, '')}`)
      .filter((path) => !pages.has(path));
    assert.deepEqual(missing, [], 'documents to which no page leads');
  });

  it('describe every endpoint with all of its parameters, and every status', async () => {
    const { text } = await shared.service.get('/openapi.json');
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
    const { text: index } = await page('/docs/reference');
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (['head', 'options'].includes(method)) continue;
        const { operationId, parameters = [], responses } = Object(operation);
        assert.ok(index.includes(`href="/docs/reference/${operationId}"`), `${method} ${path}`);
        const described = await page(`/docs/reference/${operationId}`);
        assert.equal(described.status, 200, operationId);
        for (const parameter of parameters) {
          const name = Object(parameter).name ?? String(Object(parameter).$ref).split('/').at(-1);
          assert.ok(described.text.includes(`<td><code>${name}</code>`), `${operationId}: ${name}`);
        }
        for (const status of Object.keys(responses)) {
          assert.ok(described.text.includes(`<td><code>${status}</code>`), `${operationId}: ${status}`);
        }
      }
    }
    const { text: contributors } = await page('/docs/reference/listContributors');
    assert.match(contributors, /<code>data\[\]\.contributions<\/code> <small>required<\/small><\/td><td>integer/);
  });

  it('name addresses of the API that the service has', async () => {
    const { text } = await shared.service.get('/openapi.json');
    const { paths } = JSON.parse(text) as { paths: Record<string, unknown> };
    const patterns = Object.keys(paths).map((path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`));
    // The guides add endpoints as examples.
    const files = globSync(['*.md', 'docs/*.md', 'docs/providers/*.md']).filter(
      (file) => !/^(?:CHANGELOG|docs\/adding-)/.test(file),
    );
    const address = /(?<![\w.])\/(?:v1|\.well-known)\/[\w${}/%.-]+/g;
    const named = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(address)].map(([path]) => ({ file, path: path.replace(/\.$/, '') })),
    );
    assert.ok(named.length > 25, String(named.length));
    assert.deepEqual(
      named.filter(({ path }) => !path.includes('..') && !patterns.some((pattern) => pattern.test(path))),
      [],
    );
  });

  it('find parts of documents and endpoints by their words', async () => {
    const find = async (query: string): Promise<string[]> => {
      const { status, text } = await page(`/docs/search?q=${encodeURIComponent(query)}`);
      assert.equal(status, 200);
      const [, article = ''] = /<article>(.*)<\/article>/s.exec(text) ?? [];
      return listAddresses(article, 'href');
    };
    assert.equal((await find('time zone'))[0], '/docs/windows#windows-of-time');
    assert.ok((await find('TRUST_PROXY')).some((path) => path.startsWith('/docs/settings')));
    assert.match((await find('embed links'))[0] ?? '', /^\/docs\/private-data#/, 'guides come before decisions');
    assert.ok((await find('renew embed link')).includes('/docs/reference/renewEmbed'));
    assert.ok((await find('pgbouncr')).length > 0, 'a misspelled word');
    assert.match((await find('leaderboard'))[0] ?? '', /^\/docs\/boards/, 'a word of other services');
    const toReadme = await find('How do I add a card to my README?');
    assert.ok(toReadme.slice(0, 5).includes('/docs/start#put-cards-into-a-readme'), toReadme.join(' '));
    assert.match((await find('windows plugh'))[0] ?? '', /^\/docs\/windows/, 'one of the words');
    assert.deepEqual(await find('xyzzy plugh'), []);
    assert.deepEqual(await find(''), []);
    const { text } = await page(`/docs/search?q=${encodeURIComponent('"><script>')}`);
    assert.ok(!text.includes('"><script>'));
    assert.equal((await page(`/docs/search?q=${'x'.repeat(201)}`)).status, 400);
  });

  it('show documents and their files alone, and nothing else of the disk', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/README',
      '/docs/decisions/README',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e%2fpackage',
      '/docs/../../package.json',
      '/docs/architecture.md',
      '/docs/start.md',
      '/docs/constructor',
      '/docs/reference/constructor',
    ]) {
      assert.equal((await page(path)).status, 404, path);
    }
    const schema = await shared.service.get('/docs/achievements.schema.json');
    assert.equal(schema.text, readFileSync('docs/achievements.schema.json', 'utf8'));
    const slash = await page('/docs/');
    assert.equal(slash.status, 301);
  });
});
