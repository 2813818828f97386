import { palettesOf, themeNames } from '../../cards/themes.ts';
import { composerPath } from '../addresses.ts';
import { kinds } from '../composer/address.ts';
import { labelOfCard } from '../composer/labels.ts';
import { html, type Markup } from '../html.ts';
import { renderDocument, type Site } from '../layout.ts';
import { phonePicture } from '../phone-picture.ts';
import type { Reader } from '../reader.ts';
import { swatch } from '../swatch.ts';
import { type GalleryCard, galleryCards } from './samples.ts';

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
      ? galleryCards.map((galleryCard) => figure(reader, galleryCard, theme))
      : themeNames.map((themeName) => figure(reader, card, themeName));
  return renderDocument(site, reader, {
    title: words.gallery,
    description: words.intro,
    path: '/gallery',
    previewPath: galleryPreviewPath(card ?? 'contributions', reader.language.locale),
    main: html`<section class="title"><h1>${words.gallery}</h1>
<nav class="themes" aria-label="${words.themes}">${themeNames.map(
      (themeName) =>
        html`<a href="${to(`/gallery?theme=${themeName}`)}">${swatch(palettesOf(themeName))}${themeName.replaceAll('-', ' ')}</a>`,
    )}</nav></section>
<section class="gallery">${figures}</section>`,
  });
}

function figure(reader: Reader, card: GalleryCard, theme: string): Markup {
  const { language, words, to } = reader;
  const canBeComposed = kinds.some((kind) => kind.card === card);
  const label = labelOfCard(card, reader);
  const pathOf = (width?: string): string =>
    galleryImagePath(card, { theme, locale: language.locale, ...(width && { width }) });
  return html`<figure>${phonePicture(pathOf, label)}
<figcaption><a href="${to(`/gallery?card=${card}`)}">${label}</a> · ${theme.replaceAll('-', ' ')}${canBeComposed && html` · <a href="${composerPath({ card, theme })}">${words.composeCard}</a>`}</figcaption></figure>`;
}
