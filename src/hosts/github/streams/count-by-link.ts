import { Type } from 'typebox';
import type { StreamContext } from './context.ts';

/**
 * Returns the length of a REST list: the number of its last page, with one item a page; 0 when there is no such list.
 */
export async function countByLink({ client, call }: StreamContext, path: string): Promise<number> {
  const response = await client.rest(`${path}?per_page=1`, Type.Array(Type.Object({})), call);
  const [, last] = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(String(response?.headers['link'] ?? '')) ?? [];
  return last === undefined ? (response?.data.length ?? 0) : Number(last);
}
