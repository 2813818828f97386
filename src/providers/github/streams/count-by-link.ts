import { Type } from 'typebox';
import { existing } from './existing.ts';
import type { Asking } from './items.ts';

/** How long a REST list is: with one item a page, the number of its last page. */
export async function countByLink({ client, call }: Asking, path: string): Promise<number> {
  const { data, headers } = existing(await client.rest(`${path}?per_page=1`, Type.Array(Type.Object({})), call));
  const [, last] = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(String(headers['link'] ?? '')) ?? [];
  return last === undefined ? data.length : Number(last);
}
