import assert from 'node:assert/strict';
import type { TestService } from '../../e2e/service.ts';

/** The most pages that are read of one list. */
const maxPages = 300;

/**
 * Reads all pages of a list.
 * @param address as `get` of the service takes it.
 */
export async function readPages(
  service: TestService,
  address: string,
  init?: RequestInit,
): Promise<{ items: unknown[]; meta: Record<string, unknown> }> {
  const items: unknown[] = [];
  let after = '';
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { status, text } = await service.get(`${address}${after}`, init);
    assert.equal(status, 200, `${address}: ${text}`);
    const body = JSON.parse(text) as { data: unknown[]; meta_data: Record<string, unknown>; next_cursor?: string };
    items.push(...body.data);
    if (body.next_cursor === undefined) return { items, meta: body.meta_data };
    after = `${address.includes('?') ? '&' : '?'}after=${body.next_cursor}`;
  }
  return assert.fail(`${address} has no end`);
}
