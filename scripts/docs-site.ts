import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { guides } from '../src/views/pages/docs/contents.ts';
import { toText } from '../src/views/pages/docs/markdown.ts';
import type { Searchable } from '../src/views/pages/docs/search.ts';

/**
 * Writes the documents as a site of files, for a host such as GitHub Pages: `node scripts/docs-site.ts URL FOLDER`. They are the
 * pages of `/docs` of a demonstration, without what needs a service.
 */

const [siteUrl = '', folder = ''] = process.argv.slice(2);
if (!URL.canParse(siteUrl) || folder === '') {
  process.stderr.write(
    'node scripts/docs-site.ts URL FOLDER, where URL is the address at which the folder is published\n',
  );
  process.exit(2);
}
const prefix = new URL(siteUrl).pathname.replace(/\/$/, '');
const program = fileURLToPath(new URL('../bin/plaudit.js', import.meta.url));
const search = fileURLToPath(new URL('../src/views/pages/docs/search.ts', import.meta.url));
const maxPages = 1000;

const environment = {
  PORT: '0',
  METRICS_PORT: '0',
  LOG_LEVEL: 'error',
  WORKERS: '1',
  GITHUB_API_URL: 'http://127.0.0.1:9',
};
const service = spawn(process.execPath, [program, 'demo'], {
  env: { ...environment, PATH: process.env['PATH'], PUBLIC_URL: siteUrl },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await writeSite(await findUrl());
} finally {
  service.kill('SIGTERM');
}

async function findUrl(): Promise<string> {
  for await (const line of createInterface({ input: service.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the demonstration did not start');
}

async function writeSite(service: string): Promise<void> {
  const wanted = new Set(['/docs', '/docs/search', '/favicon.svg']);
  const pages: Searchable[] = [];
  for (const path of wanted) {
    if (wanted.size > maxPages) throw new Error(`more than ${maxPages} pages`);
    const response = await fetch(`${service}${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    if (response.headers.get('content-type')?.startsWith('text/html') !== true) {
      write(path, Buffer.from(await response.arrayBuffer()));
      continue;
    }
    const page = toStaticPage(await response.text());
    for (const [, found = ''] of page.matchAll(new RegExp(`(?:href|src)="${prefix}(/[^"?#]*)`, 'g'))) wanted.add(found);
    if (path !== '/docs/search') pages.push(toSearchable(path, page));
    write(`${path}.html`, path === '/docs/search' ? page.replace('</main>', `${searchScript()}</main>`) : page);
    if (path === '/docs') write('/index.html', page);
  }
  write('/docs/search.json', JSON.stringify(pages));
  const outfile = join(folder, 'docs/search.js');
  await build({ entryPoints: [search], bundle: true, minify: true, format: 'iife', globalName: 'search', outfile });
  write('/.nojekyll', '');
  process.stdout.write(`${wanted.size} files, ${pages.length} of them documents\n`);
}

function write(path: string, content: string | Buffer): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Removes the search of accounts and the languages, and leads links to other pages of a service to the documents about them. */
function toStaticPage(html: string): string {
  return html
    .replace(/<form class="search" action="[^"]*\/find"[^]*?<\/form>/, '')
    .replace(/<nav class="languages"[^]*?<\/nav>/, '')
    .replace(/<meta property="og:image"[^]*?summary_large_image">/, '')
    .replaceAll(`href="${prefix}/"`, `href="${prefix}/docs"`)
    .replaceAll(new RegExp(`href="${prefix}/(?:cards|gallery)[^"]*"`, 'g'), `href="${prefix}/docs/cards"`)
    .replaceAll(new RegExp(`href="${prefix}/(?!docs|pages/|favicon)[^"]*"`, 'g'), `href="${prefix}/docs/start"`);
}

/** Cuts the article of a page at its headings with an id. */
function toSearchable(path: string, page: string): Searchable {
  const [, article = ''] = /<article>([^]*)<\/article>/.exec(page) ?? [];
  const title = toText(/<h1[^>]*>([^]*?)<\/h1>/.exec(article)?.[1] ?? '');
  const sections = article
    .replaceAll(/<a [^>]*>#<\/a>/g, '')
    .split(/(?=<h[2-4] id=")/)
    .map((section) => {
      const [, id = '', heading = title] = /^<h[2-4] id="([^"]*)"[^>]*>([^]*?)<\/h[2-4]>/.exec(section) ?? [];
      return { id, heading: toText(heading), text: toText(section) };
    });
  const slug = path.slice('/docs/'.length);
  return { path: `${prefix}${path}`, title, sections, isMinor: !guides.has(slug) && !slug.startsWith('reference/') };
}

/** The search of the service, in the browser. */
function searchScript(): string {
  return `<script src="${prefix}/docs/search.js"></script><script>
const query = new URLSearchParams(location.search).get('q') ?? '';
document.querySelector('input[name=q]').value = query;
const list = document.querySelector('ol.found');
const note = list.previousElementSibling;
note.hidden = true;
if (query.trim() !== '') fetch('${prefix}/docs/search.json').then((response) => response.json()).then((pages) => {
  const found = search.indexPages(pages)(query);
  note.hidden = found.length > 0;
  for (const { path, title, heading, excerpt } of found) {
    const item = list.appendChild(document.createElement('li'));
    const link = item.appendChild(document.createElement('a'));
    link.href = path;
    link.textContent = heading === '' ? title : title + ' · ' + heading;
    item.appendChild(document.createElement('p')).textContent = excerpt;
  }
});
</script>`;
}
