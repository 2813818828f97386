import ipaddr from 'ipaddr.js';
import { html } from '../layout/html.ts';

/** Endings of names that no public name server knows (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
const privateEndings = /(^|\.)(localhost|local|internal|lan|home\.arpa|test|invalid)$/;

/** The URLs and the text of a snippet that shows an image in a page. */
export interface Embedding {
  /** The absolute URL for external clients. */
  imageUrl: string;
  /** The target of a click. */
  linkUrl: string;
  altText: string;
}

/** The forms in which a card is put into a page. */
export const snippets: readonly { id: string; label: string; write: (embedding: Embedding) => string }[] = [
  { id: 'markdown', label: 'Markdown', write: toMarkdown },
  { id: 'html', label: 'HTML', write: toHtml },
  { id: 'picture', label: 'HTML for light and dark pages', write: toPicture },
  { id: 'asciidoc', label: 'AsciiDoc', write: toAsciiDoc },
  { id: 'rst', label: 'reStructuredText', write: toRst },
];

function toMarkdown({ imageUrl, linkUrl, altText }: Embedding): string {
  const alt = oneLine(altText).replace(/[\\[\]]/g, '\\$&');
  return `[![${alt}](${plainAddress(imageUrl)})](${plainAddress(linkUrl)})`;
}

function toHtml({ imageUrl, linkUrl, altText }: Embedding): string {
  return html`<a href="${linkUrl}"><img src="${imageUrl}" alt="${altText}"></a>`.toString();
}

/**
 * Writes an image that follows the page, not the screen: code hosts show `<picture>` by the theme that their reader chose.
 * Where the card has a theme of its own, both addresses are the same.
 */
function toPicture({ imageUrl, linkUrl, altText }: Embedding): string {
  const dark = withTheme(imageUrl, 'dark');
  const light = withTheme(imageUrl, 'light');
  return html`<a href="${linkUrl}"><picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt="${altText}"></picture></a>`.toString();
}

/** Returns the address of an image in a theme, unless it has one of its own. */
export function withTheme(url: string, theme: string): string {
  const [path = '', query = ''] = url.split('?');
  return /(^|&)theme=/.test(query) ? url : `${path}?${query}&theme=${theme}`;
}

function toAsciiDoc({ imageUrl, linkUrl, altText }: Embedding): string {
  const alt = oneLine(altText).replaceAll('"', '\\"').replaceAll(']', '\\]');
  return `image:${plainAddress(imageUrl)}["${alt}",link="${plainAddress(linkUrl)}"]`;
}

function toRst({ imageUrl, linkUrl, altText }: Embedding): string {
  return `.. image:: ${plainAddress(imageUrl)}\n   :alt: ${oneLine(altText)}\n   :target: ${plainAddress(linkUrl)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Encodes the characters of an address that end it in these languages. */
function plainAddress(address: string): string {
  return address.replace(
    /[()<>"[\]\s]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Returns whether the host of a URL can be one of the internet, where image proxies of code hosts are. */
export function isPublic(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'unicast';
  return host.includes('.') && !privateEndings.test(host);
}
