import { html, type Markup } from './html.ts';

/** Renders a card in its own width, and on phones in theirs, so that its letters keep their size. Paper has the one of the screen. */
export function phonePicture(pathOf: (width?: string) => string, alt: string): Markup {
  return html`<picture><source media="screen and (max-width: 420px)" srcset="${pathOf('320')}"><img src="${pathOf()}" alt="${alt}"></picture>`;
}
