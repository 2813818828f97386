import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Envelope } from '../../http/pipeline/envelope.ts';
import type { CardInput } from '../../http/pipeline/images.ts';
import type { Language } from '../languages/language.ts';
import type { Words } from '../languages/texts.ts';
import type { Drawing } from './drawing/frame.ts';
import type { CardOptions, Parts } from './options.ts';

/** The images of a card as data URLs, by their original URLs. A card is drawn without those that are missing. */
export type Images = ReadonlyMap<string, string>;

export type ImageSize = 'small' | 'large';

/**
 * A card that is drawn from a response: one file, and one line in `index.ts`. It is pure: the same response, options
 * and images give the same bytes.
 */
interface CardDefinition<Content> {
  parts: Parts;
  /** The subject that the message names when there is no data to draw. */
  nothingOf: keyof Words['nothing'];
  /**
   * Returns why there is nothing to draw, in the place of the advice of the language; undefined where nothing was
   * counted so far. Absent: the advice always.
   */
  explainNothing?(input: CardInput, language: Language): string | undefined;
  /** Returns the size of a card without content, such as one that shows an error. */
  emptySize: (options: CardOptions) => { widthPx: number; heightPx: number };
  /**
   * Reads the content of the card from a response, which has the form of the JSON of the API; undefined when there is
   * nothing to draw.
   */
  read(input: CardInput): Content | undefined;
  /** Returns the URLs of the images that the card shows. */
  images?(content: Content, options: CardOptions): string[];
  /** Returns `small` for images with a side of at most 36 pixels, `large` for 56. Default: `small`. */
  imageSize?(content: Content): ImageSize;
  draw(content: Content, options: CardOptions, images: Images): Drawing;
}

/** A card without the type of its content. */
export interface Card extends Pick<CardDefinition<unknown>, 'parts' | 'emptySize'> {
  /** Returns the message in the place of a card that has nothing to draw. */
  nothing(input: CardInput, language: Language): { title: string; detail: string };
  /** Returns undefined when there is nothing to draw. */
  read(input: CardInput, options: CardOptions): Readable | undefined;
}

/** A card whose content is read, ready to be drawn. */
interface Readable {
  images: string[];
  imageSize: ImageSize;
  draw(images: Images): Drawing;
}

const Named = Compile(Type.Object({ name: Type.String(), display_name: Type.String() }));

/** Returns the name of the account that a response is about; undefined where it has none. */
export function nameIn({ data: [item] }: Envelope): string | undefined {
  return Named.Check(item) ? item.display_name || item.name : undefined;
}

export function defineCard<Content>(definition: CardDefinition<Content>): Card {
  const { parts, nothingOf, emptySize } = definition;
  return {
    parts,
    emptySize,
    nothing: (input, language) => {
      const { title, detail } = language.words.nothing[nothingOf];
      return { title, detail: definition.explainNothing?.(input, language) ?? detail };
    },
    read: (input, options) => {
      const content = definition.read(input);
      if (content === undefined) return undefined;
      return {
        images: definition.images?.(content, options) ?? [],
        imageSize: definition.imageSize?.(content) ?? 'small',
        draw: (images) => definition.draw(content, options, images),
      };
    },
  };
}
