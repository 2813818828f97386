import { formatTimestamp } from '../../../http/pipeline/envelope.ts';

/** An entry of a feed. */
export interface FeedEntry {
  /** Unique and permanent. */
  id: string;
  title: string;
  text: string;
  /** The address of a page. */
  url: string;
  at: Date;
}

/** Writes a feed in the Atom format (RFC 4287). */
export function toAtom(feed: {
  id: string;
  title: string;
  subtitle: string;
  /** The address of the feed. */
  self: string;
  /** The address of the page with the same contents. */
  page: string;
  updatedAt: Date;
  entries: readonly FeedEntry[];
}): string {
  const { id, title, subtitle, self, page, updatedAt, entries } = feed;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(id)}</id>
<title>${escapeXml(title)}</title>
<subtitle>${escapeXml(subtitle)}</subtitle>
<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(page)}"/>
<updated>${formatTimestamp(updatedAt)}</updated>
<author><name>Plaudit</name></author>
${entries.map(toEntry).join('')}</feed>
`;
}

function toEntry({ id, title, text, url, at }: FeedEntry): string {
  return `<entry><id>${escapeXml(id)}</id><title>${escapeXml(title)}</title><link rel="alternate" type="text/html" href="${escapeXml(url)}"/><updated>${formatTimestamp(at)}</updated><content>${escapeXml(text)}</content></entry>
`;
}

/** Characters that XML 1.0 does not allow (section 2.2) are replaced. */
const notAllowed = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return text
    .replace(notAllowed, '\ufffd')
    .replace(/[&<>"]/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign]};`);
}
