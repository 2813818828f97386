import { problemText } from '../cards/card-images.ts';
import type { CardProblem } from '../http/images.ts';
import { html } from './html.ts';
import { renderDocument, type Site } from './layout.ts';
import type { Reader } from './reader.ts';

/** Renders an error for readers of pages. */
export function problemPage(site: Site, reader: Reader, problem: CardProblem): string {
  const { words, language, to } = reader;
  const { title, detail } = problemText(problem, language.words);
  return renderDocument(site, reader, {
    title,
    description: title,
    main: html`<section class="state"><p class="status">${problem.status}</p><h1>${title}</h1><p>${detail}</p>
<p><a class="button" href="${to('/')}">${words.backHome}</a></p></section>`,
  });
}
