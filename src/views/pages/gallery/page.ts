import { findPalettes, type Palettes, themeNames } from '../../cards/drawing/themes.ts';
import { imagePath } from '../composer/address.ts';
import { labelOfCard } from '../composer/labels.ts';
import { composerPath } from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';
import { findParameters, type GalleryCard, galleryCards } from './samples.ts';

/** Returns the path of a card of the gallery. */
export function galleryImagePath(
  card: GalleryCard,
  options: Readonly<Partial<Record<'theme' | 'locale' | 'width', string>>>,
): string {
  return `/gallery/${card}.svg?${new URLSearchParams(options).toString()}`;
}

/** Returns the path of an image of a card of the gallery for previews of links. */
export function galleryPreviewPath(card: GalleryCard, locale: string): string {
  return `/gallery/${card}.png?${new URLSearchParams({ locale }).toString()}`;
}

/** Renders the gallery: every card, each in one theme; the chosen theme alone, or all of them for a chosen card. */
export function galleryPage(site: Site, reader: Reader, chosen: { card?: GalleryCard; theme?: string }): string {
  const { words, to } = reader;
  const { theme = 'auto', card } = chosen;
  const figures =
    card === undefined
      ? galleryCards.map((galleryCard) => figure(site, reader, galleryCard, theme))
      : themeNames.map((themeName) => figure(site, reader, card, themeName));
  return renderDocument(site, reader, {
    title: words.gallery,
    description: words.intro,
    path: '/gallery',
    previewPath: galleryPreviewPath(card ?? 'contributions', reader.language.locale),
    main: html`<section class="title"><h1>${words.gallery}</h1>
<nav class="themes" aria-label="${words.themes}">${themeNames.map(
      (themeName) =>
        html`<a href="${to(`/gallery?theme=${themeName}`)}">${swatch(findPalettes(themeName))}${themeName.replaceAll('-', ' ')}</a>`,
    )}</nav></section>
<section class="gallery">${figures}</section>`,
  });
}

function figure(site: Site, reader: Reader, galleryCard: GalleryCard, theme: string): Markup {
  const { language, words, to } = reader;
  const label = formatLabel(galleryCard, reader);
  const { card, parameters } = findParameters(galleryCard);
  const toPath = (width?: string): string =>
    galleryImagePath(galleryCard, { theme, locale: language.locale, ...(width && { width }) });
  return html`<figure>${phonePicture(toPath, label)}
<figcaption><a href="${to(`/gallery?card=${galleryCard}`)}">${label}</a> · ${theme.replaceAll('-', ' ')} · <a href="${composerPath({ card, theme, ...parameters })}">${words.composeCard}</a>
<code class="address" dir="ltr" translate="no">${toAddress(site, reader, { card, theme, ...parameters })}</code></figcaption></figure>`;
}

function formatLabel(galleryCard: GalleryCard, reader: Reader): string {
  const { card, parameters } = findParameters(galleryCard);
  const { ring, classic, compact, trend } = reader.words.composer;
  const { limit = '' } = parameters;
  const details: Partial<Record<GalleryCard, string>> = {
    contributions: ring,
    classic,
    compact,
    trend,
    wall: reader.language.number(Number(limit)),
  };
  const detail = details[galleryCard];
  return `${labelOfCard(card, reader)}${detail === undefined ? '' : ` (${detail})`}`;
}

/** Returns the address of a card, with places for the names of an account and a board. */
function toAddress({ providers, publicUrl }: Site, { language }: Reader, parameters: Record<string, string>): string {
  const [provider = 'github'] = providers;
  const fields = { provider, name: 'NAME', board: 'BOARD', locale: language.locale, ...parameters };
  return `${publicUrl()}${imagePath(new Map(Object.entries(fields)))}`;
}

/** Renders a card in its own width, and on phones in theirs, so that its letters keep their size. Paper has the one of the screen. */
export function phonePicture(toPath: (width?: string) => string, alt: string): Markup {
  return html`<picture><source media="screen and (max-width: 420px)" srcset="${toPath('320')}"><img src="${toPath()}" alt="${alt}"></picture>`;
}

/** Draws a theme in small: its backgrounds for light and dark screens, and its accent. */
export function swatch({ light, dark = light }: Palettes): Markup {
  return html`<svg class="swatch" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11" fill="${light.background}" stroke="${light.border}"/><path d="M12 1a11 11 0 0 1 0 22z" fill="${dark.background}"/><circle cx="12" cy="12" r="5" fill="${light.accent}"/></svg>`;
}
