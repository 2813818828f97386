import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeText } from '../../cards/drawing/canvas.ts';
import { docsPath, toSlug } from './contents.ts';

/** The most columns of a table whose cells phones show below each other. */
const mostStacked = 3;

/** A part of a document, from one heading to the next. */
export interface Section {
  /** The fragment of its address; empty before the first heading. */
  id: string;
  heading: string;
  /** The text without markup. */
  text: string;
}

export interface RenderedDocument {
  title: string;
  html: string;
  sections: Section[];
}

/**
 * Renders a document of this project.
 * @param file its path from the top of the project, to which its links are relative.
 * @param isServed returns whether a file, by such a path, has an address below `/docs`.
 */
export function renderMarkdown(text: string, file: string, isServed: (file: string) => boolean): RenderedDocument {
  const ids = new Ids();
  const marked = new Marked({ renderer: createRenderer(file, isServed, ids) });
  const groups = groupByHeading(marked.lexer(text));
  const parts = groups.map(({ heading, tokens, body }) => {
    const html = { heading: marked.parser(tokens), body: marked.parser(body) };
    return { html: `${html.heading}${html.body}`, section: { id: ids.last, heading, text: toText(html.body) } };
  });
  return {
    title: groups.find(({ heading }) => heading !== '')?.heading ?? file,
    html: parts.map(({ html }) => html).join('\n'),
    sections: parts.map(({ section }) => section).filter(({ heading, text: body }) => heading !== '' || body !== ''),
  };
}

/** Returns the text of markup. */
export function toText(html: string): string {
  return unescape(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

function unescape(text: string): string {
  const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity] ?? entity);
}

/** A heading with what follows it; the first group has none. */
interface Group {
  heading: string;
  tokens: Token[];
  body: Token[];
}

function groupByHeading(tokens: readonly Token[]): Group[] {
  const groups: Group[] = [{ heading: '', tokens: [], body: [] }];
  for (const token of tokens) {
    if (token.type === 'heading') groups.push({ heading: plain(String(token.text)), tokens: [token], body: [] });
    else groups.at(-1)?.body.push(token);
  }
  return groups;
}

/** Returns the text of a heading without the marks of code and links. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** Fragments of headings, as GitHub makes them, so that links work there and here. */
class Ids {
  readonly #used = new Map<string, number>();
  last = '';

  next(heading: string): string {
    const name = plain(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#used.get(name) ?? 0;
    this.#used.set(name, count + 1);
    this.last = count === 0 ? name : `${name}-${count}`;
    return this.last;
  }
}

type Parts = { tokens: Token[] };
interface Context {
  parser: { parseInline: (tokens: Token[]) => string };
}

function createRenderer(file: string, isServed: (file: string) => boolean, ids: Ids) {
  return {
    heading(this: Context, { tokens, depth, text }: Parts & { depth: number; text: string }): string {
      const id = ids.next(text);
      const link = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
    },
    link(this: Context, { href, tokens }: Parts & { href: string }): string {
      const text = this.parser.parseInline(tokens);
      const address = toAddress(href, file, isServed);
      return address === undefined ? text : `<a href="${escapeText(address)}">${text}</a>`;
    },
    image({ href, text }: { href: string; text: string }): string {
      return `<img src="${escapeText(toAddress(href, file, isServed) ?? href)}" alt="${escapeText(text)}" loading="lazy">`;
    },
    table(this: Context, { header, rows, align }: Tokens.Table): string {
      const cell = (tag: string) => (tableCell: Tokens.TableCell, index: number) =>
        `<${tag}${align[index] === 'right' ? ' class="number"' : ''}>${this.parser.parseInline(tableCell.tokens)}</${tag}>`;
      const body = rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`).join('\n');
      const attributes = header.length <= mostStacked ? ' class="stacked"' : '';
      return `<div class="wide" tabindex="0"><table${attributes}><thead><tr>${header.map(cell('th')).join('')}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`;
    },
    code: ({ text }: { text: string }): string => `<pre tabindex="0"><code>${escapeText(text)}</code></pre>\n`,
    // Documents contain comments for programs, and no markup of their own.
    html: ({ text }: { text: string }): string => (text.trim().startsWith('<!--') ? '' : escapeText(text)),
  };
}

/** Returns the address of a link of a document; undefined where the service does not show its target. */
function toAddress(href: string, file: string, isServed: (file: string) => boolean): string | undefined {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  const document = [target, posix.join(target, 'README.md')].find(isServed);
  if (document === undefined) return undefined;
  const slug = toSlug(document) ?? document.replace(/^docs\//, '');
  return `${docsPath}/${slug}${fragment === undefined ? '' : `#${fragment}`}`;
}
