import type { Shown } from '../http/pictures.ts';
import type { Drawing } from './frame.ts';
import type { Look, Parts } from './look.ts';

/** Images that a picture shows, as data addresses, by the addresses that they are known by. What is missing is drawn without. */
export type Images = ReadonlyMap<string, string>;

export type ImageSize = 'small' | 'large';

/** A picture of an answer: one file, and one line in `index.ts`. Pure: the same answer, look and images give the same bytes. */
export interface CardDefinition<Content> {
  parts: Parts;
  /** The size of a picture that has nothing to show, such as an error in its place. */
  emptySize: (look: Look) => { widthPx: number; heightPx: number };
  /** What the picture needs of an answer, which is as the interface tells it in JSON; undefined: there is nothing to draw. */
  read(shown: Shown): Content | undefined;
  /** Addresses of the images that it shows. */
  images?(content: Content, look: Look): string[];
  /** For a side of at most 36 pixels, or of 56. Default: small. */
  imageSize?(content: Content): ImageSize;
  draw(content: Content, look: Look, images: Images): Drawing;
}

/** The same for those who know nothing of its content. */
export interface Card extends Pick<CardDefinition<unknown>, 'parts' | 'emptySize'> {
  /** Undefined: there is nothing to draw. */
  read(shown: Shown, look: Look): Readable | undefined;
}

/** What was read and is ready to be drawn. */
export interface Readable {
  images: string[];
  imageSize: ImageSize;
  draw(images: Images): Drawing;
}

export function defineCard<Content>(definition: CardDefinition<Content>): Card {
  const { parts, emptySize } = definition;
  return {
    parts,
    emptySize,
    read: (shown, look) => {
      const content = definition.read(shown);
      if (content === undefined) return undefined;
      return {
        images: definition.images?.(content, look) ?? [],
        imageSize: definition.imageSize?.(content) ?? 'small',
        draw: (images) => definition.draw(content, look, images),
      };
    },
  };
}
