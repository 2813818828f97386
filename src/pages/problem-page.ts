import { html } from './html.ts';
import { renderDocument, type Site } from './layout.ts';
import { pageWords as words } from './words.ts';

/** Renders an error for readers of pages. */
export function problemPage(site: Site, { status, message }: { status: number; message: string }): string {
  return renderDocument(site, {
    title: String(status),
    description: message,
    main: html`<section class="state"><p class="status">${status}</p><h1>${message}</h1>
<p><a class="button" href="/">${words.backHome}</a></p></section>`,
  });
}
