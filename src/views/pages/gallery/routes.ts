import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import type { CardImages, ImageFormat, ImageRequest } from '../../../http/pipeline/images.ts';
import { readLanguage, sendPage } from '../../../http/pipeline/pages.ts';
import { imageHeaders } from '../../../http/pipeline/response.ts';
import type { App } from '../../../http/server/app.ts';
import { themeNames } from '../../cards/drawing/themes.ts';
import { cardOptionParameters } from '../../cards/options.ts';
import type { Site } from '../layout/layout.ts';
import { toReader } from '../layout/reader.ts';
import { galleryPage } from './page.ts';
import { createSample, findParameters, type GalleryCard, galleryCards } from './samples.ts';

const Chosen = Type.Object({
  card: Type.Optional(Type.Enum([...galleryCards])),
  theme: Type.Optional(Type.Enum([...themeNames])),
});
const { theme, locale, width } = cardOptionParameters;
const Options = Type.Object({ theme, locale, width });
const Image = Type.Object({ card: Type.Enum([...galleryCards]) });

/** A PNG takes long to draw, and has up to 60 KB. */
const maxPreviews = 50;
const cacheControl = 'public, max-age=3600';

/** Registers the gallery: every card in every theme, drawn from samples. */
export function galleryRoutes(
  app: App,
  { site, images, now }: { site: Site; images: CardImages; now: () => Date },
): void {
  app.get(
    '/gallery',
    { schema: { hide: true, querystring: Chosen }, config: { isPage: true } },
    async (request, reply) =>
      sendPage(
        reply.header('cache-control', cacheControl),
        galleryPage(site, toReader(readLanguage(site, request)), request.query),
      ),
  );
  const request = (
    name: GalleryCard,
    format: ImageFormat,
    options: Readonly<Record<string, unknown>>,
  ): ImageRequest => {
    const { card, parameters } = findParameters(name);
    return images.request(card, format, { ...options, ...parameters });
  };
  const previews = new LRUCache<string, Buffer>({ max: maxPreviews });
  app.get(
    '/gallery/:card.png',
    { schema: { hide: true, params: Image, querystring: Type.Object({ locale }) } },
    async ({ params: { card }, query }, reply) => {
      const imageRequest = request(card, 'png', { ...query, theme: 'light', canvas: 'preview' });
      const today = now();
      const key = `${card} ${imageRequest.key} ${today.toISOString().slice(0, 10)}`;
      const body = previews.get(key) ?? (await images.draw(imageRequest, createSample(card, today), today)).body;
      previews.set(key, body);
      return reply
        .headers({ ...imageHeaders, 'cache-control': cacheControl })
        .type('image/png')
        .send(body);
    },
  );
  app.get(
    '/gallery/:card.svg',
    { schema: { hide: true, params: Image, querystring: Options } },
    async ({ params: { card }, query }, reply) => {
      const image = await images.draw(request(card, 'svg', query), createSample(card, now()), now());
      return reply
        .headers({ ...imageHeaders, 'cache-control': cacheControl })
        .type(image.contentType)
        .send(image.body);
    },
  );
}
