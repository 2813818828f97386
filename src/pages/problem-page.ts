import { problemText } from '../cards/card-images.ts';
import type { CardProblem } from '../http/images.ts';
import { html, trusted } from './html.ts';
import { renderDocument, type Site } from './layout.ts';
import type { Reader } from './reader.ts';
import type { PageWords } from './words/words.ts';

/** Renders an error for readers of pages. */
export function problemPage(site: Site, reader: Reader, problem: CardProblem): string {
  const { words, language, to } = reader;
  const { title, detail } = problemText(withLabels(problem, words), language.words);
  return renderDocument(site, reader, {
    title,
    description: title,
    main: html`<section class="state"><p class="status">${problem.status}</p><h1>${title}</h1><p${problem.explanations.length === 0 && language.locale !== 'en' && trusted(' lang="en" dir="ltr"')}>${detail}</p>
<p><a class="button" href="${to('/')}">${words.backHome}</a></p></section>`,
  });
}

/** Returns a problem that calls the parameters of an address as the forms of pages call their fields. */
function withLabels(problem: CardProblem, { account, detail, owner }: PageWords): CardProblem {
  const labels = new Map([
    ['name', account],
    ['organization', owner.organization],
    ['since', detail.from],
    ['until', detail.until],
    ['time_zone', detail.timeZone],
  ]);
  const labelOf = (name: string): string => labels.get(name) ?? name;
  return {
    ...problem,
    message: problem.message.replace(/^[a-z_]+(?=:? )/, labelOf),
    explanations: problem.explanations.map(({ phrase, values = {} }) => ({
      phrase,
      values: values['name'] === undefined ? values : { ...values, name: labelOf(values['name']) },
    })),
  };
}
