import type {
  CardImage,
  CardImages,
  CardProblem,
  ImageFormat,
  ImageRequest,
  Parameters,
} from '../../http/pipeline/images.ts';
import { fill } from '../languages/language.ts';
import type { Words } from '../languages/texts.ts';
import { type Drawing, onPreview } from './drawing/frame.ts';
import type { Rasterizer } from './drawing/rasterizer.ts';
import { fromDataAddress } from './images/encode.ts';
import type { ImageSource } from './images/image-source.ts';
import { findCard } from './index.ts';
import { cardOptionParameters, looseScale, normalize, readCardOptions, readCardOptionsLoosely } from './options.ts';
import { resumesText } from './states/coverage.ts';
import { drawState } from './states/state.ts';

/** Parameters that do not change the card, or that the key contains already. */
const outsideOfKey = new Set(['format', 'card']);

/** Creates the part of the service that draws cards, with images from other servers, as SVG or PNG. */
export function createCardImages({
  images,
  rasterizer,
}: {
  images: Pick<ImageSource, 'find'>;
  rasterizer: Pick<Rasterizer, 'toPng'>;
}): CardImages {
  const finish = (format: ImageFormat, query: Parameters, drawing: Drawing, isFinal = true): Promise<CardImage> =>
    toImage(rasterizer, { format, query, drawing, isFinal });
  return {
    parameters: cardOptionParameters,
    request: (card, format, query) => {
      // Invalid options are rejected before anything is looked up.
      const { hide, show } = readCardOptions(query, findCard(card).parts);
      const canonical = { ...query, hide: [...hide].join(','), show: [...show].join(',') };
      const shaping = Object.fromEntries(Object.entries(canonical).filter(([name]) => !outsideOfKey.has(name)));
      return { card, format, query: canonical, key: `${card}.${format}?${normalize(shaping)}` };
    },
    draw: async ({ card: name, format, query }, input, deadline) => {
      const card = findCard(name);
      const options = readCardOptions(query, card.parts);
      const readable = card.read(input, options);
      if (readable === undefined) {
        const nothing = card.nothing(input, options.language);
        return finish(format, query, drawState(card, { kind: 'nothing', ...nothing }, options));
      }
      const { images: given = new Map<string, string>(), avatarsUrl } = input;
      const isAbsent = (address: string): boolean => avatarsUrl !== undefined && address.startsWith(avatarsUrl);
      const wanted = readable.images.filter((address) => !given.has(address) && !isAbsent(address));
      const { imageSize: size } = readable;
      const found = await images.find(wanted, { size, repositories: input.repositoriesOfImages, deadline });
      return finish(format, query, readable.draw(new Map([...found.images, ...given])), found.isFinal);
    },
    drawCollecting: async ({ card: name, format, query }: ImageRequest, resumesAt) => {
      const card = findCard(name);
      const options = readCardOptions(query, card.parts);
      const { collecting, collectingDetail } = options.language.words;
      const detail = resumesAt === undefined ? collectingDetail : resumesText(resumesAt, options.language);
      const state = { kind: 'collecting', title: collecting, detail } as const;
      return finish(format, query, drawState(card, state, options), false);
    },
    drawProblem: (card, format, query, problem) =>
      finish(format, { ...query, scale: looseScale(query) }, drawProblem(card, query, problem)),
    findAvatar: async (url, deadline) => {
      const found = await images.find([url], { size: 'large', deadline });
      const address = found.images.get(url);
      return { image: address === undefined ? undefined : fromDataAddress(address), isFinal: found.isFinal };
    },
  };
}

/** Draws an error on its own, which needs nothing of a running service. */
export function drawProblem(card: string, query: Parameters, problem: CardProblem): Drawing {
  const options = readCardOptionsLoosely(query);
  const { words } = options.language;
  return drawState(findCard(card), { kind: 'problem', ...problemText(problem, words) }, options);
}

/** Returns an error in a language: its kind, and its cause where the kind says too little to readers. */
export function problemText(problem: CardProblem, words: Words): { title: string; detail: string } {
  return { title: words[toTitleKey(problem)], detail: formatDetail(problem, words) };
}

async function toImage(
  rasterizer: Pick<Rasterizer, 'toPng'>,
  { format, query, drawing, isFinal }: { format: ImageFormat; query: Parameters; drawing: Drawing; isFinal: boolean },
): Promise<CardImage> {
  if (format === 'svg') return { body: Buffer.from(drawing.svg), contentType: 'image/svg+xml; charset=utf-8', isFinal };
  const scale = typeof query['scale'] === 'number' ? query['scale'] : 1;
  const whole =
    query['canvas'] === 'preview' ? onPreview(drawing, readCardOptionsLoosely(query).palettes.light) : drawing;
  return { body: await rasterizer.toPng(whole, scale), contentType: 'image/png', isFinal };
}

function toTitleKey({
  status,
}: CardProblem): keyof Pick<Words, 'invalid' | 'refused' | 'notFound' | 'tooMany' | 'unavailable'> {
  if (status === 400) return 'invalid';
  if (status === 401 || status === 403) return 'refused';
  if (status === 404) return 'notFound';
  return status === 429 ? 'tooMany' : 'unavailable';
}

/** Returns the cause of a problem; empty where the title says enough to readers of a card. */
function formatDetail({ status, message, explanations }: CardProblem, { problems }: Words): string {
  if (explanations.length > 0) {
    const sentences = explanations.map(({ phrase, values = {} }) => fill(problems[phrase], values));
    // A list that goes on ends with an ellipsis, after which no full stop follows.
    return sentences.map((sentence) => sentence.replace(/…[.。।]$/, '…')).join(' ');
  }
  return status === 429 || status >= 500 ? '' : message;
}
