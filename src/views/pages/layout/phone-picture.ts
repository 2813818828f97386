import { html, type Markup } from './html.ts';

/** Renders a card in its own width, and on phones in theirs, so that its letters keep their size. Paper has the one of the screen. */
export function phonePicture(toPath: (width?: string) => string, alt: string): Markup {
  return html`<picture><source media="screen and (max-width: 420px)" srcset="${toPath('320')}"><img src="${toPath()}" alt="${alt}"></picture>`;
}
