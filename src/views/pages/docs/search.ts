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
/** Where fewer parts have all words of a query, those that have some of them follow. */
const enoughFound = 3;

/** Words of sentences that say nothing about the subject of a search. */
const fillers = new Set(
  'a an and any are be can could do does for from get how i in into is it me my of on or our please the there this to use want we what when where which who why with you your'.split(
    ' ',
  ),
);

/** Words of other services, with the word that the documents use. */
export const synonyms: ReadonlyMap<string, string> = new Map([
  ['leaderboard', 'board'],
  ['leaderboards', 'boards'],
  ['scoreboard', 'board'],
  ['trophy', 'achievement'],
  ['trophies', 'achievements'],
  ['statistics', 'contributions'],
  ['stats', 'contributions'],
  ['widget', 'card'],
  ['widgets', 'cards'],
  ['gdpr', 'erasure'],
  ['k8s', 'kubernetes'],
  ['organisation', 'organization'],
  ['organisations', 'organizations'],
]);

/**
 * Returns the words of a query that are searched for, in lower case: the first distinct ones that documents have, without
 * fillers where there are others, cut to the length of long words.
 */
export function readTerms(query: string): string[] {
  const words = query
    .toLowerCase()
    .split(/[\p{Z}\p{P}\p{Cc}]+/u)
    .filter((word) => word !== '');
  const telling = words.filter((word) => !fillers.has(word));
  const terms = (telling.length > 0 ? telling : words).map((word) => synonyms.get(word) ?? word);
  return [...new Set(terms.map((term) => term.slice(0, maxTermLength)))].slice(0, maxTerms);
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
      combineWith: 'OR',
      tokenize: (query) => query.split(' '),
    },
  });
  index.addAll(parts.map((part, id) => ({ id, ...part })));
  const boostDocument = (id: number): number => (parts[id]?.isMinor === true ? minorWeight : 1);
  const find = (query: string): Found[] => {
    const some = index.search(query, { boostDocument });
    const wanted = query.split(' ').length;
    const whole = some.filter(({ queryTerms }) => queryTerms.length === wanted);
    const others = whole.length < enoughFound ? some.filter((result) => !whole.includes(result)) : [];
    return [...whole, ...others].slice(0, maxFound).flatMap(({ id, terms }) => {
      const part = parts[Number(id)];
      return part === undefined ? [] : [{ ...part, excerpt: toExcerpt(part.text, terms) }];
    });
  };
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
