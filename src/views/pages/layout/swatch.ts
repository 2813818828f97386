import type { Palettes } from '../../cards/drawing/themes.ts';
import { html, type Markup } from './html.ts';

/** Draws a theme in small: its backgrounds for light and dark screens, and its accent. */
export function swatch({ light, dark = light }: Palettes): Markup {
  return html`<svg class="swatch" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11" fill="${light.background}" stroke="${light.border}"/><path d="M12 1a11 11 0 0 1 0 22z" fill="${dark.background}"/><circle cx="12" cy="12" r="5" fill="${light.accent}"/></svg>`;
}
