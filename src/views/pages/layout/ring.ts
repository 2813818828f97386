import { html, type Markup } from './html.ts';

const radius = 46;
const circumference = 2 * Math.PI * radius;
const circumferenceText = circumference.toFixed(2);

/**
 * Draws a ring around an avatar. Its arc is the share of the way from this level to the next one.
 * @param share from 0 to 1.
 */
export function levelRing({ share, label }: { share: number; label: string }): Markup {
  const arc = (circumference * share).toFixed(2);
  return html`<svg class="ring" viewBox="0 0 100 100" role="img" aria-label="${label}">
<circle class="track" cx="50" cy="50" r="${radius}"/>
${share > 0 && html`<circle class="arc" cx="50" cy="50" r="${radius}" stroke-dasharray="${arc} ${circumferenceText}" transform="rotate(-90 50 50)"/>`}
</svg>`;
}
