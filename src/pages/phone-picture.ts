import { html, type Markup } from './html.ts';

/** Renders a card in its own width, and on phones in theirs, so that its letters keep their size. */
export function phonePicture(pathOf: (width?: string) => string, alt: string, loading: 'eager' | 'lazy'): Markup {
  return html`<picture><source media="(max-width: 420px)" srcset="${pathOf('320')}"><img src="${pathOf()}" alt="${alt}" loading="${loading}"></picture>`;
}
