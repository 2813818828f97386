import { escapeText } from '../markup.ts';

/** The URLs and the text of a snippet that shows an image in a page. */
export interface Embedding {
  /** The absolute URL for external clients. */
  imageUrl: string;
  /** The target of a click. */
  linkUrl: string;
  altText: string;
}

export function toMarkdown({ imageUrl, linkUrl, altText }: Embedding): string {
  const alt = altText.replace(/[\\[\]]/g, '\\$&').replace(/\s+/g, ' ');
  return `[![${alt}](${markdownAddress(imageUrl)})](${markdownAddress(linkUrl)})`;
}

export function toHtml({ imageUrl, linkUrl, altText }: Embedding): string {
  return `<a href="${escapeText(linkUrl)}"><img src="${escapeText(imageUrl)}" alt="${escapeText(altText)}"></a>`;
}

function markdownAddress(address: string): string {
  return address.replace(
    /[()<>\s]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
