import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import type { Section } from './markdown.ts';

/** A page that the search finds parts of. */
export interface Searchable {
  path: string;
  title: string;
  sections: readonly Section[];
  /** True for pages that fewer readers look for. They come after others that fit as well. */
  isMinor: boolean;
}

export interface Found {
  path: string;
  title: string;
  /** The heading of the part; empty for the beginning of a page. */
  heading: string;
  excerpt: string;
}

const maxFound = 20;
const excerptLength = 200;
const minorWeight = 0.3;
/** The limits of a query: everyone may search, in a process that serves all others. */
const maxTerms = 6;
const maxTermLength = 32;
/** A shorter beginning of words is in most parts of all pages. */
const minPartLength = 3;
const maxCached = 500;

/**
 * Returns the words of a query that are searched for, in lower case: the first distinct ones, cut to the length of long
 * words.
 */
export function readTerms(query: string): string[] {
  const words = query.toLowerCase().split(/[\p{Z}\p{P}\p{Cc}]+/u);
  return [...new Set(words.map((word) => word.slice(0, maxTermLength)))]
    .filter((word) => word !== '')
    .slice(0, maxTerms);
}

/** Makes an index of all parts of pages. */
export function indexPages(pages: readonly Searchable[]): (query: string) => Found[] {
  const parts = pages.flatMap(({ path, title, sections, isMinor }) =>
    sections.map(({ id, heading, text }) => ({
      path: id === '' ? path : `${path}#${id}`,
      title,
      heading: heading === title ? '' : heading,
      text,
      isMinor,
    })),
  );
  const index = new MiniSearch({
    fields: ['title', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 3, title: 2 },
      prefix: (term) => term.length >= minPartLength,
      fuzzy: 0.15,
      maxFuzzy: 1,
      combineWith: 'AND',
      tokenize: (query) => query.split(' '),
    },
  });
  index.addAll(parts.map((part, id) => ({ id, ...part })));
  const find = (query: string): Found[] =>
    index
      .search(query, { boostDocument: (id) => (parts[Number(id)]?.isMinor === true ? minorWeight : 1) })
      .slice(0, maxFound)
      .flatMap(({ id, terms }) => {
        const part = parts[Number(id)];
        return part === undefined ? [] : [{ ...part, excerpt: toExcerpt(part.text, terms) }];
      });
  const found = new LRUCache<string, Found[]>({ max: maxCached, memoMethod: find });
  return (query) => {
    const terms = readTerms(query);
    return terms.length === 0 ? [] : found.memo(terms.join(' '));
  };
}

/** Cuts the text around the first of the found words. */
function toExcerpt(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0);
  const begin = Math.max(0, Math.min(...places, text.length) - excerptLength / 2);
  const from = begin === 0 ? 0 : text.indexOf(' ', begin) + 1;
  const cut = text.slice(from, from + excerptLength);
  const end = from + excerptLength < text.length ? cut.lastIndexOf(' ') : cut.length;
  return `${from > 0 ? '… ' : ''}${cut.slice(0, end > 0 ? end : cut.length)}${end < cut.length ? ' …' : ''}`;
}
