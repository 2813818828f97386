import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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
const index = fileURLToPath(new URL('../node_modules/minisearch/dist/umd/index.js', import.meta.url));
const maxPages = 1000;

interface Part {
  id: number;
  path: string;
  title: string;
  heading: string;
  text: string;
}

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
  const parts: Part[] = [];
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
    if (path !== '/docs/search') parts.push(...readParts(path, page, parts.length));
    write(`${path}.html`, path === '/docs/search' ? page.replace('</main>', `${searchScript()}</main>`) : page);
    if (path === '/docs') write('/index.html', page);
  }
  write('/docs/search.json', JSON.stringify(parts));
  cpSync(index, join(folder, 'docs/minisearch.js'));
  write('/.nojekyll', '');
  process.stdout.write(`${wanted.size} files, ${parts.length} parts in the search\n`);
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
function readParts(path: string, page: string, first: number): Part[] {
  const [, article = ''] = /<article>([^]*)<\/article>/.exec(page) ?? [];
  const title = toText(/<h1[^>]*>([^]*?)<\/h1>/.exec(article)?.[1] ?? '');
  return article.split(/(?=<h[2-4] id=")/).map((section, index) => {
    const [, anchor = '', heading = ''] = /^<h[2-4] id="([^"]*)"[^>]*>([^]*?)<\/h[2-4]>/.exec(section) ?? [];
    const place = `${prefix}${path}${anchor === '' ? '' : `#${anchor}`}`;
    return { id: first + index, path: place, title, heading: toText(heading), text: toText(section) };
  });
}

function toText(html: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(
      /&(\w+|#\d+);/g,
      (all, name: string) =>
        characters[name] ?? (name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : all),
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A search in the browser, by the library that the service uses. */
function searchScript(): string {
  return `<script src="${prefix}/docs/minisearch.js"></script><script>
const query = new URLSearchParams(location.search).get('q') ?? '';
document.querySelector('input[name=q]').value = query;
const list = document.querySelector('ol.found');
const note = list.previousElementSibling;
note.hidden = true;
if (query.trim() !== '') fetch('${prefix}/docs/search.json').then((response) => response.json()).then((parts) => {
  const index = new MiniSearch({ fields: ['title', 'heading', 'text'], storeFields: ['path', 'title', 'heading', 'text'],
    searchOptions: { boost: { heading: 3, title: 2 }, prefix: (term) => term.length > 2, fuzzy: 0.15, maxFuzzy: 1 } });
  index.addAll(parts);
  const found = index.search(query, { combineWith: 'AND' });
  const shown = (found.length > 0 ? found : index.search(query)).slice(0, 20);
  note.hidden = shown.length > 0;
  for (const { path, title, heading, text, terms } of shown) {
    const item = list.appendChild(document.createElement('li'));
    const link = item.appendChild(document.createElement('a'));
    link.href = path;
    link.textContent = heading === '' ? title : title + ' · ' + heading;
    const at = Math.max(0, Math.min(...terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0), text.length) - 80);
    item.appendChild(document.createElement('p')).textContent = (at > 0 ? '… ' : '') + text.slice(at, at + 200) + ' …';
  }
});
</script>`;
}
