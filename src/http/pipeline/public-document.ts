import { type Representations, withCompressedForms } from '../server/compression.ts';
import { toEtag } from './response.ts';
import { toBody } from './response-body.ts';

/**
 * Renders a document that is the same for all callers, as JSON with an entity tag.
 * @param maxAgeS the time, in s, for which caches keep it.
 */
export function renderDocument(document: object, maxAgeS: number): Representations {
  const bytes = Buffer.from(JSON.stringify(document));
  const etag = toEtag(bytes);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes.length),
    'cache-control': `public, max-age=${maxAgeS}`,
    etag,
  };
  return withCompressedForms({ body: toBody(bytes), etag, headers });
}
