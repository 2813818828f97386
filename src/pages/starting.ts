import { pageLanguage } from '../http/page-language.ts';
import type { StartingPages } from '../http/starting.ts';
import type { Site } from './layout.ts';
import { problemPage } from './problem-page.ts';
import { readerOf } from './reader.ts';
import { style } from './style.ts';

/** Returns the pages of a service that starts: errors, which need nothing of a running service, and their stylesheet. */
export function startingPages(site: Site): StartingPages {
  return {
    publicUrl: site.publicUrl,
    stylesheet: { path: site.stylePath, text: style },
    renderProblem: (problem, { url = '', headers }) =>
      problemPage(site, readerOf(pageLanguage(site.locales, url, headers['accept-language'])), problem),
  };
}
