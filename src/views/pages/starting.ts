import { pageLanguage } from '../../http/pipeline/page-language.ts';
import type { StartingPages } from '../../http/server/starting.ts';
import type { Site } from './layout/layout.ts';
import { style } from './layout/style.ts';
import { problemPage } from './problem-page.ts';
import { toReader } from './reader.ts';

/** Returns the pages of a service that starts: errors, which need nothing of a running service, and their stylesheet. */
export function startingPages(site: Site): StartingPages {
  return {
    publicUrl: site.publicUrl,
    stylesheet: { path: site.stylePath, text: style },
    renderProblem: (problem, { url = '', headers }) =>
      problemPage(site, toReader(pageLanguage(site.locales, url, headers['accept-language'])), problem),
  };
}
